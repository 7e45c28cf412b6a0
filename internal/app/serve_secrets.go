package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/callgate/callgate/internal/bearer"
)

// maxSecretFile is more than any token that may be sent.
const maxSecretFile = 64 << 10

// fileSecrets are Secrets whose values are in files, by key. Whoever starts the process
// names them, which is the consent that a Secret's type is in a cluster.
type fileSecrets map[types.NamespacedName]map[string]string

func newFileSecrets(given []string) (fileSecrets, error) {
	secrets := fileSecrets{}
	for _, g := range given {
		names, file, err := splitToken("validator-token-file", g, 3)
		if err != nil {
			return nil, err
		}
		name := types.NamespacedName{Namespace: names[0], Name: names[1]}
		if secrets[name] == nil {
			secrets[name] = map[string]string{}
		}
		if _, twice := secrets[name][names[2]]; twice {
			return nil, fmt.Errorf("--validator-token-file: %s/%s is given twice", name, names[2])
		}
		if _, err := readSecretFile(file); err != nil {
			return nil, fmt.Errorf("--validator-token-file: %w", err)
		}
		secrets[name][names[2]] = file
	}
	return secrets, nil
}

// get is a bearer.Getter. A file that cannot be read any more is a key that is not there.
func (s fileSecrets) get(_ context.Context, namespace, name string, _ metav1.GetOptions) (*corev1.Secret, error) {
	files := s[types.NamespacedName{Namespace: namespace, Name: name}]
	if files == nil {
		return nil, apierrors.NewNotFound(corev1.Resource("secrets"), name)
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Type: bearer.SecretType, Data: map[string][]byte{},
	}
	version := sha256.New()
	for key, file := range files {
		if value, err := readSecretFile(file); err == nil {
			secret.Data[key] = value
		}
	}
	// The values in the order of their keys: a version that hangs on the map's order would
	// look like a rotation.
	for _, key := range slices.Sorted(maps.Keys(secret.Data)) {
		_, _ = fmt.Fprintf(version, "%q %q\n", key, secret.Data[key]) // a hash takes everything
	}
	secret.ResourceVersion = hex.EncodeToString(version.Sum(nil))
	return secret, nil
}

func readSecretFile(file string) ([]byte, error) {
	f, err := os.Open(file) //nolint:gosec // whoever starts the process names it
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	value, err := io.ReadAll(io.LimitReader(f, maxSecretFile))
	// Editors end a file with a line break.
	return bytes.TrimRight(value, "\r\n"), err
}
