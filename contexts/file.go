package contexts

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"tidemark/internal/near"
	"tidemark/request"
)

// File is the configuration file: named clusters, like kubectl's contexts.
type File struct {
	Path     string              `yaml:"-"`
	Current  string              `yaml:"current-context"`
	Contexts map[string]*Context `yaml:"contexts"`
}

// Context is one cluster, with the Kafka of its topics. Each key of the file is a field here.
type Context struct {
	Flink           string            `yaml:"flink"`
	Connect         Command           `yaml:"connect"`
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
	Kafka           Kafka             `yaml:"kafka"`
	Prometheus      Prometheus        `yaml:"prometheus"`
}

var quotedValue = regexp.MustCompile("(!![a-z]+) `[^`]*`")

// path is $TIDEMARK_CONFIG, else tidemark/config.yaml under $XDG_CONFIG_HOME or ~/.config.
func (a Access) path() (path string, named bool) {
	if p := a.Getenv("TIDEMARK_CONFIG"); p != "" {
		return p, true
	}
	dir := a.Getenv("XDG_CONFIG_HOME")
	if dir == "" {
		home, err := a.HomeDir()
		if err != nil {
			return "", false
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "tidemark", "config.yaml"), false
}

// Load reads the configuration file. A missing file counts as empty, unless the user named it.
func (a Access) Load() (*File, error) {
	path, named := a.path()
	f := &File{Path: path, Contexts: map[string]*Context{}}
	if path == "" {
		return f, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return f, nil
	}
	if err != nil {
		return nil, request.Badf("configuration cannot be read: %w", err)
	}
	if err := f.parse(text); err != nil {
		return nil, request.Bad(err)
	}
	return f, nil
}

func (f *File) parse(text []byte) error {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return fmt.Errorf("%s: %s", f.Path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return nil
	}
	top := doc.Content[0]
	if err := f.checkKeys(top, "the top level", keys[File]()); err != nil {
		return err
	}
	contexts := child(top, "contexts")
	if contexts != nil {
		if contexts.Kind != yaml.MappingNode {
			return f.at(contexts, "contexts is a map of names to clusters")
		}
		for i := 0; i+1 < len(contexts.Content); i += 2 {
			where := fmt.Sprintf("context %q", contexts.Content[i].Value)
			if err := f.checkKeys(contexts.Content[i+1], where, keys[Context]()); err != nil {
				return err
			}
			if p := child(contexts.Content[i+1], "prometheus"); p != nil {
				if err := f.checkKeys(p, "prometheus of "+where, keys[Prometheus]()); err != nil {
					return err
				}
			}
			if err := f.checkKafka(child(contexts.Content[i+1], "kafka"), where); err != nil {
				return err
			}
		}
	}
	if err := top.Decode(f); err != nil {
		// The quoted value may be a secret in the wrong place.
		return fmt.Errorf("%s: %s", f.Path, quotedValue.ReplaceAllString(strings.TrimPrefix(err.Error(), "yaml: "), "${1}"))
	}
	if f.Current != "" && f.Contexts[f.Current] == nil {
		return f.at(child(top, "current-context"), fmt.Sprintf("current-context is %q; there are %s", f.Current, f.nameList()))
	}
	return nil
}

// checkKeys refuses unknown keys, with their place and the nearest known key.
func (f *File) checkKeys(n *yaml.Node, where string, known []string) error {
	if n.Kind != yaml.MappingNode {
		return f.at(n, where+" is not a map of keys to values")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if slices.Contains(known, key.Value) {
			continue
		}
		if key.Value == "token" || key.Value == "password" {
			return f.at(key, fmt.Sprintf("a %s does not belong in the file; use %s_file, %s_env or %s_command", key.Value, key.Value, key.Value, key.Value))
		}
		return f.at(key, fmt.Sprintf("unknown key %q in %s; near: %s", key.Value, where, strings.Join(near.Words(key.Value, known, 2), ", ")))
	}
	return nil
}

// keys are the keys that one level of the file may have: the tags of its fields.
func keys[T any]() []string {
	var list []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if name, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); name != "" && name != "-" {
			list = append(list, name)
		}
	}
	return list
}

func (f *File) at(n *yaml.Node, msg string) error {
	return fmt.Errorf("%s:%d:%d: %s", f.Path, n.Line, n.Column, msg)
}

func child(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// Names are the names of the contexts, sorted.
func (f *File) Names() []string { return slices.Sorted(maps.Keys(f.Contexts)) }

// Context returns the context with a name.
func (f *File) Context(name string) (*Context, error) {
	if c := f.Contexts[name]; c != nil {
		return c, nil
	}
	return nil, request.Badf("no context %q in %s; there are %s", name, f.Path, f.nameList())
}

func (f *File) nameList() string {
	if len(f.Contexts) == 0 {
		return "no contexts"
	}
	return strings.Join(f.Names(), ", ")
}
