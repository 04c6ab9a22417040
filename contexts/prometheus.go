package contexts

import (
	"context"
	"time"

	"tidemark/flinkapi"
)

// PrometheusFlags are what the command line says of the Prometheus that holds the past of a cluster.
type PrometheusFlags struct {
	URL       string   `flag:"prometheus" doc:"read the jobs as they were from this Prometheus: {URL}, with its path prefix"`
	Headers   []string `flag:"prometheus-header" doc:"header for Prometheus, such as 'X-Scope-OrgID: team' or 'Name: @FILE'; may repeat"`
	TokenFile string   `flag:"prometheus-token-file" doc:"read the bearer token for Prometheus from this file (default: TIDEMARK_PROMETHEUS_TOKEN)" file:"true"`
}

// Prometheus resolves how Prometheus is reached: flag, then TIDEMARK_PROMETHEUS_*.
func (a Access) Prometheus(ctx context.Context, f PrometheusFlags) (flinkapi.ClientOptions, error) {
	o := flinkapi.ClientOptions{URL: first(f.URL, a.Getenv("TIDEMARK_PROMETHEUS")), User: a.Getenv("TIDEMARK_PROMETHEUS_USERNAME")}
	if o.URL == "" {
		return o, mistakef("which Prometheus holds the past? name it with --prometheus URL or TIDEMARK_PROMETHEUS")
	}
	var err error
	if o.Timeout, err = a.timeout(); err != nil {
		return o, err
	}
	o.Timeout = max(o.Timeout, 30*time.Second) // a query over a day takes longer than an answer of REST
	said := Secret{What: "token of Prometheus", File: f.TokenFile}
	if o.Token, err = a.secret(ctx, said, "TIDEMARK_PROMETHEUS_TOKEN", Secret{}); err != nil {
		return o, err
	}
	if o.User != "" {
		if o.Pass, err = a.secret(ctx, Secret{What: "password of Prometheus"}, "TIDEMARK_PROMETHEUS_PASSWORD", Secret{}); err != nil {
			return o, err
		}
	}
	o.Headers, err = headers(f.Headers)
	return o, err
}
