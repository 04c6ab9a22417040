package contexts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const withPrometheus = `
current-context: prod
contexts:
  prod:
    flink: https://flink
    prometheus:
      url: https://metrics.example/prom
      match: [namespace="prod", 'cluster=~"a,b"']
      token_env: PROM_TOKEN
      username: me
      password_env: PROM_PASSWORD
      headers: {X-Scope-OrgID: team}
      ca: ca.pem
  dev: {flink: "http://dev:8081"}
`

// past is what the configuration file, flags and variables resolve to.
func past(t *testing.T, vars map[string]string, of Flags, f PrometheusFlags) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte(withPrometheus), 0o600); err != nil {
		t.Fatal(err)
	}
	a := Access{Flags: of, HomeDir: func() (string, error) { return "", os.ErrNotExist }, Getenv: func(name string) string {
		if name == "TIDEMARK_CONFIG" {
			return path
		}
		return vars[name]
	}}
	o, match, err := a.Prometheus(t.Context(), f)
	return strings.Join([]string{o.URL, o.Token, o.User, o.Pass, o.Headers["X-Scope-OrgID"], o.CAFile, strings.Join(match, " ")}, "|"), err
}

// The Prometheus of a context is used, except with an address and no named context: its secrets are not sent elsewhere.
func TestPrometheusOfAContext(t *testing.T) {
	vars := map[string]string{"PROM_TOKEN": "t", "PROM_PASSWORD": "p"}
	all := `https://metrics.example/prom|t|me|p|team|ca.pem|namespace="prod" cluster=~"a,b"`
	for _, tc := range []struct {
		of    Flags
		flags PrometheusFlags
		more  map[string]string
		want  string
	}{
		{want: all},
		{flags: PrometheusFlags{URL: "https://metrics.example/prom"}, want: all},
		{flags: PrometheusFlags{URL: "http://other:9090"}, want: "http://other:9090||||||"},
		{flags: PrometheusFlags{URL: "http://other:9090", Match: []string{`a="b"`}, Headers: []string{"X-Scope-OrgID: x"}}, want: `http://other:9090||||x||a="b"`},
		{flags: PrometheusFlags{Match: []string{`a="b"`}}, want: `https://metrics.example/prom|t|me|p|team|ca.pem|a="b"`},
		{more: map[string]string{"TIDEMARK_PROMETHEUS": "http://env:9090", "TIDEMARK_PROMETHEUS_TOKEN": "own"}, want: "http://env:9090|own|||||"},
		{of: Flags{Context: "prod", Flink: "http://elsewhere"}, want: all},
	} {
		given := map[string]string{}
		for _, m := range []map[string]string{vars, tc.more} {
			for k, v := range m {
				given[k] = v
			}
		}
		if got, err := past(t, given, tc.of, tc.flags); err != nil || got != tc.want {
			t.Errorf("%+v %+v: %s (%v), want %s", tc.of, tc.flags, got, err, tc.want)
		}
	}
	for _, of := range []Flags{{Context: "dev"}, {Flink: "http://elsewhere"}} {
		if _, err := past(t, vars, of, PrometheusFlags{}); err == nil || !strings.Contains(err.Error(), "which Prometheus") {
			t.Errorf("%+v: %v", of, err)
		}
	}
}

// A given timeout is used for Prometheus too; the default is longer than for REST.
func TestTimeoutOfPrometheus(t *testing.T) {
	for _, tc := range []struct{ flag, env, want time.Duration }{{want: 30 * time.Second}, {flag: 2 * time.Second, want: 2 * time.Second}, {env: 3 * time.Second, want: 3 * time.Second}, {flag: time.Minute, env: time.Second, want: time.Minute}} {
		a := Access{Flags: Flags{Timeout: tc.flag}, HomeDir: func() (string, error) { return "", os.ErrNotExist }, Getenv: func(name string) string {
			if name == "TIDEMARK_TIMEOUT" && tc.env > 0 {
				return tc.env.String()
			}
			return ""
		}}
		if o, _, err := a.Prometheus(t.Context(), PrometheusFlags{URL: "http://p:9090"}); err != nil || o.Timeout != tc.want {
			t.Errorf("%+v: %s, %v", tc, o.Timeout, err)
		}
	}
}

func TestPrometheusOfAContextIsStrict(t *testing.T) {
	for text, want := range map[string]string{
		"contexts:\n  a:\n    prometheus:\n      urll: x\n":       `c.yaml:4:7: unknown key "urll" in prometheus of context "a"; near: url`,
		"contexts:\n  a:\n    prometheus:\n      token: hunter\n": "c.yaml:4:7: a token does not belong in the file",
		"contexts:\n  a:\n    prometheus: http://x\n":             `prometheus of context "a" is not a map`,
	} {
		f := &File{Path: "c.yaml"}
		if err := f.parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	f := &File{Path: "c.yaml"}
	if err := f.parse([]byte(withPrometheus)); err != nil {
		t.Fatal(err)
	}
	shown := ""
	for _, l := range f.Contexts["prod"].Lines() {
		shown += l.Key + "=" + l.Value + "\n"
	}
	for _, want := range []string{"prometheus.url=https://metrics.example/prom\n", "prometheus.headers=X-Scope-OrgID: ***\n", `prometheus.match=namespace="prod"`} {
		if !strings.Contains(shown, want) {
			t.Errorf("shown without %q:\n%s", want, shown)
		}
	}
}
