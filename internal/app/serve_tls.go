package app

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"slices"
	"sync"
	"time"
)

const (
	// caLife is longer than any process lives: the CA's key never leaves it.
	caLife = 10 * 365 * 24 * time.Hour
	// leafLife is that of the certificates that are served; each is replaced in its last
	// half.
	leafLife = 7 * 24 * time.Hour
	// backdated allows for clients whose clocks are behind.
	backdated = 5 * time.Minute
)

// ownCA signs the certificates of one process, in memory.
type ownCA struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	hosts       []string
	now         func() time.Time

	mu        sync.Mutex
	cert, pem []byte
	renewAt   time.Time
}

// newOwnCA makes a CA for the names and addresses at which the endpoint is reached.
func newOwnCA(hosts []string, now func() time.Time) (*ownCA, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	serial, err := serialNumber()
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "callgate serve CA"},
		NotBefore: now().Add(-backdated), NotAfter: now().Add(caLife),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("making a CA: %w", err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("making a CA: %w", err)
	}
	return &ownCA{certificate: certificate, key: key, hosts: hosts, now: now}, nil
}

// serialNumber has 127 random bits.
func serialNumber() (*big.Int, error) {
	n, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, fmt.Errorf("making a serial number: %w", err)
	}
	return n, nil
}

// bundle is what clients check against.
func (c *ownCA) bundle() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.certificate.Raw})
}

// source gives the pair to be served, for webhooks.CertificateOptions.
func (c *ownCA) source() (certPEM, keyPEM []byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cert == nil || !c.now().Before(c.renewAt) {
		if err := c.renew(); err != nil {
			return nil, nil, err
		}
	}
	return c.cert, c.pem, nil
}

func (c *ownCA) renew() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("making a key: %w", err)
	}
	serial, err := serialNumber()
	if err != nil {
		return err
	}
	now := c.now()
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "callgate serve"},
		NotBefore: now.Add(-backdated), NotAfter: now.Add(leafLife), BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range c.hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, c.certificate, key.Public(), c.key)
	if err != nil {
		return fmt.Errorf("making a certificate: %w", err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fmt.Errorf("encoding a key: %w", err)
	}
	c.cert = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	c.pem = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
	c.renewAt = now.Add(leafLife / 2)
	return nil
}

// selfSignedHosts are the names and addresses of a certificate that is made here: this
// machine's own, what is bound to, and what was asked for.
func selfSignedHosts(bindAddress string, more []string) []string {
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	if host, _, err := net.SplitHostPort(bindAddress); err == nil && host != "" {
		if ip := net.ParseIP(host); ip == nil || !ip.IsUnspecified() {
			hosts = append(hosts, host)
		}
	}
	hosts = append(hosts, more...)
	slices.Sort(hosts)
	return slices.Compact(hosts)
}
