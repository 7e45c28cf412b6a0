package webhooks

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// pair is a self-signed certificate and its key, as PEM.
type pair struct{ cert, key []byte }

func newPair(t testing.TB, serial int64, notBefore, notAfter time.Time) pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "callgate"},
		NotBefore: notBefore, NotAfter: notAfter, DNSNames: []string{"callgate.test"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pair{
		cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		key:  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}),
	}
}

// volume is a Secret volume: files behind a symlink that is swapped.
type volume struct {
	t    testing.TB
	root string
	n    int
}

func newVolume(t testing.TB) *volume {
	t.Helper()
	v := &volume{t: t, root: t.TempDir()}
	for _, name := range []string{"tls.crt", "tls.key"} {
		if err := os.Symlink(filepath.Join("..data", name), filepath.Join(v.root, name)); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

func (v *volume) put(p pair) {
	v.t.Helper()
	v.n++
	dir := filepath.Join(v.root, "..v"+string(rune('a'+v.n)))
	next := filepath.Join(v.root, "..next")
	for _, err := range []error{
		os.Mkdir(dir, 0o700),
		os.WriteFile(filepath.Join(dir, "tls.crt"), p.cert, 0o600),
		os.WriteFile(filepath.Join(dir, "tls.key"), p.key, 0o600),
		os.Symlink(filepath.Base(dir), next),
		os.Rename(next, filepath.Join(v.root, "..data")),
	} {
		if err != nil {
			v.t.Fatal(err)
		}
	}
}

func (v *volume) options() CertificateOptions {
	return CertificateOptions{CertFile: filepath.Join(v.root, "tls.crt"), KeyFile: filepath.Join(v.root, "tls.key")}
}

// goodCertificates are valid for an hour.
func goodCertificates(t testing.TB) (*Certificates, *x509.CertPool) {
	t.Helper()
	v := newVolume(t)
	p := newPair(t, 1, time.Now().Add(-time.Minute), time.Now().Add(time.Hour))
	v.put(p)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(p.cert)
	return NewCertificates(v.options()), pool
}
