package cmd

import (
	"context"

	"github.com/twmb/franz-go/pkg/sr"

	"tidemark/contexts"
	"tidemark/flinkapi"
	"tidemark/kafkastats/broker"
	"tidemark/request"
)

// access says how Kafka and a schema registry are reached.
type access struct {
	Brokers  request.List `flag:"brokers" doc:"Kafka brokers, host:port (TIDEMARK_BROKERS, or bootstrap.servers of the client properties)"`
	Config   string       `flag:"kafka-config" doc:"client.properties file as the Java tools read it (TIDEMARK_KAFKA_CONFIG)"`
	Registry registryAccess
}

// registryAccess says how a schema registry is reached.
type registryAccess struct {
	URL string `flag:"schema-registry" doc:"schema registry URL (TIDEMARK_SCHEMA_REGISTRY; login by TIDEMARK_SCHEMA_REGISTRY_AUTH=user:password or a bearer token)"`
	CA  string `flag:"schema-registry-ca" doc:"certificate authority of the schema registry, PEM file (TIDEMARK_SCHEMA_REGISTRY_CA)"`
	Crt string `flag:"schema-registry-cert" doc:"client certificate for the schema registry, PEM file (TIDEMARK_SCHEMA_REGISTRY_CERT)"`
	Key string `flag:"schema-registry-key" doc:"key of that certificate, PEM file (TIDEMARK_SCHEMA_REGISTRY_KEY)"`
}

// kafka is the connection that flags, environment and context add up to.
func (a access) kafka(g *globals, into *broker.Options) error {
	o, err := g.reach().Brokers(a.Brokers, a.Config)
	if err != nil {
		return request.Bad(err)
	}
	o.Rack = into.Rack
	*into = o
	return nil
}

// registry is the schema registry; nil when none was named. That of a context does not go with brokers
// from elsewhere.
func (a access) registry(g *globals) (*sr.Client, error) {
	r := a.Registry
	client, err := g.reach().SchemaRegistry(r.URL, contexts.TLS{CA: r.CA, Cert: r.Crt, Key: r.Key}, len(a.Brokers) > 0 || a.Config != "")
	if err != nil {
		return nil, request.Bad(err)
	}
	return client, nil
}

// gateAccess finds how the systems that a policy names are reached.
type gateAccess struct{ g *globals }

// Kafka implements gate.Access.
func (a gateAccess) Kafka(brokers []string, config string) (broker.Options, error) {
	o, err := a.g.reach().Brokers(brokers, config)
	return o, request.Bad(err)
}

// Registry implements gate.Access.
func (a gateAccess) Registry(url string, brokers []string, config string) (*sr.Client, error) {
	c, err := a.g.reach().SchemaRegistry(url, contexts.TLS{}, len(brokers) > 0 || config != "")
	return c, request.Bad(err)
}

// Gateway is the connection to a SQL gateway by what flags and environment say. The settings of a
// context belong to its cluster, and its credentials are not sent elsewhere.
func (a gateAccess) Gateway(ctx context.Context, url string) (flinkapi.ClientOptions, error) {
	alone := *a.g
	alone.cluster.Flink, alone.cluster.Context = url, ""
	alone.Getenv = func(name string) string {
		if name == "TIDEMARK_CONTEXT" {
			return ""
		}
		return a.g.Getenv(name)
	}
	return alone.target(ctx)
}
