package contexts

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"tidemark/internal/near"
)

// Kafka is the Kafka of a context. Keys with a dot are client properties, spelled as in the Java
// tools; those that hold a secret belong in the properties file.
type Kafka struct {
	Brokers    List              `yaml:"brokers"`
	Properties string            `yaml:"properties"` // client.properties file
	Registry   Registry          `yaml:"schema_registry"`
	Client     map[string]string `yaml:",inline"`
}

// Registry is a schema registry: an address, or a map with login and TLS.
type Registry struct {
	URL             string   `yaml:"url"`
	Username        string   `yaml:"username"`
	PasswordFile    string   `yaml:"password_file"`
	PasswordEnv     string   `yaml:"password_env"`
	PasswordCommand []string `yaml:"password_command"`
	TokenFile       string   `yaml:"token_file"`
	TokenEnv        string   `yaml:"token_env"`
	TokenCommand    []string `yaml:"token_command"`
	CA              string   `yaml:"ca"`
	Cert            string   `yaml:"cert"`
	Key             string   `yaml:"key"`
}

// List is a YAML list, or one text with commas.
type List []string

// UnmarshalYAML reads both forms.
func (b *List) UnmarshalYAML(n *yaml.Node) error {
	var list []string
	if n.Kind == yaml.ScalarNode {
		for _, one := range strings.Split(n.Value, ",") {
			if one = strings.TrimSpace(one); one != "" {
				list = append(list, one)
			}
		}
	} else if err := n.Decode(&list); err != nil {
		return err
	}
	*b = list
	return nil
}

// UnmarshalYAML reads both forms.
func (r *Registry) UnmarshalYAML(n *yaml.Node) error {
	type plain Registry
	if n.Kind == yaml.ScalarNode {
		r.URL = n.Value
		return nil
	}
	return n.Decode((*plain)(r))
}

// checkKafka refuses unknown keys, and secrets: anyone who can read the file would see them.
func (f *File) checkKafka(n *yaml.Node, where string) error {
	if n == nil || n.Tag == "!!null" {
		return nil
	}
	where = "kafka of " + where
	if n.Kind != yaml.MappingNode {
		return f.at(n, where+" is not a map of keys to values")
	}
	known := keys[Kafka]()
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Value == "schema_registry" && value.Kind != yaml.ScalarNode:
			if err := f.checkKeys(value, "schema_registry of "+where, keys[Registry]()); err != nil {
				return err
			}
		case slices.Contains(known, key.Value):
		case isSecretProperty(key.Value):
			return f.at(key, fmt.Sprintf("%s holds a secret and does not belong in this file: put it into a client.properties file and name that file in properties", key.Value))
		case !strings.Contains(key.Value, "."):
			return f.at(key, fmt.Sprintf("unknown key %q in %s; near: %s", key.Value, where, strings.Join(near.Words(key.Value, known, 2), ", ")))
		}
	}
	return nil
}

// isSecretProperty names the client properties that Kafka itself treats as passwords.
func isSecretProperty(key string) bool {
	key = strings.ToLower(key)
	return strings.HasSuffix(key, "password") || strings.HasSuffix(key, "sasl.jaas.config") || strings.HasSuffix(key, "ssl.keystore.key") || strings.HasSuffix(key, "client.secret")
}
