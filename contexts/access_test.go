package contexts

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tidemark/flinkapi"
	"tidemark/internal/expect"
	"tidemark/request"
)

// of is the access of a process without a home directory, with these variables.
func of(vars map[string]string) Access {
	return Access{Getenv: func(k string) string { return vars[k] }, HomeDir: func() (string, error) { return "", errors.New("no home") }}
}

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
		set  func(*Access)
		want flinkapi.ClientOptions
	}{
		{"default", map[string]string{"TIDEMARK_CONFIG": ""}, nil, flinkapi.ClientOptions{URL: "http://localhost:8081"}},
		{"current context", nil, nil, flinkapi.ClientOptions{URL: "http://dev:8081", Token: "dt", Headers: map[string]string{"X-Team": "blue"}}},
		{"context by flag", nil, func(a *Access) { a.Context = "prod" }, flinkapi.ClientOptions{URL: "https://prod", User: "me", Pass: "pp", Insecure: true, CAFile: "prod.pem"}},
		{"context by environment", map[string]string{"TIDEMARK_CONTEXT": "prod"}, nil, flinkapi.ClientOptions{URL: "https://prod", User: "me", Pass: "pp", Insecure: true, CAFile: "prod.pem"}},
		{"flag before environment", map[string]string{"TIDEMARK_CONTEXT": "prod"}, func(a *Access) { a.Context = "dev" }, flinkapi.ClientOptions{URL: "http://dev:8081", Token: "dt", Headers: map[string]string{"X-Team": "blue"}}},
		{"an address alone uses no credentials", nil, func(a *Access) { a.Flink = "http://other" }, flinkapi.ClientOptions{URL: "http://other"}},
		{"an address alone by environment", map[string]string{"TIDEMARK_FLINK": "http://other"}, nil, flinkapi.ClientOptions{URL: "http://other"}},
		{"an address with a context uses its credentials", nil, func(a *Access) { a.Flink, a.Context = "http://other", "dev" },
			flinkapi.ClientOptions{URL: "http://other", Token: "dt", Headers: map[string]string{"X-Team": "blue"}}},
		{"token of the environment", map[string]string{"TIDEMARK_TOKEN": "et"}, nil, flinkapi.ClientOptions{URL: "http://dev:8081", Token: "et", Headers: map[string]string{"X-Team": "blue"}}},
		{"token flag first", map[string]string{"TIDEMARK_TOKEN": "et"}, func(a *Access) { a.TokenEnv = "OTHER_TOKEN" },
			flinkapi.ClientOptions{URL: "http://dev:8081", Token: "ot", Headers: map[string]string{"X-Team": "blue"}}},
		{"header flag first", nil, func(a *Access) { a.Headers = []string{"X-Team: red", "X-New:1"} },
			flinkapi.ClientOptions{URL: "http://dev:8081", Token: "dt", Headers: map[string]string{"X-Team": "red", "X-New": "1"}}},
		{"timeouts", map[string]string{"TIDEMARK_TIMEOUT": "3s", "TIDEMARK_FLINK": "http://x"}, nil, flinkapi.ClientOptions{URL: "http://x", Timeout: 3 * time.Second}},
		{"timeout flag first", map[string]string{"TIDEMARK_TIMEOUT": "3s", "TIDEMARK_FLINK": "http://x"}, func(a *Access) { a.Timeout = time.Second }, flinkapi.ClientOptions{URL: "http://x", Timeout: time.Second}},
		{"insecure by environment", map[string]string{"TIDEMARK_INSECURE": "true", "TIDEMARK_FLINK": "http://x"}, nil, flinkapi.ClientOptions{URL: "http://x", Insecure: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			vars := map[string]string{"TIDEMARK_CONFIG": expect.File(t, "c.yaml", twoContexts), "DEV_TOKEN": "dt", "PROD_PASSWORD": "pp", "OTHER_TOKEN": "ot"}
			for k, v := range c.vars {
				vars[k] = v
			}
			f := of(vars)
			if c.set != nil {
				c.set(&f)
			}
			got, err := f.Cluster(context.Background())
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
		set  func(*Access)
		want string
	}{
		{map[string]string{"TIDEMARK_CONTEXT": "nope"}, nil, `no context "nope"`},
		{map[string]string{"TIDEMARK_INSECURE": "perhaps"}, nil, "TIDEMARK_INSECURE"},
		{map[string]string{"TIDEMARK_TIMEOUT": "soon"}, nil, "TIDEMARK_TIMEOUT"},
		{nil, func(a *Access) { a.Timeout = -1 }, "--timeout"},
		{nil, func(a *Access) { a.TokenFile = "/nonexistent" }, "token file cannot be read"},
		{nil, func(a *Access) { a.TokenEnv = "UNSET" }, "token from environment variable UNSET is empty"},
		{nil, func(a *Access) { a.Username, a.PasswordEnv = "me", "UNSET" }, "password from environment variable UNSET is empty"},
		{nil, func(a *Access) { a.Headers = []string{"no colon s3cret"} }, "--header number 1"},
	} {
		f := of(c.vars)
		if c.set != nil {
			c.set(&f)
		}
		_, err := f.Cluster(context.Background())
		expect.Error(t, err, c.want)
		var mistake *request.Mistake
		if !errors.As(err, &mistake) {
			t.Errorf("%v is not a mistake in the request", err)
		}
	}
}
