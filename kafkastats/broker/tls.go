package broker

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"
)

// tlsConfig builds TLS from the ssl.* settings. Stores must be PEM: Java's own formats are named in
// the error with the command that converts them.
func (p Properties) tlsConfig() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	trust, err := p.pem("ssl.truststore", "ssl.truststore.certificates")
	if err != nil {
		return nil, err
	}
	if trust == nil && p["ssl.ca.location"] != "" {
		if trust, err = os.ReadFile(p["ssl.ca.location"]); err != nil {
			return nil, fmt.Errorf("ssl.ca.location: %w", err)
		}
	}
	if trust != nil {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(trust) {
			return nil, errors.New("the truststore holds no PEM certificate")
		}
	}
	cert, key := []byte(p["ssl.keystore.certificate.chain"]), []byte(p["ssl.keystore.key"])
	if len(cert) == 0 {
		store, err := p.pem("ssl.keystore", "")
		if err != nil {
			return nil, err
		}
		cert, key = store, store
	}
	if len(cert) > 0 {
		if block := privateKey(key); block != nil && strings.Contains(block.Type, "ENCRYPTED") {
			return nil, errors.New("the key in the keystore is encrypted: decrypt it with `openssl pkey -in key.pem -out plain.pem`")
		}
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("client certificate (ssl.keystore): %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	if name, set := p["ssl.endpoint.identification.algorithm"]; set && name == "" {
		verifyChainOnly(c)
	}
	return c, nil
}

// pem reads a store given inline or as a file.
func (p Properties) pem(store, inline string) ([]byte, error) {
	if inline != "" && p[inline] != "" {
		return []byte(p[inline]), nil
	}
	path := p[store+".location"]
	if path == "" {
		return nil, nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s.location: %w", store, err)
	}
	if block, _ := pem.Decode(b); block == nil {
		return nil, fmt.Errorf("%s.location %s is not PEM (type %q): convert it with `keytool -importkeystore -srckeystore %s -destkeystore store.p12 -deststoretype PKCS12 && openssl pkcs12 -in store.p12 -nodes -out store.pem` and set %s.type=PEM",
			store, path, p[store+".type"], path, store)
	}
	return b, nil
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

// verifyChainOnly keeps checking the chain when host names are not to be checked, as Java does.
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
