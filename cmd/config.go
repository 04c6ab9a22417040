package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"tidemark/internal/near"

	"go.yaml.in/yaml/v3"
)

// config is the configuration file: named clusters, like kubectl's contexts.
type config struct {
	path     string
	Current  string                 `yaml:"current-context"`
	Contexts map[string]*contextDef `yaml:"contexts"`
}

// contextDef is one cluster, with the Kafka its topics are in.
type contextDef struct {
	Flink           string            `yaml:"flink"`
	TokenFile       string            `yaml:"token_file"`
	TokenEnv        string            `yaml:"token_env"`
	TokenCommand    []string          `yaml:"token_command"`
	Username        string            `yaml:"username"`
	PasswordFile    string            `yaml:"password_file"`
	PasswordEnv     string            `yaml:"password_env"`
	PasswordCommand []string          `yaml:"password_command"`
	Headers         map[string]string `yaml:"headers"`
	CA              string            `yaml:"ca"`
	Cert            string            `yaml:"cert"`
	Key             string            `yaml:"key"`
	Proxy           string            `yaml:"proxy"`
	Insecure        bool              `yaml:"insecure"`
	Kafka           kafkaDef          `yaml:"kafka"`
}

// configKeys are the keys of each level; anything else is a mistake.
var (
	configKeys  = []string{"current-context", "contexts"}
	contextKeys = []string{"flink", "token_file", "token_env", "token_command", "username", "password_file",
		"password_env", "password_command", "headers", "ca", "cert", "key", "proxy", "insecure", "kafka"}
)

var quotedValue = regexp.MustCompile("(!![a-z]+) `[^`]*`")

// configPath is $TIDEMARK_CONFIG, else tidemark/config.yaml under $XDG_CONFIG_HOME or ~/.config.
func (g *globals) configPath() (path string, named bool) {
	if p := g.Getenv("TIDEMARK_CONFIG"); p != "" {
		return p, true
	}
	dir := g.Getenv("XDG_CONFIG_HOME")
	if dir == "" {
		home, err := g.HomeDir()
		if err != nil {
			return "", false
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "tidemark", "config.yaml"), false
}

// loadConfig reads the configuration file; one that is not there is empty unless it was named.
func (g *globals) loadConfig() (*config, error) {
	path, named := g.configPath()
	c := &config{path: path, Contexts: map[string]*contextDef{}}
	if path == "" {
		return c, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return c, nil
	}
	if err != nil {
		return nil, usagef("configuration cannot be read: %w", err)
	}
	if err := c.parse(text); err != nil {
		return nil, usageError{err}
	}
	return c, nil
}

func (c *config) parse(text []byte) error {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return fmt.Errorf("%s: %s", c.path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return nil
	}
	top := doc.Content[0]
	if err := c.checkKeys(top, "the top level", configKeys); err != nil {
		return err
	}
	contexts := child(top, "contexts")
	if contexts != nil {
		if contexts.Kind != yaml.MappingNode {
			return c.at(contexts, "contexts is a map of names to clusters")
		}
		for i := 0; i+1 < len(contexts.Content); i += 2 {
			where := fmt.Sprintf("context %q", contexts.Content[i].Value)
			if err := c.checkKeys(contexts.Content[i+1], where, contextKeys); err != nil {
				return err
			}
			if err := c.checkKafka(child(contexts.Content[i+1], "kafka"), where); err != nil {
				return err
			}
		}
	}
	if err := top.Decode(c); err != nil {
		// The quoted value may be a secret that somebody wrote in the wrong place.
		return fmt.Errorf("%s: %s", c.path, quotedValue.ReplaceAllString(strings.TrimPrefix(err.Error(), "yaml: "), "${1}"))
	}
	if c.Current != "" && c.Contexts[c.Current] == nil {
		return c.at(child(top, "current-context"), fmt.Sprintf("current-context is %q; there are %s", c.Current, c.nameList()))
	}
	return nil
}

// checkKeys refuses keys that are not known, with their place and the nearest known one.
func (c *config) checkKeys(n *yaml.Node, where string, known []string) error {
	if n.Kind != yaml.MappingNode {
		return c.at(n, where+" is not a map of keys to values")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if slices.Contains(known, key.Value) {
			continue
		}
		if key.Value == "token" || key.Value == "password" {
			return c.at(key, fmt.Sprintf("a %s does not stand in the file; use %s_file, %s_env or %s_command", key.Value, key.Value, key.Value, key.Value))
		}
		return c.at(key, fmt.Sprintf("unknown key %q in %s; near: %s", key.Value, where, strings.Join(near.Words(key.Value, known, 2), ", ")))
	}
	return nil
}

func (c *config) at(n *yaml.Node, msg string) error {
	return fmt.Errorf("%s:%d:%d: %s", c.path, n.Line, n.Column, msg)
}

func child(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func (c *config) names() []string {
	names := make([]string, 0, len(c.Contexts))
	for n := range c.Contexts {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

func (c *config) nameList() string {
	if len(c.Contexts) == 0 {
		return "no contexts"
	}
	return strings.Join(c.names(), ", ")
}
