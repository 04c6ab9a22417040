package pseudonym_test

import (
	"bytes"
	"regexp"
	"slices"
	"testing"

	"tidemark/flinkapi"
	"tidemark/flinkapi/pseudonym"
)

var word = regexp.MustCompile(`[\pL\pN]+`)

func TestNoNameStays(t *testing.T) {
	names := pseudonym.New()
	for _, name := range []string{"lab-idle-partition", "sql-temporal-join-quiet", "lab-crash-loop"} {
		rec, err := flinkapi.OpenRecording("../../testdata/recordings/flink-2.3.0/"+name+".jsonl.gz", nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range rec.Entries {
			to, err := names.Entry(e)
			if err != nil {
				t.Fatal(err)
			}
			var line bytes.Buffer
			if err := flinkapi.WriteEntry(&line, to); err != nil {
				t.Fatal(err)
			}
			for _, w := range word.FindAllString(line.String(), -1) {
				if slices.Contains([]string{"Orders", "Clean", "Payments", "Enrich", "silent3", "Parse"}, w) {
					t.Fatalf("%s: %q is in %s", name, w, line.String()[:min(line.Len(), 300)])
				}
			}
		}
	}
}

func TestAnAnswerKeepsItsShape(t *testing.T) {
	names := pseudonym.New()
	for _, c := range []struct{ path, body, want string }{
		{"/jobs/a", `{"name":"orders-eu","plan":{"nodes":[{"description":"Source: orders-eu &lt;= 3"}]},"n":1234567890123456789,"state":"RUNNING","empty":"", "x":null}`,
			`{"name":"NAME","plan":{"nodes":[{"description":"Source: NAME &lt;= 3"}]},"n":1234567890123456789,"state":"RUNNING","empty":"", "x":null}`},
		{"/jobs/a/config", `{"execution-config":{"user-config":{"orders-eu":"orders-eu","pipeline.x":"1","mode":"orders-eu"}}}`, `{"execution-config":{"user-config":{"NAME":"NAME","pipeline.x":"1","mode":"NAME"}}}`},
		{"/jobmanager/config", `[{"key":"orders-eu","value":"orders-eu"},{"key":"metrics.fetcher.update-interval","value":"10000"}]`, `[{"key":"NAME","value":"NAME"},{"key":"metrics.fetcher.update-interval","value":"10000"}]`},
		{"/x", `orders-eu is not JSON`, "NAME is not WORD"},
		{"/x", `"orders-eu"`, `"NAME"`},
	} {
		got, err := names.Entry(flinkapi.Entry{Path: c.path, Body: []byte(c.body)})
		if err != nil {
			t.Fatal(err)
		}
		want := bytes.ReplaceAll([]byte(c.want), []byte("NAME"), []byte(names.Text("orders-eu")))
		if want = bytes.ReplaceAll(want, []byte("WORD"), []byte(names.Text("JSON"))); !bytes.Equal(got.Body, want) {
			t.Errorf("%s: %s, want %s", c.body, got.Body, want)
		}
	}
	e, err := names.Entry(flinkapi.Entry{Path: "/v1/jobs/0/vertices/1/metrics?get=0.Source__orders-eu.currentOutputWatermark%2C1.Source__orders-eu.currentOutputWatermark&agg=min"})
	if err != nil {
		t.Fatal(err)
	}
	_, query := e.Route()
	if want := names.Text("0.Source__orders-eu.currentOutputWatermark,1.Source__orders-eu.currentOutputWatermark"); query.Get("get") != want || query.Get("agg") != "min" {
		t.Errorf("%s", e.Path)
	}
	if e, _ := names.Entry(flinkapi.Entry{Path: "/taskmanagers/10.1.2.3:4711-ab/metrics"}); e.Path != "/taskmanagers/"+names.Text("10.1.2.3:4711-ab")+"/metrics" {
		t.Errorf("%s", e.Path)
	}
}
