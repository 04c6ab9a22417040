package contexts

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/internal/expect"
)

func TestConfigIsStrict(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"top level", "current-contxt: a\n", `c.yaml:1:1: unknown key "current-contxt" in the top level; near: current-context`},
		{"context", "contexts:\n  a:\n    flink: x\n    isecure: true\n", `c.yaml:4:5: unknown key "isecure" in context "a"; near: insecure`},
		{"token", "contexts:\n  a:\n    token: x\n", `c.yaml:3:5: a token does not belong in the file; use token_file`},
		{"password", "contexts:\n  a:\n    password: x\n", `c.yaml:3:5: a password does not belong in the file`},
		{"no map", "contexts: [a]\n", "c.yaml:1:11: contexts is a map"},
		{"context no map", "contexts:\n  a: http://x\n", `c.yaml:2:6: context "a" is not a map`},
		{"not yaml", "contexts: [", "c.yaml: line 1: "},
		{"scalar", "hello\n", "c.yaml:1:1: the top level is not a map"},
		{"wrong type", "contexts:\n  a:\n    insecure: perhaps\n", "line 3: cannot unmarshal"},
		{"secret in the wrong place", "contexts:\n  a:\n    password_command: hunter2\n", "line 3: cannot unmarshal !!str into []string"},
		{"connect of a shell", "contexts:\n  a:\n    connect: sh -c 'x'\n", "c.yaml: line 3: '\\'' in a command means nothing without a shell: write it as a list"},
		{"kafka key", "contexts:\n  a:\n    kafka:\n      broker: x\n", `c.yaml:4:7: unknown key "broker" in kafka of context "a"; near: brokers`},
		{"kafka no map", "contexts:\n  a:\n    kafka: [x]\n", `c.yaml:3:12: kafka of context "a" is not a map`},
		{"kafka secret", "contexts:\n  a:\n    kafka:\n      sasl.jaas.config: x\n", `c.yaml:4:7: sasl.jaas.config holds a secret`},
		{"kafka key password", "contexts:\n  a:\n    kafka: {ssl.key.password: x}\n", `ssl.key.password holds a secret`},
		{"registry key", "contexts:\n  a:\n    kafka:\n      schema_registry: {uri: x}\n", `c.yaml:4:25: unknown key "uri" in schema_registry of kafka of context "a"; near: url`},
		{"registry password", "contexts:\n  a:\n    kafka:\n      schema_registry: {password: x}\n", `a password does not belong in the file`},
		{"current unknown", "current-context: b\ncontexts:\n  a: {flink: x}\n", `c.yaml:1:18: current-context is "b"; there are a`},
		{"current of none", "current-context: b\n", `current-context is "b"; there are no contexts`},
	} {
		err := (&File{Path: "c.yaml", Contexts: map[string]*Context{}}).parse([]byte(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestConfigHoldsEveryKey(t *testing.T) {
	c := &File{Path: "c.yaml", Contexts: map[string]*Context{}}
	err := c.parse([]byte(`
current-context: a
contexts:
  a:
    flink: https://flink
    connect: kubectl  port-forward svc/x :8081
    token_file: tf
    token_env: te
    token_command: [print, token]
    username: u
    password_file: pf
    password_env: pe
    password_command: [print]
    headers: {X: y}
    ca: ca
    cert: cert
    key: key
    proxy: proxy
    insecure: true
    kafka:
      brokers: [a, b]
      properties: client.properties
      security.protocol: SSL
      schema_registry:
        url: https://registry
        username: u
        password_file: pf
        password_env: pe
        password_command: [print]
        token_file: tf
        token_env: te
        token_command: [print, token]
        ca: ca
        cert: cert
        key: key
    prometheus: {url: https://prometheus, match: 'a="b"'}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := &Context{"https://flink", Command{"kubectl", "port-forward", "svc/x", ":8081"}, "tf", "te", []string{"print", "token"}, "u", "pf", "pe", []string{"print"},
		map[string]string{"X": "y"}, "ca", "cert", "key", "proxy", true, Kafka{
			Brokers: List{"a", "b"}, Properties: "client.properties", Client: map[string]string{"security.protocol": "SSL"},
			Registry: Registry{"https://registry", "u", "pf", "pe", []string{"print"}, "tf", "te", []string{"print", "token"}, "ca", "cert", "key"}}, Prometheus{URL: "https://prometheus", Match: List{`a="b"`}}}
	if d := cmp.Diff(want, c.Contexts["a"]); d != "" {
		t.Error(d)
	}
}

func TestConfigPath(t *testing.T) {
	for _, c := range []struct {
		vars  map[string]string
		want  string
		named bool
	}{
		{map[string]string{"TIDEMARK_CONFIG": "/x/c.yaml", "XDG_CONFIG_HOME": "/y"}, "/x/c.yaml", true},
		{map[string]string{"XDG_CONFIG_HOME": "/y"}, filepath.Join("/y", "tidemark", "config.yaml"), false},
		{nil, filepath.Join("/home/me", ".config", "tidemark", "config.yaml"), false},
	} {
		f := of(c.vars)
		f.HomeDir = func() (string, error) { return "/home/me", nil }
		if got, named := f.path(); got != c.want || named != c.named {
			t.Errorf("%v: %s %v, want %s %v", c.vars, got, named, c.want, c.named)
		}
	}
}

func TestConfigThatIsNotThere(t *testing.T) {
	f := of(nil)
	if c, err := f.Load(); err != nil || len(c.Contexts) != 0 {
		t.Errorf("no home: %v, %v", c, err)
	}
	f = of(map[string]string{"XDG_CONFIG_HOME": t.TempDir()})
	if c, err := f.Load(); err != nil || len(c.Contexts) != 0 {
		t.Errorf("no File: %v, %v", c, err)
	}
	f = of(map[string]string{"TIDEMARK_CONFIG": filepath.Join(t.TempDir(), "gone.yaml")})
	_, err := f.Load()
	expect.Error(t, err, "cannot be read")
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v does not wrap its cause", err)
	}
	f = of(map[string]string{"TIDEMARK_CONFIG": expect.File(t, "empty.yaml", "# nothing yet\n")})
	if c, err := f.Load(); err != nil || len(c.Contexts) != 0 {
		t.Errorf("empty File: %v, %v", c, err)
	}
}

func TestUseChangesOneLine(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"replaces", "# a\ncurrent-context: a # now\ncontexts:\n  a: {}\n  b: {}\n", "# a\ncurrent-context: b\ncontexts:\n  a: {}\n  b: {}\n"},
		{"adds", "contexts:\n  a: {}\n  b: {}\n", "current-context: b\ncontexts:\n  a: {}\n  b: {}\n"},
	} {
		f, err := of(map[string]string{"TIDEMARK_CONFIG": expect.File(t, "c.yaml", c.text)}).Load()
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Use("b")
		if d := cmp.Diff(c.want, string(got)); d != "" || err != nil {
			t.Errorf("%s: %v %s", c.name, err, d)
		}
	}
	f, err := of(map[string]string{"TIDEMARK_CONFIG": expect.File(t, "c.yaml", "{current-context: a, contexts: {a: {}, b: {}}}\n")}).Load()
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Use("b")
	expect.Error(t, err, "by hand")
	_, err = f.Use("c")
	expect.Error(t, err, `no context "c" in`)
}

func TestLinesMaskSecrets(t *testing.T) {
	c := Context{Flink: "https://u:s3cret@flink", Proxy: "http://u:s3cret@proxy", TokenCommand: []string{"vault", "s3cret"}, CA: "ca.pem",
		Headers: map[string]string{"B": "s3cret", "A": "s3cret"}, Kafka: Kafka{Brokers: List{"s3cret@a:1", "b:2"}, Client: map[string]string{"client.rack": "r1"},
			Registry: Registry{URL: "https://ann:s3cret@registry:8081/x", PasswordCommand: []string{"pass", "s3cret"}}}}
	want := []Line{{"flink", "https://***@flink"}, {"token_command", "vault …"}, {"headers", "A: ***, B: ***"}, {"ca", "ca.pem"}, {"proxy", "http://***@proxy"},
		{"kafka.brokers", "***@a:1,b:2"}, {"kafka.schema_registry.url", "https://***@registry:8081/x"}, {"kafka.schema_registry.password_command", "pass …"}, {"kafka.client.rack", "r1"}}
	if d := cmp.Diff(want, c.Lines()); d != "" {
		t.Error(d)
	}
}
