package contexts

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"

	"github.com/twmb/franz-go/pkg/sr"

	"tidemark/kafkastats/broker"
)

// kafka is the Kafka of the context to use. If an address is given by flag or environment, the
// context is not used unless it is named as well: credentials of one cluster are not sent to
// another.
func (a Access) kafka(elsewhere bool) (Kafka, error) {
	if elsewhere && a.Named() == "" {
		return Kafka{}, nil
	}
	def, err := a.Chosen()
	if err != nil {
		return Kafka{}, err
	}
	return def.Kafka, nil
}

// Brokers resolves how Kafka is reached: flag, then TIDEMARK_*, then the context. A properties
// file adds to the properties of the context and overrides them.
func (a Access) Brokers(brokers []string, file string) (broker.Options, error) {
	if text := a.Getenv("TIDEMARK_BROKERS"); len(brokers) == 0 && text != "" {
		brokers = strings.Split(text, ",")
	}
	file = first(file, a.Getenv("TIDEMARK_KAFKA_CONFIG"))
	def, err := a.kafka(len(brokers) > 0 || file != "")
	if err != nil {
		return broker.Options{}, err
	}
	if len(brokers) == 0 && file == "" {
		brokers = def.Brokers
	}
	o := broker.Options{Brokers: brokers, Settings: broker.Properties{}, Getenv: a.Getenv}
	maps.Copy(o.Settings, def.Client)
	if file = first(file, def.Properties); file == "" {
		return o, nil
	}
	p, err := broker.ReadProperties(file)
	if err != nil {
		return o, err
	}
	maps.Copy(o.Settings, p)
	if len(o.Brokers) == 0 && o.Settings["bootstrap.servers"] == "" {
		o.Brokers = def.Brokers
	}
	return o, nil
}

// TLS are PEM files.
type TLS struct{ CA, Cert, Key string }

// SchemaRegistry resolves the registry in the same way; nil if there is none. The registry of a
// context is not used with brokers from elsewhere.
func (a Access) SchemaRegistry(url string, files TLS, elsewhere bool) (*sr.Client, error) {
	url = first(url, a.Getenv("TIDEMARK_SCHEMA_REGISTRY"))
	elsewhere = elsewhere || url != "" || first(a.Getenv("TIDEMARK_BROKERS"), a.Getenv("TIDEMARK_KAFKA_CONFIG")) != ""
	def, err := a.kafka(elsewhere)
	if err != nil {
		return nil, err
	}
	r := def.Registry
	if url = first(url, r.URL); url == "" {
		return nil, nil
	}
	opts := []sr.ClientOpt{sr.URLs(url)}
	config, err := broker.PEMFiles(
		first(files.CA, a.Getenv("TIDEMARK_SCHEMA_REGISTRY_CA"), r.CA),
		first(files.Cert, a.Getenv("TIDEMARK_SCHEMA_REGISTRY_CERT"), r.Cert),
		first(files.Key, a.Getenv("TIDEMARK_SCHEMA_REGISTRY_KEY"), r.Key))
	if err != nil {
		return nil, fmt.Errorf("schema registry: %w", err)
	}
	if config != nil {
		opts = append(opts, sr.DialTLSConfig(config))
	}
	var once sync.Once
	var login func(*http.Request)
	opts = append(opts, sr.PreReq(func(req *http.Request) error {
		// The command runs, or the file is read, only when a schema is requested.
		once.Do(func() { login, err = a.registryLogin(req.Context(), r) })
		if err == nil && login != nil {
			login(req)
		}
		return err
	}))
	c, failed := sr.NewClient(opts...)
	if failed != nil {
		return nil, fmt.Errorf("schema registry: %w", failed)
	}
	return c, nil
}

// registryLogin is TIDEMARK_SCHEMA_REGISTRY_AUTH, else the login of the context; nil: none.
func (a Access) registryLogin(ctx context.Context, r Registry) (func(*http.Request), error) {
	basic := func(user, pass string) func(*http.Request) {
		return func(req *http.Request) { req.SetBasicAuth(user, pass) }
	}
	bearer := func(token string) func(*http.Request) {
		return func(req *http.Request) { req.Header.Set("Authorization", "Bearer "+token) }
	}
	if auth := a.Getenv("TIDEMARK_SCHEMA_REGISTRY_AUTH"); auth != "" {
		if user, pass, ok := strings.Cut(auth, ":"); ok {
			return basic(user, pass), nil
		}
		return bearer(auth), nil
	}
	token, err := Secret{"token of the schema registry", r.TokenFile, r.TokenEnv, r.TokenCommand}.Read(ctx, a.Getenv)
	if err != nil || token != "" {
		return bearer(token), err
	}
	if r.Username == "" {
		return nil, nil
	}
	password, err := Secret{"password of the schema registry", r.PasswordFile, r.PasswordEnv, r.PasswordCommand}.Read(ctx, a.Getenv)
	return basic(r.Username, password), err
}
