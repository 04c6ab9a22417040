package cmd

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"tidemark/flinkapi"
)

func newContext(g *globals) *cobra.Command {
	c := &cobra.Command{
		Use:     "context",
		Short:   "list, show and choose the clusters of the configuration file",
		Args:    cobra.NoArgs,
		Example: "  tidemark context list\n  tidemark context use prod\n  tidemark context show",
		RunE:    func(*cobra.Command, []string) error { return runContextList(g) },
	}
	name := func(use, short string, run func(*globals, string) error) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short, Args: cobra.MaximumNArgs(1), ValidArgsFunction: g.completeContexts,
			RunE: func(_ *cobra.Command, args []string) error { return run(g, strings.Join(args, "")) },
		}
	}
	c.AddCommand(
		&cobra.Command{Use: "list", Short: "list the contexts", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return runContextList(g) }},
		name("show [NAME]", "show a context, secrets masked", runContextShow),
		name("use NAME", "make a context the current one", runContextUse),
	)
	return c
}

func runContextList(g *globals) error {
	c, err := g.loadConfig()
	if err != nil {
		return err
	}
	if len(c.Contexts) == 0 {
		g.notef("no contexts yet; define them in %s", c.path)
		return nil
	}
	for _, n := range c.names() {
		mark := " "
		if n == c.Current {
			mark = "*"
		}
		fmt.Fprintf(g.Out, "%s %-20s %s\n", mark, oneLine(n), oneLine(flinkapi.MaskURL(c.Contexts[n].Flink)))
	}
	return nil
}

func runContextShow(g *globals, name string) error {
	c, err := g.loadConfig()
	if err != nil {
		return err
	}
	name = first(name, g.context, g.Getenv("TIDEMARK_CONTEXT"), c.Current)
	def := c.Contexts[name]
	if def == nil {
		return usagef("no context %q in %s; there are %s", name, c.path, c.nameList())
	}
	show := func(key, value string) {
		if value != "" && value != "false" {
			fmt.Fprintf(g.Out, "%-17s %s\n", key, oneLine(value))
		}
	}
	show("context", name)
	show("flink", flinkapi.MaskURL(def.Flink))
	show("token_file", def.TokenFile)
	show("token_env", def.TokenEnv)
	show("token_command", commandName(def.TokenCommand))
	show("username", def.Username)
	show("password_file", def.PasswordFile)
	show("password_env", def.PasswordEnv)
	show("password_command", commandName(def.PasswordCommand))
	show("headers", maskedHeaders(def.Headers))
	show("ca", def.CA)
	show("cert", def.Cert)
	show("key", def.Key)
	show("proxy", flinkapi.MaskURL(def.Proxy))
	show("insecure", fmt.Sprint(def.Insecure))
	showKafka(show, def.Kafka)
	return nil
}

func showKafka(show func(key, value string), k kafkaDef) {
	show("kafka.brokers", maskedBrokers(k.Brokers))
	show("kafka.properties", k.Properties)
	for _, key := range slices.Sorted(maps.Keys(k.Client)) {
		show("kafka "+key, k.Client[key])
	}
	r := k.Registry
	show("registry.url", flinkapi.MaskURL(r.URL))
	show("registry.username", r.Username)
	show("registry.password_file", r.PasswordFile)
	show("registry.password_env", r.PasswordEnv)
	show("registry.password_command", commandName(r.PasswordCommand))
	show("registry.token_file", r.TokenFile)
	show("registry.token_env", r.TokenEnv)
	show("registry.token_command", commandName(r.TokenCommand))
	show("registry.ca", r.CA)
	show("registry.cert", r.Cert)
	show("registry.key", r.Key)
}

// commandName hides the arguments of a command: they may hold a secret.
func commandName(command []string) string {
	if len(command) > 1 {
		return command[0] + " …"
	}
	return strings.Join(command, "")
}

func maskedHeaders(headers map[string]string) string {
	var names []string
	for n := range headers {
		names = append(names, n+": ***")
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}

// maskedBrokers hides what stands before the host of a broker, where only a mistake puts it.
func maskedBrokers(brokers []string) string {
	shown := make([]string, len(brokers))
	for i, b := range brokers {
		shown[i] = b
		if at := strings.LastIndex(b, "@"); at >= 0 {
			shown[i] = "***" + b[at:]
		}
	}
	return strings.Join(shown, ",")
}

// runContextUse changes one line of the file and leaves the rest, comments included, alone.
func runContextUse(g *globals, name string) error {
	c, err := g.loadConfig()
	if err != nil {
		return err
	}
	if c.Contexts[name] == nil {
		return usagef("no context %q in %s; there are %s", name, c.path, c.nameList())
	}
	text, err := os.ReadFile(c.path)
	if err != nil {
		return usagef("configuration cannot be read: %w", err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return usagef("%s: %w", c.path, err)
	}
	value, err := yaml.Marshal(name)
	if err != nil {
		return err
	}
	line := "current-context: " + strings.TrimSpace(string(value))
	lines := strings.Split(string(text), "\n")
	if at := child(doc.Content[0], "current-context"); at != nil {
		lines[at.Line-1] = line
	} else {
		lines = append([]string{line}, lines...)
	}
	changed := []byte(strings.Join(lines, "\n"))
	after := &config{path: c.path}
	if err := after.parse(changed); err != nil || after.Current != name {
		return usagef("%s is laid out so that one line cannot be changed; set %q by hand", c.path, line)
	}
	if err := writeAtomic(c.path, changed); err != nil {
		return err
	}
	g.notef("current context is %s", name)
	return nil
}

func (g *globals) completeContexts(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	c, err := g.loadConfig()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.names(), cobra.ShellCompDirectiveNoFileComp
}
