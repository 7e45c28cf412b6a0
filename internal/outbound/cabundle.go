package outbound

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// maxBundleBytes bounds a CA bundle: all of Mozilla's roots are about 220 KiB.
const maxBundleBytes = 256 << 10

// ParseCABundle reads PEM certificates, at least one. A block that cannot be read is an
// error and not skipped: a bundle that lost a certificate on its way would otherwise
// fail at the first call. Text between blocks is allowed.
func ParseCABundle(data []byte) (*x509.CertPool, error) {
	if len(data) > maxBundleBytes {
		return nil, errors.New("reading the CA bundle: it is over 256 KiB; give only the authorities that sign for the endpoint")
	}
	begun := bytes.Count(data, []byte("-----BEGIN "))
	pool, read := x509.NewCertPool(), 0
	for {
		var block *pem.Block
		if block, data = pem.Decode(data); block == nil {
			break
		}
		read++
		if block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("reading the CA bundle: block %d is %s; give CERTIFICATE blocks only", read, quoted(block.Type))
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("reading the CA bundle: block %d is no X.509 certificate", read)
		}
		pool.AddCert(cert)
	}
	if read == 0 {
		return nil, errors.New("reading the CA bundle: it has no PEM block; give certificates as -----BEGIN CERTIFICATE-----")
	}
	if read != begun {
		return nil, fmt.Errorf("reading the CA bundle: %d blocks begin, but only %d can be read", begun, read)
	}
	return pool, nil
}
