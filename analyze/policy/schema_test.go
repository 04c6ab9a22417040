package policy

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"tidemark/internal/keytable"
	"tidemark/kafkastats/decode"
)

const checkDir = "../../testdata/check"

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("policy.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("policy.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plain is the data of a node as an editor with a YAML language server sees it.
func plain(n *yaml.Node) any {
	switch n.Kind {
	case yaml.DocumentNode:
		return plain(n.Content[0])
	case yaml.AliasNode:
		return plain(n.Alias)
	case yaml.SequenceNode:
		list := []any{}
		for _, c := range n.Content {
			list = append(list, plain(c))
		}
		return list
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = plain(n.Content[i+1])
		}
		return m
	}
	switch n.Tag {
	case "!!null":
		return nil
	case "!!bool":
		return n.Value == "true"
	case "!!int", "!!float":
		if f, err := strconv.ParseFloat(n.Value, 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return f
		}
	}
	return n.Value
}

func meets(s *jsonschema.Schema, text []byte) (ok, isYAML bool) {
	var n yaml.Node
	if err := yaml.Unmarshal(text, &n); err != nil || n.Kind == 0 {
		return false, false
	}
	return s.Validate(plain(&n)) == nil, true
}

// beyondSchema are mistakes that no schema can say: values that exclude or need each other, two rules
// that contradict, files that are not there, and what YAML itself adds.
var beyondSchema = []string{
	"contradicting-facts", "contradicting-rules", "forbid-against-warn", "forbid-and-warn", "covers-without-measured", "unused-measure",
	"drift-against-idle", "min-above-max", "required-and-excused", "not-required-without-reason", "sla-below-delay", "table-with-lag",
	"side-output-without-sink", "zone", "drill-mistakes", "regexp", "micros", "huge-duration", "replay-bad-limit", "replay-bad-strategy", "replay-no-field",
	"replay-window-missing", "no-such-profile", "no-such-records", "no-such-rules", "alias-bomb", "two-documents", "twice",
	"whatif-bad-limit", "whatif-bad-setting", "whatif-brokers-beside-records", "whatif-no-such-column", "whatif-of-table",
}

func TestSchemaSaysWhatTheReaderSays(t *testing.T) {
	s := compiled(t)
	files, err := filepath.Glob(filepath.Join(checkDir, "*", "*.yaml"))
	if err != nil || len(files) < 100 {
		t.Fatalf("%d policies, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("*j\n")) {
			continue // an alias within itself has no plain form
		}
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		bad := filepath.Base(filepath.Dir(file)) == "bad"
		ok, isYAML := meets(s, text)
		if !isYAML {
			continue
		}
		if want := !bad || slices.Contains(beyondSchema, name); ok != want {
			t.Errorf("%s meets the schema: %v, want %v", file, ok, want)
		}
	}
}

// Every key of the table has a description, and every word of a list is a value that is read.
func TestEveryKeyIsDescribed(t *testing.T) {
	if n := bytes.Count(Schema(), []byte(`"description": ""`)); n > 0 {
		t.Errorf("%d keys have no description", n)
	}
	for _, row := range keytable.Of(reflect.TypeFor[Policy]()) {
		if row.Doc == "" || row.Takes == "" {
			t.Errorf("%s has no description", row.Key)
		}
	}
}

// The formats of records that a policy takes are those there are, and their other names.
func TestFormatsOfRecords(t *testing.T) {
	of := func(where any, field, tag string) string {
		f, _ := reflect.TypeOf(where).FieldByName(field)
		return f.Tag.Get(tag)
	}
	if got, want := of(Replay{}, "Format", "words"), strings.Join(decode.Formats, ",")+",text,kafka"; got != want {
		t.Errorf("replay.format takes %s, want %s", got, want)
	}
	if doc := of(decode.Where{}, "Format", "doc"); !strings.Contains(doc, strings.Join(decode.Formats, ", ")) {
		t.Errorf("--format is said to take %s", doc)
	}
}
