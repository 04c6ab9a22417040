package cmd

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/kafkastats/hist"
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
	parts := [][]planted{plant(4000, 8, disorders()["exponential"])}
	addr := brokerWith(t, parts)
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
			fmt.Fprintf(w, `{"resultType":"EOS","results":{"data":%s}}`, groups(parts[0]))
		}
	}))
	defer srv.Close()
	remote, e, err := run(t, newRecommend, "json", "", "orders", "--brokers", addr, "--on", "flink", "--sql-gateway", srv.URL, "--field", "event_time", "--unit", "ms")
	if code(err) > 1 {
		t.Fatal(err, e)
	}
	local, e, err := run(t, newRecommend, "json", "", "orders", "--brokers", addr, "--field", "event_time", "--unit", "ms")
	if code(err) > 1 {
		t.Fatal(err, e)
	}
	a, b := decodeRecommendation(t, remote), decodeRecommendation(t, local)
	if a.Advice.DataStreamMs != b.Advice.DataStreamMs || a.Advice.SQLMs != b.Advice.SQLMs || a.Records != b.Records || a.Disorder != b.Disorder {
		t.Fatalf("flink %d of %d, local %d of %d", a.Advice.DataStreamMs, a.Records, b.Advice.DataStreamMs, b.Records)
	}
}

func groups(p []planted) string {
	type group struct{ n, lo, hi int64 }
	by := map[int64]*group{}
	top := p[0].event
	for _, x := range p[1:] {
		d, sign := top-x.event, int64(1)
		m := d
		if d < 0 {
			m, sign = -d, -1
		}
		key := sign * int64(hist.Bottom(hist.Index(uint64(m))))
		if by[key] == nil {
			by[key] = &group{0, d, d}
		}
		by[key].n++
		by[key].lo, by[key].hi = min(by[key].lo, d), max(by[key].hi, d)
		top = max(top, x.event)
	}
	data := []map[string]any{{"kind": "INSERT", "fields": []any{0, nil, 1, nil, nil}}}
	for key, g := range by {
		data = append(data, map[string]any{"kind": "INSERT", "fields": []any{0, key, g.n, g.lo, g.hi}})
	}
	b, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	return string(b)
}
