package flinkapi

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestBatchesFitTheRequestLine(t *testing.T) {
	c, err := NewClient(ClientOptions{URL: "http://host:8081/some/prefix"})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for i := range 400 {
		ids = append(ids, fmt.Sprintf("%d.Source__Kafka[%d]>&%%ü.currentOutputWatermark", i, i))
	}
	huge := strings.Repeat("ü", 2000)
	const prefix, suffix = "/jobs/0/vertices/0/metrics?get=", "&agg=min"
	paths, tooLong := c.batches(prefix, append(slices.Clone(ids), huge), suffix)
	if len(tooLong) != 1 || tooLong[0] != huge {
		t.Errorf("%d ids too long", len(tooLong))
	}
	var back []string
	for i, p := range paths {
		line := "GET /some/prefix/v1" + p + " HTTP/1.1"
		if len(line) >= 4000 || i < len(paths)-1 && len(line) < 3500 {
			t.Errorf("request line of %d bytes", len(line))
		}
		u, err := url.Parse(p)
		if err != nil {
			t.Fatal(err)
		}
		if u.Query().Get("agg") != "min" {
			t.Errorf("%.80s lost its suffix", p)
		}
		back = append(back, strings.Split(u.Query().Get("get"), ",")...)
	}
	if !slices.Equal(back, ids) {
		t.Errorf("%d ids come back of %d", len(back), len(ids))
	}
	if paths, _ := c.batches(prefix, nil, suffix); len(paths) != 0 {
		t.Errorf("no ids make %d requests", len(paths))
	}
}

func TestInterest(t *testing.T) {
	for id, want := range map[string]interest{
		"0.currentInputWatermark": core, "Map.currentOutputWatermark": core, "J.currentInput2Watermark": core,
		"S.split.a-1.watermark.currentWatermark": core, "S.split.a-1.watermark.pausedTimeMsPerSecond": detail,
		"S.KafkaSourceReader.topic.a.partition.1.currentOffset": core, "S.KafkaSourceReader.topic.a.partition.1.committedOffset": detail,
		"S.KafkaSourceReader.commitsFailed": detail, "S.KafkaSourceReader.KafkaConsumer.records-lag-max": uninteresting,
		"S.numRecordsIn": core, "numRecordsIn": detail, "W.numLateRecordsDropped": detail, "J.leftNumLateRecordsDropped": detail,
		"S.watermarkAlignmentDrift": detail, "Shuffle.Netty.Input.numBuffersInLocal": uninteresting, "mailboxLatencyMs_p75": uninteresting,
		"checkpointStartDelayNanos": uninteresting, "": uninteresting, "0.numFiredTimers": detail, "W.watermarkLatency": detail,
	} {
		if got := interestOf(id); got != want {
			t.Errorf("%s: %d, want %d", id, got, want)
		}
	}
}

func TestStragglers(t *testing.T) {
	row := func(values ...any) []reading {
		var rs []reading
		for i, v := range values {
			switch v := v.(type) {
			case int:
				rs = append(rs, reading{i, KnownWatermark(int64(v) * 1000)})
			case State:
				rs = append(rs, reading{i, Watermark{state: v}})
			}
		}
		return rs
	}
	many := row()
	for i := range 512 {
		many = append(many, reading{i, NoWatermark()})
	}
	many[77].at = KnownWatermark(5000)
	for _, tc := range []struct {
		name string
		rs   []reading
		has  []int
		none bool
	}{
		{"nothing", nil, nil, true},
		{"one", row(5), nil, true},
		{"jitter", row(100, 101, 105, 109), nil, true},
		{"all none", row(None, None, None), nil, true},
		{"one none", row(100, None, 101), []int{1}, false},
		{"one behind", row(100, 101, 50, 102), []int{2}, false},
		{"one ahead", row(100, 101, 102, 9000), []int{3}, false},
		{"one at the end", row(100, End, 101), []int{1}, false},
		{"failed readings do not count", row(100, Failed, 101), nil, true},
		{"mostly none", many, []int{77}, false},
	} {
		got := stragglers(tc.rs)
		if tc.none != (len(got) == 0) || len(got) > maxStragglers+1 {
			t.Errorf("%s: %v", tc.name, got)
		}
		for _, want := range tc.has {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %v lacks %d", tc.name, got, want)
			}
		}
	}
}

func TestPlanVertices(t *testing.T) {
	job := func(ps ...int) (JobDetails, Plan) {
		var j JobDetails
		var p Plan
		for i, n := range ps {
			id := string(rune('a' + i))
			j.Vertices = append(j.Vertices, JobVertex{ID: id, Parallelism: n})
			node := PlanNode{ID: id}
			if i > 0 && i < len(ps)-1 {
				node.Inputs = []PlanInput{{ID: "a"}}
			}
			p.Nodes = append(p.Nodes, node)
		}
		return j, p
	}
	tasks := planVertices(job(100, 100, 56))
	if !tasks[0].source || !tasks[1].source || tasks[1].id != "c" || tasks[2].source || !tasks[2].full || !tasks[0].full {
		t.Errorf("a job of 256 subtasks: %+v", tasks)
	}
	tasks = planVertices(job(512, 32, 33, 2))
	want := map[string]bool{"a": false, "b": true, "c": false, "d": true}
	for _, v := range tasks {
		if v.full != want[v.id] {
			t.Errorf("vertex %s of %d subtasks read in full: %v", v.id, v.parallelism, v.full)
		}
	}
	j, _ := job(3, 3)
	for _, v := range planVertices(j, Plan{}) {
		if v.source {
			t.Errorf("without a plan, %s is no known source", v.id)
		}
	}
}

func TestPickJobs(t *testing.T) {
	id := func(n int) string { return fmt.Sprintf("%d%031x", n, n) }
	all := []JobOverview{
		{ID: "a" + id(1)[1:], Name: "orders", State: "CANCELED", StartTime: 1}, {ID: "b" + id(2)[1:], Name: "orders", State: "RUNNING", StartTime: 2},
		{ID: "c" + id(3)[1:], Name: "old", State: "FINISHED", StartTime: 3}, {ID: "d" + id(4)[1:], Name: "old", State: "FAILED", StartTime: 4},
		{ID: "e" + id(5)[1:], Name: "shaky", State: "RESTARTING", StartTime: 5},
	}
	for _, tc := range []struct {
		wanted string
		got    string
	}{{"", "bed"}, {"orders", "b"}, {"old", "d"}, {"orders,old", "bd"}, {"shaky,shaky", "e"}, {all[0].ID, "a"}, {all[2].ID[:6], "c"}} {
		var wanted []string
		if tc.wanted != "" {
			wanted = strings.Split(tc.wanted, ",")
		}
		picked, err := pickJobs(all, wanted)
		got := ""
		for _, o := range picked {
			got += o.ID[:1]
		}
		if err != nil || got != tc.got {
			t.Errorf("%q: %s, %v", tc.wanted, got, err)
		}
	}
	_, err := pickJobs(all, []string{"ordres"})
	var missing *ErrNoJob
	if !errors.As(err, &missing) || missing.All != 5 || len(missing.Near) == 0 || missing.Near[0] != "orders" {
		t.Errorf("%v", err)
	}
}

func TestAtLeast(t *testing.T) {
	for v, want := range map[string]bool{"1.20.3": true, "1.19.2": false, "2.0": true, "2.3.0-SNAPSHOT": true, "1.9": false, "": false, "1": false, "10.0": true, "x": false} {
		if atLeast(v, 1, 20) != want {
			t.Errorf("%s at least 1.20: %v", v, !want)
		}
	}
}

func TestFetchInterval(t *testing.T) {
	for body, want := range map[string]string{
		`[{"key":"metrics.fetcher.update-interval","value":"3 s"}]`: "3s", `[{"key":"metrics.fetcher.update-interval","value":"2500"}]`: "2.5s",
		`[{"key":"metrics.fetcher.update-interval","value":"0"}]`: "10s", `[]`: "10s", `{"errors":[]}`: "10s", `[{"key":"metrics.fetcher.update-interval","value":"soon"}]`: "10s",
	} {
		if got := fetchInterval([]byte(body)); got.String() != want {
			t.Errorf("%s: %s", body, got)
		}
	}
}

func TestParseMetricsList(t *testing.T) {
	ms, err := parseMetrics([]byte(`[{"id":"a\"b","value":"-9223372036854775808"},{"value":"2","id":"x","more":[1]},{"id":"n","value":9}]`))
	if err != nil || len(ms) != 3 || ms[0] != (Metric{`a"b`, "-9223372036854775808"}) || ms[1] != (Metric{"x", "2"}) || ms[2].Value != "9" {
		t.Errorf("%+v %v", ms, err)
	}
	for _, bad := range []string{``, `{}`, `[1]`, `["a"]`, `[{"id":"a"`, `"x"`} {
		if ms, err := parseMetrics([]byte(bad)); err == nil {
			t.Errorf("%s: %v", bad, ms)
		}
	}
	if ms, err := parseMetrics([]byte(`[]`)); err != nil || ms == nil || len(ms) != 0 {
		t.Errorf("empty list: %v %v", ms, err)
	}
}
