package cmd

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/units"
)

// target resolves which cluster to read and how: flag, then TIDEMARK_*, then the context of the
// configuration file, then the default.
func (g *globals) target(ctx context.Context) (flinkapi.ClientOptions, error) {
	def, err := g.chosenContext()
	if err != nil {
		return flinkapi.ClientOptions{}, err
	}
	a := g.auth
	o := flinkapi.ClientOptions{
		URL:      first(g.flink, g.Getenv("TIDEMARK_FLINK"), def.Flink, flinkapi.DefaultURL),
		User:     first(a.username, g.Getenv("TIDEMARK_USERNAME"), def.Username),
		CertFile: first(a.cert, g.Getenv("TIDEMARK_CERT"), def.Cert),
		KeyFile:  first(a.key, g.Getenv("TIDEMARK_KEY"), def.Key),
		CAFile:   first(a.ca, g.Getenv("TIDEMARK_CA"), def.CA),
		Proxy:    first(a.proxy, g.Getenv("TIDEMARK_PROXY"), def.Proxy),
		Timeout:  g.timeout,
	}
	if o.Insecure, err = g.insecure(def); err != nil {
		return o, err
	}
	if o.Timeout, err = g.requestTimeout(); err != nil {
		return o, err
	}
	if o.Token, err = g.secretOf(ctx, "token", a.tokenFile, a.tokenEnv, "TIDEMARK_TOKEN",
		secret{file: def.TokenFile, env: def.TokenEnv, command: def.TokenCommand}); err != nil {
		return o, err
	}
	if o.User != "" {
		if o.Pass, err = g.secretOf(ctx, "password", a.passwordFile, a.passwordEnv, "TIDEMARK_PASSWORD",
			secret{file: def.PasswordFile, env: def.PasswordEnv, command: def.PasswordCommand}); err != nil {
			return o, err
		}
	}
	flags, err := headerMap(a.headers)
	if err != nil {
		return o, err
	}
	o.Headers = map[string]string{}
	for _, m := range []map[string]string{def.Headers, flags} {
		for k, v := range m {
			o.Headers[k] = v
		}
	}
	if g.Sleep != nil { // a clock that moves as it is slept on
		o.Now, o.Sleep = g.Now, g.Sleep
	}
	if g.verbose {
		o.Log = func(line string) { g.notef("%s", line) }
	}
	return o, nil
}

// chosenContext is the context to take settings from. An address given by flag or environment stands
// alone unless a context is named as well: credentials of one cluster are not sent to another.
func (g *globals) chosenContext() (*contextDef, error) {
	name := first(g.context, g.Getenv("TIDEMARK_CONTEXT"))
	elsewhere := first(g.flink, g.Getenv("TIDEMARK_FLINK")) != ""
	if name == "" && elsewhere {
		return &contextDef{}, nil
	}
	c, err := g.loadConfig()
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = c.Current
	}
	if name == "" {
		return &contextDef{}, nil
	}
	def := c.Contexts[name]
	if def == nil {
		return nil, usagef("no context %q in %s; there are %s", name, c.path, c.nameList())
	}
	return def, nil
}

// secretOf reads a secret from the first place that names one: flags, environment, context.
func (g *globals) secretOf(ctx context.Context, what, file, env, defaultEnv string, fromContext secret) (string, error) {
	s := secret{what: what, file: file, env: env}
	switch {
	case file != "" || env != "":
	case g.Getenv(defaultEnv) != "":
		s.env = defaultEnv
	case g.Getenv(defaultEnv+"_FILE") != "":
		s.file = g.Getenv(defaultEnv + "_FILE")
	default:
		s.file, s.env, s.command = fromContext.file, fromContext.env, fromContext.command
	}
	return s.read(ctx, g.Getenv)
}

func (g *globals) insecure(def *contextDef) (bool, error) {
	if g.auth.insecure || def.Insecure {
		return true, nil
	}
	text := g.Getenv("TIDEMARK_INSECURE")
	if text == "" {
		return false, nil
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, usagef("TIDEMARK_INSECURE is %q; it takes true or false", text)
	}
	return on, nil
}

func (g *globals) requestTimeout() (time.Duration, error) {
	const usual = 10 * time.Second
	d := g.timeout
	if text := g.Getenv("TIDEMARK_TIMEOUT"); d == 0 && text != "" {
		var err error
		if d, err = units.ParseDuration(text); err != nil {
			return 0, usagef("TIDEMARK_TIMEOUT is %q: %w", text, err)
		}
	}
	switch {
	case d < 0:
		return 0, usagef("--timeout is %s; it takes a duration above zero", d)
	case d == 0:
		return usual, nil
	}
	return d, nil
}

// client connects to nothing yet; it only checks the settings.
func (g *globals) client(ctx context.Context) (*flinkapi.Client, error) {
	o, err := g.target(ctx)
	if err != nil {
		return nil, err
	}
	c, err := flinkapi.NewClient(o)
	if err != nil {
		return nil, usageError{fmt.Errorf("cluster settings: %w", err)}
	}
	return c, nil
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
