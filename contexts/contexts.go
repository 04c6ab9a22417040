// Package contexts resolves how a cluster, its Kafka and its schema registry are reached: from
// flags, the environment, and the contexts of the configuration file. It also reads the secrets
// that these name.
package contexts

import (
	"time"
)

// Flags are the command-line flags for the cluster. No flag takes a secret as its value.
type Flags struct {
	Flink        string        `flag:"flink" doc:"REST address of the cluster (default http://localhost:8081)"`
	Context      string        `flag:"context" doc:"context of the configuration file to use"`
	Timeout      time.Duration `flag:"timeout" doc:"give up on a single request after this long (default 10 s)"`
	TokenFile    string        `flag:"token-file" doc:"read the bearer token from this file"`
	TokenEnv     string        `flag:"token-env" doc:"read the bearer token from this environment variable (default TIDEMARK_TOKEN)"`
	Username     string        `flag:"username" doc:"user name for basic authentication"`
	PasswordFile string        `flag:"password-file" doc:"read the password from this file"`
	PasswordEnv  string        `flag:"password-env" doc:"read the password from this environment variable (default TIDEMARK_PASSWORD)"`
	Headers      []string      `flag:"header" doc:"header for every request, {'Name: value'} or 'Name: @FILE'; may repeat"`
	Cert         string        `flag:"cert" doc:"client certificate, PEM file"`
	Key          string        `flag:"key" doc:"key of the client certificate, PEM file"`
	CA           string        `flag:"ca" doc:"certificate authority to trust, PEM file"`
	Proxy        string        `flag:"proxy" doc:"HTTP proxy to use"`
	Insecure     bool          `flag:"insecure" doc:"do not verify the server's certificate"`
}

// Access decides how a cluster, Kafka and a schema registry are reached.
type Access struct {
	Flags
	Getenv  func(string) string
	HomeDir func() (string, error) // where the configuration directory is without XDG_CONFIG_HOME
	Tunnels *Tunnels               // programs started by `connect` of contexts
	Alone   bool                   // use the context as it is: the environment describes one cluster only
}

// env is an environment variable that describes the cluster to read.
func (a Access) env(name string) string {
	if a.Alone {
		return ""
	}
	return a.Getenv(name)
}

// Named is the context named by flag or environment, "" if none is.
func (a Access) Named() string { return first(a.Context, a.env("TIDEMARK_CONTEXT")) }

// Address is the cluster address given by flag or environment, "" if none is.
func (a Access) Address() string { return first(a.Flink, a.env("TIDEMARK_FLINK")) }

// Chosen is the context to take settings from. If an address is given by flag or environment, no
// context is used unless it is named as well: credentials of one cluster are not sent to another.
func (a Access) Chosen() (*Context, error) {
	name := a.Named()
	if name == "" && a.Address() != "" {
		return &Context{}, nil
	}
	f, err := a.Load()
	if err != nil {
		return nil, err
	}
	if name = first(name, f.Current); name == "" {
		return &Context{}, nil
	}
	return f.Context(name)
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
