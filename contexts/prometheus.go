package contexts

import (
	"context"
	"maps"
	"time"

	"tidemark/flinkapi"
	"tidemark/request"
)

// Prometheus holds the metrics history of a cluster: Prometheus itself, or a server with the same
// API.
type Prometheus struct {
	URL             string            `yaml:"url"`   // with its path prefix
	Match           List              `yaml:"match"` // label matchers that pick the cluster, such as namespace="prod"
	TokenFile       string            `yaml:"token_file"`
	TokenEnv        string            `yaml:"token_env"`
	TokenCommand    []string          `yaml:"token_command"`
	Username        string            `yaml:"username"`
	PasswordFile    string            `yaml:"password_file"`
	PasswordEnv     string            `yaml:"password_env"`
	PasswordCommand []string          `yaml:"password_command"`
	Headers         map[string]string `yaml:"headers"` // such as X-Scope-OrgID of a tenant
	CA              string            `yaml:"ca"`
	Cert            string            `yaml:"cert"`
	Key             string            `yaml:"key"`
	Proxy           string            `yaml:"proxy"`
	Insecure        bool              `yaml:"insecure"`
}

// PrometheusFlags are the command-line flags for Prometheus.
type PrometheusFlags struct {
	URL       string   `flag:"prometheus" doc:"read the jobs' past from this Prometheus: {URL} with its path prefix (default: the context's)"`
	Match     []string `flag:"match" doc:"label matcher that picks the cluster's series, such as namespace=\"prod\"; may repeat"`
	Headers   []string `flag:"prometheus-header" doc:"header for Prometheus, such as 'X-Scope-OrgID: team' or 'Name: @FILE'; may repeat"`
	TokenFile string   `flag:"prometheus-token-file" doc:"read the bearer token for Prometheus from this file (default: TIDEMARK_PROMETHEUS_TOKEN)" file:"true"`
}

// Prometheus resolves how Prometheus is reached and which of its series belong to the cluster:
// flag, then TIDEMARK_PROMETHEUS_*, then the context. If an address is given by flag or
// environment, the context is not used unless it is named as well: credentials of one server are not
// sent to another.
func (a Access) Prometheus(ctx context.Context, f PrometheusFlags) (o flinkapi.ClientOptions, match []string, err error) {
	known, err := a.Chosen()
	if err != nil {
		return o, nil, err
	}
	def, own := known.Prometheus, first(f.URL, a.Getenv("TIDEMARK_PROMETHEUS"))
	if own != "" && own != def.URL && a.Named() == "" {
		def = Prometheus{}
	}
	o = flinkapi.ClientOptions{
		URL:      first(own, def.URL),
		User:     first(a.Getenv("TIDEMARK_PROMETHEUS_USERNAME"), def.Username),
		CertFile: def.Cert, KeyFile: def.Key, CAFile: def.CA, Proxy: def.Proxy, Insecure: def.Insecure,
		Headers: map[string]string{},
	}
	if o.URL == "" {
		return o, nil, request.Badf("which Prometheus holds the past? name it with --prometheus URL, TIDEMARK_PROMETHEUS, or prometheus: of a context")
	}
	if o.Timeout, err = a.timeout(30 * time.Second); err != nil { // a query over a day takes longer than a REST answer
		return o, nil, err
	}
	if o.Token, err = a.secret(ctx, Secret{What: "token of Prometheus", File: f.TokenFile}, "TIDEMARK_PROMETHEUS_TOKEN",
		Secret{"", def.TokenFile, def.TokenEnv, def.TokenCommand}); err != nil {
		return o, nil, err
	}
	if o.User != "" {
		if o.Pass, err = a.secret(ctx, Secret{What: "password of Prometheus"}, "TIDEMARK_PROMETHEUS_PASSWORD",
			Secret{"", def.PasswordFile, def.PasswordEnv, def.PasswordCommand}); err != nil {
			return o, nil, err
		}
	}
	flags, err := headers(f.Headers)
	maps.Copy(o.Headers, def.Headers)
	maps.Copy(o.Headers, flags)
	if match = f.Match; match == nil {
		match = def.Match
	}
	return o, match, err
}
