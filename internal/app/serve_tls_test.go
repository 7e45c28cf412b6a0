package app

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"testing"
	"time"
)

// OpenSSL takes a certificate whose issuer has its own name for one that signed itself,
// and refuses it whatever the client trusts.
func TestTheCertificateIsNotItsOwnIssuer(t *testing.T) {
	ca, err := newOwnCA([]string{"localhost", "127.0.0.1"}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := ca.source()
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(text)
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(leaf.RawSubject, leaf.RawIssuer) || !bytes.Equal(leaf.RawIssuer, ca.certificate.RawSubject) {
		t.Errorf("%s is issued by %s", leaf.Subject, leaf.Issuer)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca.bundle())
	for _, name := range []string{"localhost", "127.0.0.1"} {
		if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
