package broker

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// tlsConfig builds TLS from the ssl.* settings. Stores may be PEM, JKS or PKCS12; inline PEM
// takes precedence.
func (p Properties) tlsConfig() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if err := p.trust(c); err != nil {
		return nil, err
	}
	if err := p.identity(c); err != nil {
		return nil, err
	}
	if name, set := p["ssl.endpoint.identification.algorithm"]; set && name == "" {
		verifyChainOnly(c)
	}
	return c, nil
}

// trust sets the trusted authorities; without a truststore those of the system are used.
func (p Properties) trust(c *tls.Config) error {
	var s store
	switch {
	case p["ssl.truststore.certificates"] != "":
		s.pem = []byte(p["ssl.truststore.certificates"])
	case p["ssl.truststore.location"] != "":
		var err error
		if s, err = p.openStore("ssl.truststore"); err != nil {
			return err
		}
	case p["ssl.ca.location"] != "":
		var err error
		if s.pem, err = os.ReadFile(p["ssl.ca.location"]); err != nil {
			return fmt.Errorf("ssl.ca.location: %w", err)
		}
	default:
		return nil
	}
	c.RootCAs = x509.NewCertPool()
	for _, cert := range s.trusted {
		c.RootCAs.AddCert(cert)
	}
	if len(s.trusted) == 0 && !c.RootCAs.AppendCertsFromPEM(lines(s.pem)) {
		return errors.New("the truststore holds no certificate to trust")
	}
	return nil
}

// identity sets the client certificate.
func (p Properties) identity(c *tls.Config) error {
	cert, key := []byte(p["ssl.keystore.certificate.chain"]), []byte(p["ssl.keystore.key"])
	if len(cert) == 0 {
		if p["ssl.keystore.location"] == "" {
			return nil
		}
		s, err := p.openStore("ssl.keystore")
		if err != nil {
			return err
		}
		if s.pem == nil {
			if s.pair == nil {
				return errors.New("ssl.keystore.location: the store holds no private key")
			}
			c.Certificates = []tls.Certificate{*s.pair}
			return nil
		}
		cert, key = s.pem, s.pem
	}
	cert, key = lines(cert), lines(key)
	if block := privateKey(key); block != nil && strings.Contains(block.Type, "ENCRYPTED") {
		return errors.New("the key in the keystore is encrypted PEM: decrypt it with `openssl pkey -in key.pem -out plain.pem`, or use a PKCS12 store")
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return fmt.Errorf("client certificate (ssl.keystore): %w", err)
	}
	c.Certificates = []tls.Certificate{pair}
	return nil
}

// PEMFiles is TLS with a certificate authority, and a client certificate with its key, from
// files; nil if none is named.
func PEMFiles(ca, cert, key string) (*tls.Config, error) {
	if ca == "" && cert == "" && key == "" {
		return nil, nil
	}
	if (cert == "") != (key == "") {
		return nil, errors.New("a client certificate needs its key, and a key its certificate")
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		text, err := os.ReadFile(ca)
		if err != nil {
			return nil, fmt.Errorf("certificate authority: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("certificate authority %s holds no PEM certificate", ca)
		}
	}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("client certificate: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

var pemBlock = regexp.MustCompile(`-----BEGIN ([A-Z0-9 ]+)-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END [A-Z0-9 ]+-----`)

// lines puts PEM back on separate lines: continued lines of a properties file are joined.
func lines(text []byte) []byte {
	return pemBlock.ReplaceAllFunc(text, func(block []byte) []byte {
		m := pemBlock.FindSubmatch(block)
		body := strings.Join(strings.Fields(string(m[2])), "\n")
		return fmt.Appendf(nil, "\n-----BEGIN %s-----\n%s\n-----END %s-----\n", m[1], body, m[1])
	})
}

func privateKey(b []byte) *pem.Block {
	for {
		block, rest := pem.Decode(b)
		if block == nil || strings.Contains(block.Type, "PRIVATE KEY") {
			return block
		}
		b = rest
	}
}

// verifyChainOnly still checks the chain if host names are not checked, as Java does.
func verifyChainOnly(c *tls.Config) {
	c.InsecureSkipVerify = true
	roots := c.RootCAs
	c.VerifyConnection = func(s tls.ConnectionState) error {
		o := x509.VerifyOptions{Roots: roots, Intermediates: x509.NewCertPool()}
		for _, cert := range s.PeerCertificates[1:] {
			o.Intermediates.AddCert(cert)
		}
		_, err := s.PeerCertificates[0].Verify(o)
		return err
	}
}
