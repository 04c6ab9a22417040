package analyze

import (
	"path/filepath"
	"strings"
	"testing"
)

// A finding suggests that whatif tries the change of its fix, at the source that the fix names.
func TestTriesAreTheFix(t *testing.T) {
	for _, c := range []struct{ file, code, try, in string }{
		{"recordings/flink-2.3.0/lab-idle-partition", "TM102", "Orders.idle-timeout=10s", "withIdleness(Duration.ofSeconds(10))"},
		{"recordings/flink-2.3.0/lab-quiet-join", "TM105", "Payments.idle-timeout=1min", "withIdleness(Duration.ofMinutes(1))"},
		{"recordings/flink-2.3.0/lab-over-parallel", "TM104", "Orders.idle-timeout=10s", "withIdleness(Duration.ofSeconds(10))"},
		{"recordings/flink-2.3.0/lab-bound-too-large", "TM301", "Orders.delay=5s", "forBoundedOutOfOrderness(Duration.ofSeconds(5))"},
		{"recordings/flink-2.3.0/lab-late", "TM401", "Orders.delay=45s", "forBoundedOutOfOrderness(Duration.ofSeconds(45))"},
		{"recordings/flink-2.3.0/lab-skewed", "TM305", "Orders.alignment=events,30s", `withWatermarkAlignment("events", Duration.ofSeconds(30)`},
		{"recordings/flink-2.3.0/lab-downstream-assigner", "TM107", "Orders.place=source", "env.fromSource(source,"},
		{"recordings/flink-2.3.0/lab-aligned", "TM502", "", "withWatermarkAlignment("}, // its group is not known
		{"recordings/flink-2.3.0/lab-millis-as-seconds", "TM401", "", ""},
		{"checks/idle-split/fires.timeout-already-set", "TM102", "", ""},
		{"checks/alignment-stall/fires.aligned-stall-2.3.0", "TM501", "Payments.idle-timeout=10s", `the strategy of "Payments"`},
	} {
		found := false
		for _, f := range onlyJob(t, filepath.Join("../testdata", c.file+".jsonl.gz")).Findings {
			if f.Code != c.code {
				continue
			}
			found = true
			if got := strings.Join(f.Try, " "); got != c.try || !strings.Contains(f.Fix.DataStream, c.in) {
				t.Errorf("%s: %s tries %q, want %q; its fix is %+v", c.file, f.Code, got, c.try, f.Fix)
			}
		}
		if !found {
			t.Errorf("%s: no %s", c.file, c.code)
		}
	}
}

func TestHeadlineOfALostSplitNamesItsSource(t *testing.T) {
	j := onlyJob(t, "../testdata/checks/lost-split/fires.lost-split-2.3.0.jsonl.gz")
	if j.Headline != `"HybridOrders" keeps the old watermark of a subtask that lost its partitions` {
		t.Error(j.Headline)
	}
}
