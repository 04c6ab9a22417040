package flinkapi_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/flinktest"
)

func small(t testing.TB) *flinktest.Synthetic {
	return flinktest.NewSynthetic(flinktest.SyntheticOptions{Vertices: 3, Parallelism: 2})
}

func TestErrorsAreTypedAndOnOneLine(t *testing.T) {
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	defer elsewhere.Close()
	other := strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1)
	for _, tc := range []struct {
		name  string
		fault flinktest.Fault
		is    func(error) bool
		says  []string
	}{
		{"unauthorized", flinktest.Fault{Status: 401}, flinkapi.IsUnauthorized, []string{"401 Unauthorized", "injected fault", "token"}},
		{"forbidden", flinktest.Fault{Status: 403}, flinkapi.IsUnauthorized, []string{"403 Forbidden"}},
		{"election", flinktest.Fault{Status: 503}, flinkapi.IsUnavailable, []string{"503", "leader", "try again"}},
		{"bad gateway", flinktest.Fault{Status: 502, HTML: true}, flinkapi.IsUnavailable, []string{"502", "HTML page"}},
		{"wrong path", flinktest.Fault{Status: 404}, flinkapi.IsNotFound, []string{"404", "no Flink REST API", "prefix"}},
		{"login page", flinktest.Fault{HTML: true}, flinkapi.IsNotFlink, []string{"HTML page", "login"}},
		{"login redirect", flinktest.Fault{Redirect: "/oauth2/login?next=x"}, flinkapi.IsUnauthorized, []string{"login page", "/oauth2/login"}},
		{"redirect elsewhere", flinktest.Fault{Redirect: other + "/ui?token=abc"}, flinkapi.IsNotFlink, []string{"redirected to", other}},
		{"hang up", flinktest.Fault{Hangup: true}, flinkapi.IsUnavailable, []string{"broke off"}},
		{"truncated", flinktest.Fault{Truncate: true}, flinkapi.IsUnavailable, []string{"broke off"}},
		{"half of the JSON", flinktest.Fault{CutJSON: true}, func(err error) bool { return !flinkapi.IsNotFlink(err) }, []string{"truncated JSON"}},
		{"500", flinktest.Fault{Status: 500}, func(err error) bool { return !flinkapi.IsUnavailable(err) }, []string{"500", "injected fault"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := serve(t, flinktest.WithFaults(small(t), tc.fault), nil, nil)
			got, err := c.Capture(context.Background(), flinkapi.CaptureOptions{})
			if err == nil || got != nil || !tc.is(err) {
				t.Fatalf("capture %v, error %v of the wrong kind", got, err)
			}
			for _, part := range tc.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
			if strings.ContainsAny(err.Error(), "\n\r\t") || strings.Contains(err.Error(), "abc") {
				t.Errorf("%q is not one line without secrets", err)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	c, err := flinkapi.NewClient(flinkapi.ClientOptions{URL: "http://me:hunter2@" + addr, RetryWait: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Jobs(context.Background())
	if !flinkapi.IsUnavailable(err) || !strings.Contains(err.Error(), "connection refused") || !strings.Contains(err.Error(), "--flink") {
		t.Errorf("error %v", err)
	}
	if strings.Contains(err.Error(), "hunter2") || strings.Contains(c.URL(), "hunter2") {
		t.Errorf("the password is shown: %v, %s", err, c.URL())
	}
}

// A server of another protocol is not reported as absent.
func TestAnotherProtocolIsNamed(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	kafka, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer kafka.Close()
	go func() { // a broker takes the first bytes for a length that is too large, and hangs up
		for {
			c, err := kafka.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 4))
			c.Close()
		}
	}()
	for url, want := range map[string]string{
		strings.Replace(plain.URL, "http:", "https:", 1): "it answers http, not https; use http:// instead of https://",
		"http://" + kafka.Addr().String():                "a Kafka broker hangs up",
	} {
		c, err := flinkapi.NewClient(flinkapi.ClientOptions{URL: url, RetryWait: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = c.Jobs(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", url, err, want)
		}
	}
}

func TestRetriesHeal(t *testing.T) {
	for _, f := range []flinktest.Fault{{Status: 503, Times: 2}, {Status: 502, Times: 3}, {Hangup: true, Times: 2}, {Truncate: true, Times: 2}, {Status: 500, Times: 1}, {CutJSON: true, Times: 1}} {
		counter := flinktest.Count(flinktest.WithFaults(small(t), f))
		c := serve(t, counter, nil, nil)
		jobs, err := c.Jobs(context.Background())
		if err != nil || len(jobs) != 1 || jobs[0].Name != "synthetic" {
			t.Errorf("%+v: jobs %v, error %v", f, jobs, err)
		}
		if n := len(counter.Requests()); n != f.Times+2 || c.Requests() != n {
			t.Errorf("%+v: %d requests (client says %d), want %d", f, n, c.Requests(), f.Times+2)
		}
	}
}

func TestNoRetriesWhereTheyAreOfNoUse(t *testing.T) {
	for _, status := range []int{400, 401, 403} {
		counter := flinktest.Count(flinktest.WithFaults(small(t), flinktest.Fault{Status: status}))
		serve(t, counter, nil, nil).Jobs(context.Background())
		if n := len(counter.Requests()); n != 1 {
			t.Errorf("status %d: %d requests, want 1", status, n)
		}
	}
}

func TestPrefixAndVersion(t *testing.T) {
	entries := load(t, "healthy-2.3.0")
	for _, tc := range []struct {
		name   string
		opts   flinktest.ReplayOptions
		suffix string
		bare   bool
	}{
		{"root", flinktest.ReplayOptions{}, "", false},
		{"prefix", flinktest.ReplayOptions{Prefix: "/proxy/application_1"}, "/proxy/application_1/", false},
		{"pasted from the web UI", flinktest.ReplayOptions{}, "/#/overview", false},
		{"with version", flinktest.ReplayOptions{Prefix: "/flink"}, "/flink/v1", false},
		{"no /v1", flinktest.ReplayOptions{Prefix: "/flink", NoV1: true}, "/flink", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			counter := flinktest.Count(flinktest.NewReplay(entries, tc.opts))
			c := serve(t, counter, nil, func(o *flinkapi.ClientOptions) { o.URL += tc.suffix })
			for range 2 {
				if _, err := c.Jobs(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			asked := counter.Requests()
			probes := 0
			for _, p := range asked {
				if strings.HasSuffix(p, "/overview") && !strings.HasSuffix(p, "/jobs/overview") {
					probes++
				}
			}
			if want := map[bool]int{false: 1, true: 2}[tc.bare]; probes != want {
				t.Errorf("%d probes, want %d: %v", probes, want, asked)
			}
			if last := asked[len(asked)-1]; strings.Contains(last, "/v1/") == tc.bare {
				t.Errorf("asked %s", last)
			}
		})
	}
}

func TestCredentialsAndHeadersAreSentAndMasked(t *testing.T) {
	var mu sync.Mutex
	seen := http.Header{}
	cluster := small(t)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = r.Header.Clone()
		mu.Unlock()
		cluster.ServeHTTP(w, r)
	})
	var lines []string
	for _, tc := range []struct {
		change func(*flinkapi.ClientOptions)
		header string
		want   string
	}{
		{func(o *flinkapi.ClientOptions) { o.Token = "tok-secret" }, "Authorization", "Bearer tok-secret"},
		{func(o *flinkapi.ClientOptions) { o.User, o.Pass = "ann", "pw-secret" }, "Authorization", "Basic YW5uOnB3LXNlY3JldA=="},
		{func(o *flinkapi.ClientOptions) { o.URL = strings.Replace(o.URL, "://", "://ann:pw-secret@", 1) }, "Authorization", "Basic YW5uOnB3LXNlY3JldA=="},
		{func(o *flinkapi.ClientOptions) { o.Headers = map[string]string{"X-Api-Key": "key-secret"} }, "X-Api-Key", "key-secret"},
	} {
		c := serve(t, h, nil, func(o *flinkapi.ClientOptions) {
			tc.change(o)
			o.Log = func(s string) { lines = append(lines, s) }
		})
		if _, err := c.Jobs(context.Background()); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		if got := seen.Get(tc.header); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.header, got, tc.want)
		}
		mu.Unlock()
		// The error of a cluster that repeats the secret does not show it.
		echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(400)
			w.Write([]byte(`{"errors":["bad credential ` + r.Header.Get(tc.header) + `"]}`))
		})
		_, err := serve(t, echo, nil, tc.change).Jobs(context.Background())
		if err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "YW5u") || !strings.Contains(err.Error(), "***") {
			t.Errorf("error %v shows a secret, or nothing", err)
		}
	}
	if all := strings.Join(lines, "\n"); len(lines) < 8 || strings.Contains(all, "secret") {
		t.Errorf("log lines:\n%s", all)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.pem")
	if err := os.WriteFile(bad, []byte("no pem"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		opts flinkapi.ClientOptions
		says string
	}{
		{flinkapi.ClientOptions{URL: "ftp://x"}, "write it as http://host:8081"},
		{flinkapi.ClientOptions{URL: "http://user:hunter2@bad host"}, "not the URL"},
		{flinkapi.ClientOptions{CAFile: bad}, "no PEM certificate"},
		{flinkapi.ClientOptions{CAFile: bad + "x"}, "cannot be read"},
		{flinkapi.ClientOptions{CertFile: bad}, "needs both files"},
		{flinkapi.ClientOptions{CertFile: bad, KeyFile: bad}, "cannot be used"},
		{flinkapi.ClientOptions{Proxy: "nonsense"}, "http://host:port"},
		{flinkapi.ClientOptions{Headers: map[string]string{"X": "a\nb"}}, "line break"},
	} {
		_, err := flinkapi.NewClient(tc.opts)
		if err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: error %v, want %q", tc.opts, err, tc.says)
		}
	}
}

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "c.pem"), filepath.Join(dir, "k.pem")
	clientCA := writeCertificate(t, cert, key)
	srv := httptest.NewUnstartedServer(small(t))
	srv.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clientCA}
	srv.StartTLS()
	defer srv.Close()
	ca := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		opts flinkapi.ClientOptions
		says string // "" = works
	}{
		{"own CA and client certificate", flinkapi.ClientOptions{CAFile: ca, CertFile: cert, KeyFile: key}, ""},
		{"insecure", flinkapi.ClientOptions{Insecure: true, CertFile: cert, KeyFile: key}, ""},
		{"unknown authority", flinkapi.ClientOptions{CertFile: cert, KeyFile: key}, "CA file"},
		{"no client certificate", flinkapi.ClientOptions{CAFile: ca}, "certificate"},
	} {
		tc.opts.URL, tc.opts.Retries, tc.opts.RetryWait = srv.URL, -1, time.Millisecond
		c, err := flinkapi.NewClient(tc.opts)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Jobs(context.Background())
		if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
			t.Errorf("%s: error %v, want %q", tc.name, err, tc.says)
		}
	}
}

func writeCertificate(t *testing.T, certFile, keyFile string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "client"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "EC PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return pool
}

func TestProxyIsUsed(t *testing.T) {
	cluster := small(t)
	var mu sync.Mutex
	var hosts []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		hosts = append(hosts, r.URL.Host)
		mu.Unlock()
		r.URL = &url.URL{Path: r.URL.Path, RawQuery: r.URL.RawQuery}
		cluster.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	c, err := flinkapi.NewClient(flinkapi.ClientOptions{URL: "http://flink.invalid:8081", Proxy: proxy.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Jobs(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(hosts) != 2 || hosts[0] != "flink.invalid:8081" {
		t.Errorf("the proxy was asked for %v", hosts)
	}
}

func TestContextAndTimeout(t *testing.T) {
	slow := flinktest.WithFaults(small(t), flinktest.Fault{Latency: time.Hour})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := serve(t, slow, nil, nil).Capture(ctx, flinkapi.CaptureOptions{}); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("error %v", err)
	}
	c := serve(t, slow, nil, func(o *flinkapi.ClientOptions) { o.Timeout, o.Retries = 20*time.Millisecond, -1 })
	_, err := c.Capture(context.Background(), flinkapi.CaptureOptions{})
	if !flinkapi.IsUnavailable(err) || !strings.Contains(err.Error(), "--timeout") {
		t.Errorf("error %v", err)
	}
}

func TestForeignJSONIsNotFlink(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(`{"status":"UP"}`)) })
	_, err := serve(t, h, nil, nil).Jobs(context.Background())
	if !flinkapi.IsNotFlink(err) || !strings.Contains(err.Error(), "not of a Flink JobManager") {
		t.Errorf("error %v", err)
	}
}

// Credentials are sent only to the scheme, host and port that they were given for.
func TestRedirectsKeepCredentialsAtTheirAddress(t *testing.T) {
	var seen []http.Header
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Clone())
		small(t).ServeHTTP(w, r)
	}))
	defer elsewhere.Close()
	moved := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+r.URL.RequestURI(), http.StatusTemporaryRedirect)
	})
	for name, change := range map[string]func(*flinkapi.ClientOptions){
		"token":  func(o *flinkapi.ClientOptions) { o.Token = "hunter2hunter2" },
		"user":   func(o *flinkapi.ClientOptions) { o.User, o.Pass = "me", "hunter2hunter2" },
		"header": func(o *flinkapi.ClientOptions) { o.Headers = map[string]string{"X-Api-Key": "hunter2hunter2"} },
	} {
		_, err := serve(t, moved, nil, change).Jobs(context.Background())
		if err == nil || !strings.Contains(err.Error(), "credentials of this address are not sent") || strings.Contains(err.Error(), "hunter2") || len(seen) > 0 {
			t.Errorf("%s: error %v, %d requests arrived", name, err, len(seen))
		}
	}
	if _, err := serve(t, moved, nil, nil).Jobs(context.Background()); err != nil || len(seen) == 0 {
		t.Errorf("without credentials there is nothing to keep: %v", err)
	}
}
