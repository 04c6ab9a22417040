package cmd

import (
	"context"

	"tidemark/contexts"
	"tidemark/flinkapi"
	"tidemark/request"
)

// reach is how the flags, the environment and the configuration file say that things are reached.
func (g *globals) reach() contexts.Access {
	return contexts.Access{Flags: g.cluster, Getenv: g.Getenv, HomeDir: g.HomeDir, Alone: g.alone, Tunnels: g.tunnels}
}

// target is which cluster to read, and how.
func (g *globals) target(ctx context.Context) (flinkapi.ClientOptions, error) {
	o, err := g.reach().Cluster(ctx)
	if g.Sleep != nil { // a clock that moves as it is slept on
		o.Now, o.Sleep = g.Now, g.Sleep
	}
	o.Log = g.log()
	return o, err
}

// log says every request to who asked for details, nil where nobody did.
func (g *globals) log() func(line string) {
	if !g.verbose {
		return nil
	}
	return func(line string) { g.notef("%s", line) }
}

// client connects to nothing yet; it only checks the settings.
func (g *globals) client(ctx context.Context) (*flinkapi.Client, error) {
	o, err := g.target(ctx)
	if err != nil {
		return nil, err
	}
	c, err := flinkapi.NewClient(o)
	if err != nil {
		return nil, request.Badf("cluster settings: %w", err)
	}
	return c, nil
}
