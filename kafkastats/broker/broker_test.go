package broker

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
)

func TestProperties(t *testing.T) {
	in := "# comment\n! too\n\nbootstrap.servers = a:1,b:2 \nsecurity.protocol:SASL_SSL\nclient.id me\n" +
		"sasl.jaas.config=org.x.PlainLoginModule required \\\n   username=\"u\" \\\n   password=\"p\\\\\"q\";\nuni=\\u0041\\tB\nempty=\n"
	p, err := ParseProperties(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	want := Properties{"bootstrap.servers": "a:1,b:2", "security.protocol": "SASL_SSL", "client.id": "me",
		"sasl.jaas.config": `org.x.PlainLoginModule required username="u" password="p\"q";`, "uni": "A\tB", "empty": ""}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Fatal(diff)
	}
	module, options, err := jaas(p["sasl.jaas.config"])
	if err != nil || module != "org.x.PlainLoginModule" {
		t.Fatal(module, err)
	}
	if diff := cmp.Diff(map[string]string{"username": "u", "password": `p"q`}, options); diff != "" {
		t.Fatal(diff)
	}
	for text, want := range map[string]Properties{
		"a\\ b\\:c = x\r\nd=\\uD83D\\uDE00\rlone\n":                  {"a b:c": "x", "d": "\U0001F600", "lone": ""},
		"path=C\\:\\\\kafka\\\\ca.pem\nempty =\n=novalue\n":          {"path": `C:\kafka\ca.pem`, "empty": "", "": "novalue"},
		"a=1 \\\n  # not a comment\n! a comment \\\nb:2\n  c\t\t3\n": {"a": "1 # not a comment", "b": "2", "c": "3"},
		"latin=J\xfcrgen\n":                     {"latin": "Jürgen"},
		"utf8=Jürgen\n":                         {"utf8": "Jürgen"},
		"even=a\\\\\nodd=b\\\n\n c=d\nlast=x\\": {"even": `a\`, "odd": "b", "c": "d", "last": "x"},
		"twice=1\ntwice=2\n":                    {"twice": "2"},
		"lonely=\\uD83D x\nquote=\\q\\'\n":      {"lonely": "\uFFFD x", "quote": "q'"},
	} {
		got, err := ParseProperties(strings.NewReader(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	if _, err := ParseProperties(strings.NewReader("a=1\nb=\\u12")); err == nil || !strings.HasPrefix(err.Error(), "2: ") {
		t.Fatalf("bad escape: %v", err)
	}
}

func TestMechanisms(t *testing.T) {
	env := map[string]string{"TIDEMARK_OAUTH_TOKEN": "tok"}
	login := `m required username="u" password="verysecret";`
	for _, v := range []struct{ mechanism, jaas, want, fail string }{
		{"PLAIN", login, "PLAIN", ""},
		{"SCRAM-SHA-256", login, "SCRAM-SHA-256", ""},
		{"SCRAM-SHA-512", login, "SCRAM-SHA-512", ""},
		{"OAUTHBEARER", "", "OAUTHBEARER", ""},
		{"AWS_MSK_IAM", "", "AWS_MSK_IAM", ""},
		{"PLAIN", "", "", "needs username"},
		{"GSSAPI", login, "", "is not supported"},
		{"PLAIN", `m required username="u" password="verysecret"`, "", "not of the form"},
		{"PLAIN", `m required username="u" password="verysecret;`, "", "not of the form"},
	} {
		m, err := Properties{"sasl.mechanism": v.mechanism, "sasl.jaas.config": v.jaas}.mechanism(func(k string) string { return env[k] })
		switch {
		case v.fail != "":
			if err == nil || !strings.Contains(err.Error(), v.fail) || strings.Contains(err.Error(), "verysecret") {
				t.Errorf("%+v: %v", v, err)
			}
		case err != nil || m.Name() != v.want:
			t.Errorf("%+v: %v", v, err)
		}
	}
	if _, err := (Properties{"sasl.mechanism": "OAUTHBEARER"}).mechanism(func(string) string { return "" }); err == nil {
		t.Error("OAUTHBEARER without any token was accepted")
	}
}

// certificate makes a self-signed pair for a host name.
func certificate(t *testing.T, host string) (certPEM, keyPEM []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, tpl, tpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	kb, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: kb})
}

func handshake(t *testing.T, server, client *tls.Config) error {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", server)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		if c, err := l.Accept(); err == nil {
			_, _ = io.Copy(io.Discard, c) // runs the handshake
			_ = c.Close()
		}
	}()
	c, err := tls.Dial("tcp", l.Addr().String(), client)
	if err == nil {
		err = c.Close()
	}
	return err
}

func TestTLS(t *testing.T) {
	cert, key := certificate(t, "kafka.example")
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(t.TempDir(), "trust.pem")
	if err := os.WriteFile(store, cert, 0o600); err != nil {
		t.Fatal(err)
	}
	server := &tls.Config{Certificates: []tls.Certificate{pair}}
	for _, v := range []struct {
		name string
		p    Properties
		host string
		ok   bool
	}{
		{"trusted", Properties{"ssl.truststore.location": store}, "kafka.example", true},
		{"wrong host", Properties{"ssl.truststore.location": store}, "other.example", false},
		{"host not checked", Properties{"ssl.truststore.location": store, "ssl.endpoint.identification.algorithm": ""}, "other.example", true},
		{"untrusted", Properties{}, "kafka.example", false},
		{"untrusted, host not checked", Properties{"ssl.endpoint.identification.algorithm": ""}, "kafka.example", false},
		{"inline and mutual", Properties{"ssl.truststore.certificates": string(cert), "ssl.keystore.certificate.chain": string(cert), "ssl.keystore.key": string(key)}, "kafka.example", true},
	} {
		c, err := v.p.tlsConfig()
		if err != nil {
			t.Errorf("%s: %v", v.name, err)
			continue
		}
		c.ServerName = v.host
		if err := handshake(t, server, c); (err == nil) != v.ok {
			t.Errorf("%s: %v", v.name, err)
		}
	}
}

func TestOptsSayWhatIsMissing(t *testing.T) {
	for _, v := range []struct {
		o    Options
		want string
	}{
		{Options{}, "no broker given"},
		{Options{Brokers: []string{"http://h:9092/"}}, `broker "http://h:9092/": http:// is not part of a broker's address; write h:9092`},
		{Options{Brokers: []string{"a:1"}, Settings: Properties{"security.protocol": "TLS"}}, "is none of"},
		{Options{Brokers: []string{"a:1"}, Settings: Properties{"security.protocol": "SASL_SSL"}}, "GSSAPI is not supported"},
	} {
		if _, err := v.o.Opts(); err == nil || !strings.Contains(err.Error(), v.want) {
			t.Errorf("%v, want %q", err, v.want)
		}
	}
	if _, err := (Options{Settings: Properties{"bootstrap.servers": "a:1, b:2"}}).Opts(); err != nil {
		t.Error(err)
	}
}

// The port of Flink's REST API is taken for a broker's: nothing comes back, and the reading times out.
func TestExplainNamesAServerOfHTTP(t *testing.T) {
	rest := httptest.NewServer(http.NotFoundHandler())
	defer rest.Close()
	broker, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Close()
	go func() {
		for {
			c, err := broker.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	for address, want := range map[net.Addr]string{rest.Listener.Addr(): " speaks HTTP", broker.Addr(): "no Kafka broker answers"} {
		err := &net.OpError{Op: "read", Net: "tcp", Addr: address, Err: os.ErrDeadlineExceeded}
		if got := Explain(err); !strings.Contains(got.Error(), want) || !errors.Is(got, os.ErrDeadlineExceeded) {
			t.Errorf("%s: %v, want %q", address, got, want)
		}
	}
}

func TestExplain(t *testing.T) {
	for want, err := range map[string]error{
		"refused the login": fmt.Errorf("x: %w", kerr.SaslAuthenticationFailed),
		"no permission":     kerr.TopicAuthorizationFailed,
		"no Kafka broker":   &net.OpError{Op: "dial", Err: errors.New("refused")},
		"TLS to Kafka":      errors.New("tls: bad certificate"),
	} {
		if got := Explain(err); got == nil || !strings.Contains(got.Error(), want) || !errors.Is(got, err) {
			t.Errorf("%v: %v", err, got)
		}
	}
	if Explain(nil) != nil {
		t.Error("nil became an error")
	}
}

func FuzzProperties(f *testing.F) {
	f.Add("a=b\\\n c\nsasl.jaas.config=m required x=\"y\";")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParseProperties(strings.NewReader(s))
		if err == nil {
			_, _, _ = jaas(p["sasl.jaas.config"])
		}
	})
}
