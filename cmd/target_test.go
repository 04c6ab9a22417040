package cmd

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tidemark/flinkapi"
)

const twoContexts = `
current-context: dev
contexts:
  dev: {flink: "http://dev:8081", token_env: DEV_TOKEN, headers: {X-Team: blue}}
  prod: {flink: "https://prod", username: me, password_env: PROD_PASSWORD, insecure: true, ca: prod.pem}
`

func TestTargetPrecedence(t *testing.T) {
	for _, c := range []struct {
		name string
		vars map[string]string
		set  func(*globals)
		want flinkapi.ClientOptions
	}{
		{"default", map[string]string{"TIDEMARK_CONFIG": ""}, nil, flinkapi.ClientOptions{URL: "http://localhost:8081"}},
		{"current context", nil, nil, flinkapi.ClientOptions{URL: "http://dev:8081", Token: "dt", Headers: map[string]string{"X-Team": "blue"}}},
		{"context by flag", nil, func(g *globals) { g.context = "prod" }, flinkapi.ClientOptions{URL: "https://prod", User: "me", Pass: "pp", Insecure: true, CAFile: "prod.pem"}},
		{"context by environment", map[string]string{"TIDEMARK_CONTEXT": "prod"}, nil, flinkapi.ClientOptions{URL: "https://prod", User: "me", Pass: "pp", Insecure: true, CAFile: "prod.pem"}},
		{"flag before environment", map[string]string{"TIDEMARK_CONTEXT": "prod"}, func(g *globals) { g.context = "dev" }, flinkapi.ClientOptions{URL: "http://dev:8081", Token: "dt", Headers: map[string]string{"X-Team": "blue"}}},
		{"an address alone takes no credentials along", nil, func(g *globals) { g.flink = "http://other" }, flinkapi.ClientOptions{URL: "http://other"}},
		{"so by environment", map[string]string{"TIDEMARK_FLINK": "http://other"}, nil, flinkapi.ClientOptions{URL: "http://other"}},
		{"an address with a context does", nil, func(g *globals) { g.flink, g.context = "http://other", "dev" },
			flinkapi.ClientOptions{URL: "http://other", Token: "dt", Headers: map[string]string{"X-Team": "blue"}}},
		{"token of the environment", map[string]string{"TIDEMARK_TOKEN": "et"}, nil, flinkapi.ClientOptions{URL: "http://dev:8081", Token: "et", Headers: map[string]string{"X-Team": "blue"}}},
		{"token flag first", map[string]string{"TIDEMARK_TOKEN": "et"}, func(g *globals) { g.auth.tokenEnv = "OTHER_TOKEN" },
			flinkapi.ClientOptions{URL: "http://dev:8081", Token: "ot", Headers: map[string]string{"X-Team": "blue"}}},
		{"header flag first", nil, func(g *globals) { g.auth.headers = []string{"X-Team: red", "X-New:1"} },
			flinkapi.ClientOptions{URL: "http://dev:8081", Token: "dt", Headers: map[string]string{"X-Team": "red", "X-New": "1"}}},
		{"timeouts", map[string]string{"TIDEMARK_TIMEOUT": "3s", "TIDEMARK_FLINK": "http://x"}, nil, flinkapi.ClientOptions{URL: "http://x", Timeout: 3 * time.Second}},
		{"timeout flag first", map[string]string{"TIDEMARK_TIMEOUT": "3s", "TIDEMARK_FLINK": "http://x"}, func(g *globals) { g.timeout = time.Second }, flinkapi.ClientOptions{URL: "http://x", Timeout: time.Second}},
		{"insecure by environment", map[string]string{"TIDEMARK_INSECURE": "true", "TIDEMARK_FLINK": "http://x"}, nil, flinkapi.ClientOptions{URL: "http://x", Insecure: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			vars := map[string]string{"TIDEMARK_CONFIG": write(t, "c.yaml", twoContexts), "DEV_TOKEN": "dt", "PROD_PASSWORD": "pp", "OTHER_TOKEN": "ot"}
			for k, v := range c.vars {
				vars[k] = v
			}
			f := newFake(vars)
			if c.set != nil {
				c.set(f.globals)
			}
			got, err := f.target(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if c.want.Timeout == 0 {
				c.want.Timeout = 10 * time.Second
			}
			if len(got.Headers) == 0 {
				got.Headers = nil
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestTargetMistakes(t *testing.T) {
	for _, c := range []struct {
		vars map[string]string
		set  func(*globals)
		want string
	}{
		{map[string]string{"TIDEMARK_CONTEXT": "nope"}, nil, `no context "nope"`},
		{map[string]string{"TIDEMARK_INSECURE": "perhaps"}, nil, "TIDEMARK_INSECURE"},
		{map[string]string{"TIDEMARK_TIMEOUT": "soon"}, nil, "TIDEMARK_TIMEOUT"},
		{nil, func(g *globals) { g.timeout = -1 }, "--timeout"},
		{nil, func(g *globals) { g.auth.tokenFile = "/nonexistent" }, "token file cannot be read"},
		{nil, func(g *globals) { g.auth.tokenEnv = "UNSET" }, "token from environment variable UNSET is empty"},
		{nil, func(g *globals) { g.auth.username, g.auth.passwordEnv = "me", "UNSET" }, "password from environment variable UNSET is empty"},
		{nil, func(g *globals) { g.auth.headers = []string{"no colon s3cret"} }, "--header number 1"},
	} {
		f := newFake(c.vars)
		if c.set != nil {
			c.set(f.globals)
		}
		_, err := f.target(context.Background())
		wantError(t, err, c.want)
		if exitCode(err, true, false) != exitUsage {
			t.Errorf("%v is no usage error", err)
		}
	}
}

func TestVerboseLogsRequests(t *testing.T) {
	f := newFake(nil)
	f.verbose = true
	o, err := f.target(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	o.Log("GET /overview\x1b[0m")
	if got := f.err.String(); got != "tidemark: GET /overview\\x1b[0m\n" {
		t.Errorf("got %q", got)
	}
}
