package cmd

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	jsonschemas "github.com/santhosh-tekuri/jsonschema/v6"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/policy"
	"tidemark/flinkapi"
	"tidemark/internal/build"
	"tidemark/internal/expect"
	"tidemark/internal/golden"
	"tidemark/internal/jsonschema"
	"tidemark/kafkastats/advise"
	"tidemark/render"
)

// published are the JSON forms that scripts may read, by the name of their schema in docs/schema.
func published() map[string]any {
	return map[string]any{
		"report":         render.Triage(&analyze.Report{}).Data,
		"watermarks":     render.Watermarks(&analyze.Report{}).Data,
		"check":          render.Check(&policy.Run{}, "").Data,
		"recommendation": render.Recommendation(advise.Recommendation{}).Data,
		"simulation":     render.Simulation(&render.SimulationData{}).Data,
		"crosscheck":     render.Crosscheck(&render.CrosscheckData{}).Data,
		"alerts":         render.AlertsData{},
		"observation":    render.Observation(&render.ObservationData{}).Data,
		"whatif":         render.WhatIf(&render.WhatIfData{}).Data,
		"checks":         render.Checks(catalog.Checks()).Data,
		"explain":        render.Explain(catalog.Checks()[0]).Data,
		"version":        build.Info{},
		"contexts":       []render.ContextData{},
		"context":        render.ContextData{},
	}
}

// as are the types that write themselves in the form of another.
var as = map[reflect.Type]reflect.Type{reflect.TypeFor[advise.Findings](): reflect.TypeFor[[]advise.Written]()}

// own are the schemas of types that write themselves.
func own() map[reflect.Type]map[string]any {
	return map[reflect.Type]map[string]any{
		reflect.TypeFor[flinkapi.Watermark](): {
			"type":        "object",
			"description": "A watermark: a number has a meaning only in the state known. ms is event time, epoch ms; raw is a number that is no ms.",
			"properties": map[string]any{
				"state": map[string]any{"enum": []any{"known", "none", "end", "absent", "failed"}},
				"ms":    map[string]any{"type": "integer"}, "raw": map[string]any{"type": "string"}, "time": map[string]any{"type": "string"},
			},
			"required": []any{"state"}, "additionalProperties": false,
		},
	}
}

func TestSchemasArePublished(t *testing.T) {
	comments, err := jsonschema.Comments("..", "tidemark")
	if err != nil {
		t.Fatal(err)
	}
	r := jsonschema.Reflector{Own: own(), As: as, Comment: comments}
	names := slices.Sorted(maps.Keys(published()))
	for _, name := range names {
		text, err := json.MarshalIndent(r.Of("tidemark."+name+"/v1", published()[name]), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		golden.File(t, filepath.Join("..", "docs", "schema", name+".schema.json"), append(text, '\n'))
	}
	files, err := filepath.Glob("../docs/schema/*.json")
	if err != nil || len(files) != len(names) {
		t.Errorf("%d schemas for %d forms: %v", len(files), len(names), err)
	}
}

// TestWhatIsPrintedMeetsItsSchema runs each command that reports, and demands that every field it prints is described.
func TestWhatIsPrintedMeetsItsSchema(t *testing.T) {
	t.Parallel()
	_, broker := kafkaWith(t, "orders", "orders.jsonl.gz", 5)
	job := clusterOf(t, "job-healthy.jsonl.gz")
	policy := expect.File(t, "tidemark.yaml", "version: 1\njobs:\n- {name: \"*\", owner: a, max-lag: 1m, strategy: on-source}\n")
	configuration := map[string]string{"TIDEMARK_CONFIG": expect.File(t, "config.yaml", "current-context: a\ncontexts:\n  a: {flink: http://a}\n  b: {flink: http://b}\n")}
	recording := func(name string) string { return filepath.Join("..", "testdata", "recordings", name+".jsonl.gz") }
	for _, v := range []struct{ schema, args string }{
		{"report", "triage --from " + recording("flink-2.3.0/lab-idle-partition")},
		{"report", "triage --from " + recording("flink-1.20.3/lab-quiet-union")},
		{"report", "triage --from " + recording("flink-2.3.0/lab-crash-loop") + " --from " + recording("flink-2.3.0/sql-late-drops")},
		{"watermarks", "watermarks --from " + recording("flink-2.3.0/sql-interval-join")},
		{"check", "check --policy " + policy + " --from " + recording("flink-2.3.0/lab-idle-partition")},
		{"recommendation", "recommend --records ../testdata/records/orders.jsonl.gz --format csv --field 2 --window 1m --sla 30s --by 1"},
		{"simulation", "simulate --records ../testdata/records/five.csv --emit on-event --window tumbling:10ms --strategy none=0s --strategy enough=4ms --expect late=0"},
		{"crosscheck", "crosscheck lab-healthy --brokers " + broker + " --field 2 --delay 2s --flink " + job.url},
		{"whatif", "whatif lab-idle-partition --from ../testdata/records/job-idle-partition.jsonl.gz --records ../testdata/records/silent3.jsonl.gz --format csv --field 2 --last 20s --set Orders.idle-timeout=5s"},
		{"observation", "observe orders --until 2026-11-30T08:20:10Z --records ../testdata/records/orders.jsonl.gz --format csv --field 2 --profile " + filepath.Join(t.TempDir(), "p")},
		{"alerts", "alerts --jobs orders"}, {"checks", "checks"}, {"explain", "explain TM102"}, {"version", "version"},
		{"contexts", "context list"}, {"context", "context show"},
	} {
		t.Run(v.args[:min(len(v.args), 60)], func(t *testing.T) {
			t.Parallel()
			f := newFake(nil)
			if strings.HasPrefix(v.schema, "context") {
				f = newFake(configuration)
			}
			if v.schema == "crosscheck" {
				f.Now, f.Sleep = job.clock.Now, job.clock.Sleep
			}
			if code := Main(append(strings.Fields(v.args), "-o", "json"), f.env); f.out.Len() == 0 {
				t.Fatalf("exit code %d: %s", code, f.err)
			}
			r := jsonschema.Reflector{Own: own(), As: as, Strict: true}
			schema := compiled(t, r.Of(v.schema, published()[v.schema]))
			if err := validate(t, schema, f.out.Bytes()); err != nil {
				t.Error(err)
			}
			broken := bytes.Replace(f.out.Bytes(), []byte(`": `), []byte(`x": `), 1)
			if validate(t, schema, broken) == nil {
				t.Error("the schema takes a field that nobody described")
			}
		})
	}
}

func compiled(t *testing.T, schema map[string]any) *jsonschemas.Schema {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschemas.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschemas.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func validate(t *testing.T, schema *jsonschemas.Schema, printed []byte) error {
	t.Helper()
	value, err := jsonschemas.UnmarshalJSON(bytes.NewReader(printed))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}
