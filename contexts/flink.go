package contexts

import (
	"context"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/request"
)

// Cluster resolves which cluster to read and how: flag, then TIDEMARK_*, then the context, then
// the default. If the context has `connect`, its program is started first, and `flink` only gives
// scheme and path.
func (a Access) Cluster(ctx context.Context) (flinkapi.ClientOptions, error) {
	def, err := a.Chosen()
	if err != nil {
		return flinkapi.ClientOptions{}, err
	}
	o := flinkapi.ClientOptions{
		URL:      first(a.Address(), def.Flink, flinkapi.DefaultURL),
		User:     first(a.Username, a.env("TIDEMARK_USERNAME"), def.Username),
		CertFile: first(a.Cert, a.env("TIDEMARK_CERT"), def.Cert),
		KeyFile:  first(a.Key, a.env("TIDEMARK_KEY"), def.Key),
		CAFile:   first(a.CA, a.env("TIDEMARK_CA"), def.CA),
		Proxy:    first(a.Proxy, a.env("TIDEMARK_PROXY"), def.Proxy),
		Headers:  map[string]string{},
	}
	if o.Insecure, err = a.insecure(def); err != nil {
		return o, err
	}
	if o.Timeout, err = a.timeout(10 * time.Second); err != nil {
		return o, err
	}
	if o.Token, err = a.secret(ctx, Secret{"token", a.TokenFile, a.TokenEnv, nil}, "TIDEMARK_TOKEN",
		Secret{"", def.TokenFile, def.TokenEnv, def.TokenCommand}); err != nil {
		return o, err
	}
	switch {
	case o.User == "" && a.PasswordFile != "":
		return o, request.Wrong("password-file", "is not used: no user is named (--username)")
	case o.User == "" && a.PasswordEnv != "":
		return o, request.Wrong("password-env", "is not used: no user is named (--username)")
	case o.User != "":
		if o.Pass, err = a.secret(ctx, Secret{"password", a.PasswordFile, a.PasswordEnv, nil}, "TIDEMARK_PASSWORD",
			Secret{"", def.PasswordFile, def.PasswordEnv, def.PasswordCommand}); err != nil {
			return o, err
		}
	}
	flags, err := headers(a.Headers)
	maps.Copy(o.Headers, def.Headers)
	maps.Copy(o.Headers, flags)
	if err == nil && a.Address() == "" && len(def.Connect) > 0 {
		o.URL, err = a.through(ctx, def, o.Proxy)
	}
	return o, err
}

// through returns the address of a cluster that is reached by `connect`.
func (a Access) through(ctx context.Context, def *Context, proxy string) (string, error) {
	if proxy != "" {
		return "", request.Badf("the context has both connect, which forwards a local port, and a proxy: remove one")
	}
	said := first(def.Flink, "http://")
	if !strings.Contains(said, "://") {
		said = "http://" + said
	}
	u, err := url.Parse(said)
	if err != nil {
		return "", request.Badf("flink of the context: %s is not an address", flinkapi.MaskURL(said))
	}
	u.Host, err = a.Tunnels.Open(ctx, def.Connect)
	return u.String(), err
}

// secret reads a secret from the first place that names one: flags, environment, context.
func (a Access) secret(ctx context.Context, said Secret, usual string, of Secret) (string, error) {
	of.What = said.What
	switch {
	case said.File != "" || said.Env != "":
	case a.env(usual) != "":
		said.Env = usual
	case a.env(usual+"_FILE") != "":
		said.File = a.env(usual + "_FILE")
	default:
		said = of
	}
	return said.Read(ctx, a.Getenv)
}

func (a Access) insecure(def *Context) (bool, error) {
	text := a.env("TIDEMARK_INSECURE")
	if a.Insecure || def.Insecure || text == "" {
		return a.Insecure || def.Insecure, nil
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, request.Badf("TIDEMARK_INSECURE is %q; it takes true or false", text)
	}
	return on, nil
}

// timeout is the timeout of a single request that was set, else the usual one.
func (a Access) timeout(usual time.Duration) (time.Duration, error) {
	d := a.Timeout
	if text := a.Getenv("TIDEMARK_TIMEOUT"); d == 0 && text != "" {
		var err error
		if d, err = units.ParseDuration(text); err != nil {
			return 0, request.Badf("TIDEMARK_TIMEOUT is %q: %w", text, err)
		}
	}
	switch {
	case d < 0:
		return 0, request.Wrong("timeout", "is %s; it takes a duration above zero", units.Said(d))
	case d == 0:
		return usual, nil
	}
	return d, nil
}

// headers reads 'Name: value', or 'Name: @FILE' if the value is a secret.
func headers(said []string) (map[string]string, error) {
	m := map[string]string{}
	for i, h := range said {
		name, value, ok := strings.Cut(h, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" {
			return nil, request.Wrong("header", "number %d is not 'Name: value'", i+1)
		}
		if file, isFile := strings.CutPrefix(value, "@"); isFile {
			text, err := Secret{What: "header " + name, File: file}.Read(context.Background(), nil)
			if err != nil {
				return nil, err
			}
			value = text
		}
		m[name] = value
	}
	return m, nil
}
