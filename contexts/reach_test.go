package contexts

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/internal/expect"
	"tidemark/kafkastats/broker"
)

func TestKafkaComesFromFlagEnvironmentOrContext(t *testing.T) {
	file := expect.File(t, "client.properties", "bootstrap.servers=file:1\nclient.id=mine\n")
	named := expect.File(t, "named.properties", "security.protocol=SSL\n")
	config := expect.File(t, "config.yaml", fmt.Sprintf("current-context: a\ncontexts:\n  a:\n    kafka:\n      brokers: a:1, a:2\n      properties: %s\n      client.rack: r1\n  b:\n    kafka: {bootstrap.servers: 'b:1', security.protocol: SASL_SSL}\n  none: {flink: x}\n", named))
	for name, v := range map[string]struct {
		brokers  []string
		file     string
		context  string
		flink    string
		env      map[string]string
		want     []string
		settings broker.Properties
	}{
		"current context":        {want: []string{"a:1", "a:2"}, settings: broker.Properties{"client.rack": "r1", "security.protocol": "SSL"}},
		"named context":          {context: "b", settings: broker.Properties{"bootstrap.servers": "b:1", "security.protocol": "SASL_SSL"}},
		"context by environment": {env: map[string]string{"TIDEMARK_CONTEXT": "b"}, settings: broker.Properties{"bootstrap.servers": "b:1", "security.protocol": "SASL_SSL"}},
		"context without Kafka":  {context: "none"},
		// Settings of one cluster do not go to another.
		"flag alone":           {brokers: []string{"f:1"}, want: []string{"f:1"}},
		"environment alone":    {env: map[string]string{"TIDEMARK_BROKERS": "e:1,e:2"}, want: []string{"e:1", "e:2"}},
		"file alone":           {file: file, settings: broker.Properties{"bootstrap.servers": "file:1", "client.id": "mine"}},
		"file by environment":  {env: map[string]string{"TIDEMARK_KAFKA_CONFIG": file}, settings: broker.Properties{"bootstrap.servers": "file:1", "client.id": "mine"}},
		"another Flink":        {flink: "http://other"},
		"flag and context":     {brokers: []string{"f:1"}, context: "a", want: []string{"f:1"}, settings: broker.Properties{"client.rack": "r1", "security.protocol": "SSL"}},
		"flag before all":      {brokers: []string{"f:1"}, file: file, context: "b", env: map[string]string{"TIDEMARK_BROKERS": "e:1"}, want: []string{"f:1"}, settings: broker.Properties{"bootstrap.servers": "file:1", "client.id": "mine", "security.protocol": "SASL_SSL"}},
		"file over context":    {file: file, context: "a", settings: broker.Properties{"bootstrap.servers": "file:1", "client.id": "mine", "client.rack": "r1"}},
		"file without brokers": {file: named, context: "a", want: []string{"a:1", "a:2"}, settings: broker.Properties{"client.rack": "r1", "security.protocol": "SSL"}},
	} {
		env := map[string]string{"TIDEMARK_CONFIG": config}
		for k, value := range v.env {
			env[k] = value
		}
		f := of(env)
		f.Context, f.Flink = v.context, v.flink
		o, err := f.Brokers(v.brokers, v.file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if v.settings == nil {
			v.settings = broker.Properties{}
		}
		if diff := cmp.Diff(v.want, o.Brokers); diff != "" {
			t.Errorf("%s: brokers %s", name, diff)
		}
		if diff := cmp.Diff(v.settings, o.Settings); diff != "" {
			t.Errorf("%s: settings %s", name, diff)
		}
	}
	for name, env := range map[string]map[string]string{
		"no such context": {"TIDEMARK_CONFIG": config, "TIDEMARK_CONTEXT": "c"},
		"no such config":  {"TIDEMARK_CONFIG": "/no/such"},
		"no such file":    {"TIDEMARK_CONFIG": config, "TIDEMARK_KAFKA_CONFIG": "/no/such"},
	} {
		f := of(env)
		if _, err := f.Brokers(nil, ""); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
