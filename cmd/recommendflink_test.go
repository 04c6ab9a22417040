package cmd

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/internal/cases"
	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/measure"
)

func TestOnFlinkDryRunPrintsSQLWithoutSecrets(t *testing.T) {
	addr := brokerWith(t, [][]planted{plant(50, 1, disorders()["in order"])})
	config := filepath.Join(t.TempDir(), "client.properties")
	if err := os.WriteFile(config, []byte("bootstrap.servers="+addr+"\nssl.key.password=hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _, err := run(t, newRecommend, "", "", "orders", "--kafka-config", config, "--on", "flink", "--dry-run", "--field", "event_time", "--unit", "ms")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"CREATE TEMPORARY TABLE", "`event_time` BIGINT", "'scan.bounded.specific-offsets' = 'partition:0,offset:50'", "'properties.ssl.key.password' = '***'"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
	if strings.Contains(out, "hunter2") {
		t.Error("a secret is printed")
	}
}

// A gateway that computes the query honestly from the planted records gives the local answer.
func TestOnFlinkGivesTheLocalAnswer(t *testing.T) {
	cases.Slow(t)
	parts := [][]planted{plant(4000, 8, disorders()["exponential"])}
	addr := brokerWith(t, parts)
	gateway := countingGateway(t, parts[0])
	remote, e, err := run(t, newRecommend, "json", "", "orders", "--brokers", addr, "--on", "flink", "--sql-gateway", gateway, "--field", "event_time", "--unit", "ms")
	if code(err) > 1 {
		t.Fatal(err, e)
	}
	local, e, err := run(t, newRecommend, "json", "", "orders", "--brokers", addr, "--field", "event_time", "--unit", "ms")
	if code(err) > 1 {
		t.Fatal(err, e)
	}
	a, b := decodeRecommendation(t, remote), decodeRecommendation(t, local)
	if a.Advice.DataStreamMs != b.Advice.DataStreamMs || a.Advice.SQLMs != b.Advice.SQLMs || a.Records != b.Records || a.Disorder != b.Disorder || a.Counters != b.Counters {
		t.Fatalf("flink %d of %d, local %d of %d", a.Advice.DataStreamMs, a.Records, b.Advice.DataStreamMs, b.Records)
	}
	if *a.Transport != *b.Transport || a.Window != b.Window || a.Advice.Late.Records != b.Advice.Late.Records || len(a.Curve) != len(b.Curve) {
		t.Errorf("flink %+v %+v late %d, local %+v %+v late %d", a.Transport, a.Window, a.Advice.Late.Records, b.Transport, b.Window, b.Advice.Late.Records)
	}
	if a.Advice.Verdict != b.Advice.Verdict || a.Advice.Reason != b.Advice.Reason || b.Stability == nil || a.Stability == nil || a.Stability.Effective != b.Stability.Effective || a.Advice.Late.CI95 != b.Advice.Late.CI95 {
		t.Errorf("flink %s %+v\nlocal %s %+v", a.Advice.Verdict, a.Stability, b.Advice.Verdict, b.Stability)
	}
	for i := range a.Curve {
		if a.Curve[i].DelayMs != b.Curve[i].DelayMs || a.Curve[i].LateN != b.Curve[i].LateN {
			t.Errorf("at %d ms: %d late with flink, %d locally", b.Curve[i].DelayMs, a.Curve[i].LateN, b.Curve[i].LateN)
		}
	}
	if a.Confluent != nil || a.Hours != nil || a.Advice.Verified != nil {
		t.Error("what the job cannot count is stated all the same")
	}
}

// countingGateway computes the query honestly from the records of one partition.
func countingGateway(t *testing.T, p []planted) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/api_versions":
			fmt.Fprint(w, `{"versions":["V1"]}`)
		case r.URL.Path == "/v1/sessions":
			fmt.Fprint(w, `{"sessionHandle":"s"}`)
		case strings.HasSuffix(r.URL.Path, "/statements"):
			fmt.Fprint(w, `{"operationHandle":"o"}`)
		case r.Method == http.MethodDelete:
			fmt.Fprint(w, `{}`)
		default:
			fmt.Fprintf(w, `{"resultType":"EOS","results":{"data":%s}}`, groups(p))
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// groups are the rows the query gives for one partition of usable records.
func groups(p []planted) string {
	type key struct {
		kind         string
		bucket, step int64
	}
	const second = 1000 // as long as a block is here
	type group struct{ n, lo, hi int64 }
	by := map[key]*group{}
	add := func(kind string, v, step int64) {
		k := key{kind, int64(hist.Bottom(hist.Index(uint64(max(v, -v))))), step}
		if v < 0 {
			k.bucket = -k.bucket
		}
		if kind == "usable" {
			k.bucket = step
		}
		if by[k] == nil {
			by[k] = &group{0, v, v}
		}
		g := by[k]
		g.n, g.lo, g.hi = g.n+1, min(g.lo, v), max(g.hi, v)
	}
	top := int64(math.MinInt64)
	for _, x := range p {
		if top != math.MinInt64 {
			add("own", top-x.event, measure.RoundUp(top-x.event))
			add("block", top-x.event, x.at-x.at%second)
			add("lag", x.at-top, 0)
		}
		add("transport", x.at-x.event, 0)
		flags := int64(0)
		if x.at == x.event {
			flags = 4
		}
		if x.event%1000 == 0 {
			flags += 8
		}
		add("usable", x.at, flags)
		add("event", x.event, 0)
		top = max(top, x.event)
	}
	add("block_width", second, 0)
	var data []map[string]any
	for k, g := range by {
		partition := 0
		if k.kind == "block" || k.kind == "block_width" {
			partition = -1
		}
		data = append(data, map[string]any{"kind": "INSERT", "fields": []any{partition, k.kind, k.bucket, k.step, g.n, g.lo, g.hi}})
	}
	b, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	return string(b)
}
