package broker

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fixture is a store that keytool wrote.
func fixture(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// mutual is a server with the key of the fixtures that wants the same certificate from its client.
func mutual(t *testing.T) *tls.Config {
	t.Helper()
	s, err := Properties{"k.location": fixture(t, "keystore.p12"), "k.password": "storepass"}.openStore("k")
	if err != nil {
		t.Fatal(err)
	}
	ca, err := os.ReadFile(fixture(t, "ca.pem"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	return &tls.Config{Certificates: []tls.Certificate{*s.pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool, MaxVersion: tls.VersionTLS12}
}

func TestJavaStores(t *testing.T) {
	key := func(file string) Properties {
		return Properties{"ssl.keystore.location": fixture(t, file), "ssl.keystore.password": "storepass", "ssl.key.password": "keypass1"}
	}
	trust := func(file string) Properties {
		return Properties{"ssl.truststore.location": fixture(t, file), "ssl.truststore.password": "storepass"}
	}
	server := mutual(t)
	for _, keys := range []string{"keystore.p12", "keystore.jks"} {
		for _, trusted := range []string{"truststore.p12", "truststore.jks", "ca.pem"} {
			p := key(keys)
			for k, v := range trust(trusted) {
				p[k] = v
			}
			if keys == "keystore.p12" {
				delete(p, "ssl.key.password") // Java's own stores have one password
			}
			p["ssl.keystore.type"], p["ssl.truststore.type"] = "JKS", "JKS" // Kafka's default, whatever the file is
			c, err := p.tlsConfig()
			if err != nil {
				t.Errorf("%s, %s: %v", keys, trusted, err)
				continue
			}
			c.ServerName = "kafka.example"
			if err := handshake(t, server, c); err != nil {
				t.Errorf("%s, %s: %v", keys, trusted, err)
			}
			c.ServerName = "other.example"
			if err := handshake(t, server, c); err == nil {
				t.Errorf("%s, %s: the name was not checked", keys, trusted)
			}
		}
	}
	c, err := Properties{"ssl.truststore.location": fixture(t, "truststore.jks")}.tlsConfig()
	if err != nil {
		t.Fatalf("a JKS truststore without a password, as Java reads it: %v", err)
	}
	c.ServerName, server.ClientAuth = "kafka.example", tls.NoClientCert
	if err := handshake(t, server, c); err != nil {
		t.Errorf("a JKS truststore without a password: %v", err)
	}
}

func TestStoresThatDoNotOpenSayWhyAndNeverTheirPassword(t *testing.T) {
	jceks := filepath.Join(t.TempDir(), "store.jceks")
	text := filepath.Join(t.TempDir(), "store.txt")
	for path, content := range map[string]string{jceks: "\xce\xce\xce\xce\x00", text: "hello"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, v := range map[string]struct {
		p    Properties
		want string
	}{
		"p12 password":        {Properties{"ssl.truststore.location": fixture(t, "truststore.p12"), "ssl.truststore.password": "wrongpass"}, "the PKCS12 store does not open with this password"},
		"p12 no password":     {Properties{"ssl.truststore.location": fixture(t, "truststore.p12")}, "ssl.truststore.password is not set"},
		"p12 keys":            {Properties{"ssl.keystore.location": fixture(t, "truststore.p12"), "ssl.keystore.password": "storepass"}, "ssl.keystore.location"},
		"p12 trust":           {Properties{"ssl.truststore.location": fixture(t, "keystore.p12"), "ssl.truststore.password": "storepass"}, "cannot be read"},
		"jks password":        {Properties{"ssl.keystore.location": fixture(t, "keystore.jks"), "ssl.keystore.password": "wrongpass"}, "the password is wrong"},
		"jks key password":    {Properties{"ssl.keystore.location": fixture(t, "keystore.jks"), "ssl.keystore.password": "storepass"}, "is ssl.key.password right?"},
		"jks keys":            {Properties{"ssl.keystore.location": fixture(t, "truststore.jks"), "ssl.keystore.password": "storepass"}, "holds no private key"},
		"jks trust":           {Properties{"ssl.truststore.location": fixture(t, "keystore.jks"), "ssl.truststore.password": "storepass", "ssl.key.password": "keypass1"}, "no certificate to trust"},
		"jceks":               {Properties{"ssl.keystore.location": jceks}, "keytool -importkeystore"},
		"text":                {Properties{"ssl.truststore.location": text, "ssl.truststore.type": "PEM"}, "neither PEM nor JKS nor PKCS12"},
		"missing":             {Properties{"ssl.truststore.location": "/no/such"}, "no such file"},
		"no certificate":      {Properties{"ssl.truststore.certificates": "hello"}, "no certificate to trust"},
		"chain without a key": {Properties{"ssl.keystore.certificate.chain": "hello"}, "client certificate"},
		"encrypted PEM":       {Properties{"ssl.keystore.certificate.chain": "x", "ssl.keystore.key": "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----"}, "openssl pkey"},
	} {
		_, err := v.p.tlsConfig()
		if err == nil || !strings.Contains(err.Error(), v.want) {
			t.Errorf("%s: %v, want %q", name, err, v.want)
		}
		for _, secret := range []string{"storepass", "wrongpass", "keypass1"} {
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the password is in %v", name, err)
			}
		}
	}
}

// PEM inside a properties file comes on one line: continued lines are joined.
func TestPEMInProperties(t *testing.T) {
	cert, key := certificate(t, "kafka.example")
	oneLine := func(pem []byte) string { return strings.ReplaceAll(strings.TrimSpace(string(pem)), "\n", " \\\n  ") }
	escaped := func(pem []byte) string { return strings.ReplaceAll(string(pem), "\n", "\\n") }
	for name, write := range map[string]func([]byte) string{"continued": oneLine, "escaped": escaped} {
		p, err := ParseProperties(strings.NewReader("ssl.truststore.type=PEM\nssl.truststore.certificates=" + write(cert) +
			"\nssl.keystore.type=PEM\nssl.keystore.certificate.chain=" + write(cert) + "\nssl.keystore.key=" + write(key) + "\nssl.endpoint.identification.algorithm=\n"))
		if err != nil {
			t.Fatal(name, err)
		}
		c, err := p.tlsConfig()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		c.ServerName = "any.example"
		if err := handshake(t, &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: c.RootCAs, MaxVersion: tls.VersionTLS12}, c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPEMFiles(t *testing.T) {
	cert, key := certificate(t, "registry.example")
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, content := range map[string][]byte{certFile: cert, keyFile: key} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if c, err := PEMFiles("", "", ""); c != nil || err != nil {
		t.Errorf("nothing named: %v, %v", c, err)
	}
	if c, err := PEMFiles(certFile, certFile, keyFile); err != nil || len(c.Certificates) != 1 || c.RootCAs == nil {
		t.Errorf("all named: %v", err)
	}
	for _, v := range [][3]string{{"", certFile, ""}, {"", "", keyFile}, {keyFile, "", ""}, {"/no/such", "", ""}, {"", keyFile, certFile}} {
		if _, err := PEMFiles(v[0], v[1], v[2]); err == nil {
			t.Errorf("%v was accepted", v)
		}
	}
}
