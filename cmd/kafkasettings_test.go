package cmd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/internal/expect"
	"tidemark/kafkastats/broker"
)

// Each command that reads a topic finds its broker in the context.
func TestEveryCommandThatReadsATopicKnowsTheContext(t *testing.T) {
	t.Parallel()
	addr := brokerWith(t, [][]planted{smooth(4000, 1), smooth(4000, 2)})
	config := expect.File(t, "config.yaml", "current-context: lab\ncontexts:\n  lab:\n    kafka:\n      brokers: ["+addr+"]\n")
	prof := filepath.Join(t.TempDir(), "p")
	for _, args := range [][]string{
		{"recommend", "orders", "--field", "event_time"},
		{"observe", "orders", "--field", "event_time", "--from-start", "--profile", prof, "--for", "100ms"},
		{"simulate", "--topic", "orders", "--field", "event_time"},
	} {
		f := newFake(map[string]string{"TIDEMARK_CONFIG": config})
		f.Now = time.Now
		if got := Main(args, f.env); got > exitFindings {
			t.Errorf("%v: exit %d: %s", args, got, f.err.String())
		}
	}
	f := newFake(map[string]string{"TIDEMARK_CONFIG": config})
	var o broker.Options
	if err := (access{}).kafka(f.globals, &o); err != nil { // crosscheck's
		t.Fatal(err)
	}
	opts, err := o.Opts()
	if err != nil {
		t.Fatal(err)
	}
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if err := cl.Ping(context.Background()); err != nil {
		t.Error(err)
	}
}

const avroSchema = `{"type":"record","name":"Order","fields":[{"name":"id","type":"long"},{"name":"event_time","type":{"type":"long","logicalType":"timestamp-millis"}}]}`

// registry speaks the protocol over TLS, to clients with its certificate and the right login only.
func registry(t *testing.T, login string) (srv *httptest.Server, ca, cert, key string) {
	t.Helper()
	srv = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != login {
			http.Error(w, `{"error_code":401,"message":"Unauthorized"}`, http.StatusUnauthorized)
			return
		}
		if !strings.HasPrefix(r.URL.Path, "/schemas/ids/7") {
			http.Error(w, `{"error_code":40403,"message":"Schema not found"}`, http.StatusNotFound)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"schema": avroSchema})
	}))
	certPEM, keyPEM := selfSigned(t)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(certPEM)
	srv.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}
	srv.StartTLS()
	t.Cleanup(srv.Close)
	dir := t.TempDir()
	ca, cert, key = filepath.Join(dir, "ca.pem"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, text := range map[string][]byte{ca: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), cert: certPEM, key: keyPEM} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return srv, ca, cert, key
}

// zigzag is Avro's long.
func zigzag(v int64) []byte {
	return binary.AppendUvarint(nil, uint64(v<<1)^uint64(v>>63))
}

func TestSchemaRegistryWithTLSAndLogin(t *testing.T) {
	addr := brokerWith(t, [][]planted{nil})
	cl, err := kgo.NewClient(kgo.DisableClientMetrics(), kgo.SeedBrokers(addr))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	var rs []*kgo.Record
	for i := range int64(4000) {
		value := append(append([]byte{0, 0, 0, 0, 7}, zigzag(i)...), zigzag(1_796_000_000_000+i*100-i*37%3000)...)
		rs = append(rs, &kgo.Record{Topic: "orders", Value: value, Timestamp: time.UnixMilli(1_796_000_000_000 + i*100)})
	}
	if err := cl.ProduceSync(context.Background(), rs...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	basic, ca, cert, key := registry(t, "Basic YW5uOnMzY3JldA==") // ann:s3cret
	bearer, ca2, cert2, key2 := registry(t, "Bearer s3cret-token")
	secret := expect.File(t, "secret", "s3cret\n")
	of := func(url, login, ca, cert, key string) string {
		return expect.File(t, "config.yaml", fmt.Sprintf("current-context: a\ncontexts:\n  a:\n    kafka:\n      brokers: %s\n      schema_registry: {url: %q, %s, ca: %q, cert: %q, key: %q}\n", addr, url, login, ca, cert, key))
	}
	flags := func(url, ca, cert, key string) []string {
		return []string{"--brokers", addr, "--schema-registry", url, "--schema-registry-ca", ca, "--schema-registry-cert", cert, "--schema-registry-key", key}
	}
	for name, v := range map[string]struct {
		args []string
		env  map[string]string
		fail string
	}{
		"flags":              {flags(basic.URL, ca, cert, key), map[string]string{"TIDEMARK_SCHEMA_REGISTRY_AUTH": "ann:s3cret"}, ""},
		"environment":        {nil, map[string]string{"TIDEMARK_BROKERS": addr, "TIDEMARK_SCHEMA_REGISTRY": bearer.URL, "TIDEMARK_SCHEMA_REGISTRY_AUTH": "s3cret-token", "TIDEMARK_SCHEMA_REGISTRY_CA": ca2, "TIDEMARK_SCHEMA_REGISTRY_CERT": cert2, "TIDEMARK_SCHEMA_REGISTRY_KEY": key2}, ""},
		"context, password":  {nil, map[string]string{"TIDEMARK_CONFIG": of(basic.URL, "username: ann, password_file: "+secret, ca, cert, key)}, ""},
		"context, token":     {nil, map[string]string{"TIDEMARK_CONFIG": of(bearer.URL, "token_env: T", ca2, cert2, key2), "T": "s3cret-token"}, ""},
		"wrong password":     {flags(basic.URL, ca, cert, key), map[string]string{"TIDEMARK_SCHEMA_REGISTRY_AUTH": "ann:s3kret"}, "nauthorized"},
		"no certificate":     {[]string{"--brokers", addr, "--schema-registry", basic.URL, "--schema-registry-ca", ca}, nil, "certificate"},
		"not trusted":        {[]string{"--brokers", addr, "--schema-registry", basic.URL}, nil, "certificate"},
		"half a certificate": {[]string{"--brokers", addr, "--schema-registry", basic.URL, "--schema-registry-cert", cert}, nil, "needs its key"},
		"empty secret":       {nil, map[string]string{"TIDEMARK_CONFIG": of(bearer.URL, "token_env: T", ca2, cert2, key2)}, "token of the schema registry from environment variable T is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(v.env)
			f.Now = time.Now
			got := Main(append([]string{"recommend", "orders", "--format", "avro", "--field", "event_time", "-o", "json"}, v.args...), f.env)
			switch {
			case v.fail == "" && (got > exitFindings || decodeRecommendation(t, f.out.String()).Records != 4000):
				t.Fatalf("exit %d: %s", got, f.err.String())
			case v.fail != "" && (got < exitUsage || !strings.Contains(f.err.String(), v.fail)):
				t.Fatalf("exit %d: %s, want %q", got, f.err.String(), v.fail)
			}
			if strings.Contains(f.err.String(), "s3cret") || strings.Contains(f.err.String(), "s3kret") {
				t.Errorf("a secret is shown: %s", f.err.String())
			}
		})
	}
}
