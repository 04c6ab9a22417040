package broker

import (
	"bytes"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/pavlo-v-chernykh/keystore-go/v4"
	"software.sslmate.com/src/go-pkcs12"
)

// store is the content of a key or trust store: PEM text, or what was unpacked.
type store struct {
	pem     []byte
	trusted []*x509.Certificate
	pair    *tls.Certificate // nil: no private key
}

// openStore reads the file of ssl.keystore or ssl.truststore. The format is detected from the
// content, because Java also reads both formats under either type; the type is only used in
// messages.
func (p Properties) openStore(name string) (store, error) {
	path, password := p[name+".location"], p[name+".password"]
	fail := func(err error) (store, error) {
		return store{}, fmt.Errorf("%s.location %s: %w", name, path, err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return store{}, fmt.Errorf("%s.location: %w", name, err)
	}
	keyPassword := first(p["ssl.key.password"], password)
	var s store
	switch {
	case bytes.HasPrefix(b, []byte{0xfe, 0xed, 0xfe, 0xed}):
		s, err = openJKS(b, password, keyPassword)
	case bytes.HasPrefix(b, []byte{0xce, 0xce, 0xce, 0xce}):
		err = fmt.Errorf("the store is JCEKS: convert it with `keytool -importkeystore -srckeystore %s -destkeystore store.p12 -deststoretype PKCS12`", path)
	case bytes.HasPrefix(b, []byte{0x30}):
		s, err = openPKCS12(b, password, name == "ssl.truststore")
	default:
		if block, _ := pem.Decode(lines(b)); block == nil {
			err = fmt.Errorf("the store (type %q) is neither PEM nor JKS nor PKCS12", p[name+".type"])
		}
		s.pem = b
	}
	if err != nil {
		if password == "" && !strings.Contains(err.Error(), "convert it") {
			err = fmt.Errorf("%w (%s.password is not set)", err, name)
		}
		return fail(err)
	}
	return s, nil
}

// openJKS reads Java's own format. Without a password its integrity is not checked, as in Java.
func openJKS(b []byte, password, keyPassword string) (store, error) {
	var s store
	ks := keystore.New(keystore.WithOrderedAliases(), keystore.WithCaseExactAliases())
	switch err := ks.Load(bytes.NewReader(b), []byte(password)); {
	case err == nil:
	case !strings.Contains(err.Error(), "invalid digest"):
		return s, fmt.Errorf("the JKS store cannot be read: %w", err)
	case password != "":
		return s, errors.New("the JKS store was tampered with, or the password is wrong")
	}
	for _, alias := range ks.Aliases() {
		if ks.IsTrustedCertificateEntry(alias) {
			e, err := ks.GetTrustedCertificateEntry(alias)
			if err != nil {
				return s, fmt.Errorf("the JKS store: %w", err)
			}
			cert, err := x509.ParseCertificate(e.Certificate.Content)
			if err != nil {
				return s, fmt.Errorf("the JKS store, certificate %q: %w", alias, err)
			}
			s.trusted = append(s.trusted, cert)
			continue
		}
		if !ks.IsPrivateKeyEntry(alias) || s.pair != nil {
			continue
		}
		e, err := ks.GetPrivateKeyEntry(alias, []byte(keyPassword))
		if err != nil {
			return s, fmt.Errorf("the key %q of the JKS store cannot be decrypted: is ssl.key.password right? %w", alias, err)
		}
		key, err := x509.ParsePKCS8PrivateKey(e.PrivateKey)
		if err != nil {
			return s, fmt.Errorf("the key %q of the JKS store: %w", alias, err)
		}
		s.pair = &tls.Certificate{PrivateKey: key}
		for _, c := range e.CertificateChain {
			s.pair.Certificate = append(s.pair.Certificate, c.Content)
		}
	}
	return s, nil
}

// openPKCS12 reads the default format of Java 9 and later.
func openPKCS12(b []byte, password string, trust bool) (store, error) {
	var s store
	explain := func(err error) (store, error) {
		if errors.Is(err, pkcs12.ErrIncorrectPassword) || errors.Is(err, pkcs12.ErrDecryption) {
			return store{}, errors.New("the PKCS12 store does not open with this password")
		}
		return store{}, fmt.Errorf("the PKCS12 store cannot be read: %w", err)
	}
	if trust {
		var err error
		if s.trusted, err = pkcs12.DecodeTrustStore(b, password); err != nil {
			return explain(err)
		}
		return s, nil
	}
	key, leaf, chain, err := pkcs12.DecodeChain(b, password)
	if err != nil {
		return explain(err)
	}
	all := append([]*x509.Certificate{leaf}, chain...)
	for i, c := range all {
		// The leaf is the certificate of the key, in whatever order the file has them.
		if public, ok := c.PublicKey.(interface{ Equal(crypto.PublicKey) bool }); ok && public.Equal(key.(crypto.Signer).Public()) {
			all[0], all[i] = all[i], all[0]
			break
		}
	}
	s.pair = &tls.Certificate{PrivateKey: key}
	for _, c := range all {
		s.pair.Certificate = append(s.pair.Certificate, c.Raw)
	}
	return s, nil
}
