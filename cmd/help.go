package cmd

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tidemark/flinkapi"
	"tidemark/internal/helptext"
)

// layout groups the commands by the question that brings a reader. A flag that many commands share has its place here.
var layout = helptext.Layout{
	Commands: []helptext.Group{
		{Title: "Event time is stuck, late or wrong:", Names: []string{"triage", "watch", "watermarks", "crosscheck", "snapshot", "explain"}},
		{Title: "Which delay to declare:", Names: []string{"recommend", "observe", "simulate", "whatif"}},
		{Title: "Before a job goes live, and while it runs:", Names: []string{"check", "alerts", "export"}},
		{Title: "This tool:", Names: []string{"demo", "checks", "context", "version", "completion", "help"}},
	},
	Flags: []helptext.Group{
		{Title: "Records", Names: []string{"records", "records-format", "topic", "field", "format", "unit", "zone", "payload-schema", "message", "separator", "max-errors"}},
		{Title: "How much is read", Names: []string{"since", "until", "last", "segments", "for", "within", "hours"}},
		{Title: "Kafka", Names: []string{"brokers", "kafka-config", "rack", "read-committed", "max-bytes-per-second",
			"schema-registry", "schema-registry-ca", "schema-registry-cert", "schema-registry-key"}},
		{Title: "Cluster", Names: []string{"flink", "from", "context", "timeout", "token-file", "token-env", "username", "password-file", "password-env",
			"header", "cert", "key", "ca", "proxy", "insecure"}},
		{Title: "Output", Names: []string{"output", "report", "color", "verbose", "quiet", "help", "version"}},
	},
	Foreign: foreign,
}

// foreign tells a flag of reading a cluster, of a command that reads none and would refuse it.
func foreign(c *cobra.Command, f *pflag.Flag) bool {
	alone, ok := clusterless[below(c)]
	return ok && (slices.Contains(flinkapi.ClusterSettings, f.Name) || alone && f.Name == "context")
}
