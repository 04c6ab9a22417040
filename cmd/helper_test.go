package cmd

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"tidemark/contexts"
)

// fake is a process without terminal, home or environment but what vars give.
type fake struct {
	*globals
	out, err *bytes.Buffer
}

func newFake(vars map[string]string) fake {
	f := fake{out: &bytes.Buffer{}, err: &bytes.Buffer{}}
	f.globals = &globals{color: "auto", tunnels: &contexts.Tunnels{}, env: env{
		In: strings.NewReader(""), Out: f.out, Err: f.err,
		Now:        func() time.Time { return time.UnixMilli(1796011294937) },
		Getenv:     environment(vars),
		IsTerminal: func(any) bool { return false },
		HomeDir:    func() (string, error) { return "", errors.New("no home") },
	}}
	return f
}

// environment holds vars alone. Tests run side by side, so none of them bounds the memory of all.
func environment(vars map[string]string) func(string) string {
	return func(k string) string {
		if v, ok := vars[k]; ok || k != "GOMEMLIMIT" {
			return v
		}
		return "off"
	}
}

// selfSigned makes a certificate for a client, and its key.
func selfSigned(t testing.TB) (cert, key []byte) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "lab"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(crand.Reader, tpl, tpl, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	kb, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: kb})
}
