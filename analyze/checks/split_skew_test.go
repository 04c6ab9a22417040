package checks

import (
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/internal/jobtest"
)

// Before 2.1 a split that is behind its sibling in one subtask shows by the ages of the records read: some on
// time, some nearly as old as the watermark.
func TestHiddenSkew(t *testing.T) {
	build := func(version string, late int64, ages [2]int) *jobtest.Job {
		m := jobtest.New(version).Source("Orders", late)
		m.Offset("Orders", 0, "orders", 0, 100, 200).Offset("Orders", 0, "orders", 1, 100, 200)
		reader(m, "Orders", 0, [2]int{20, 30}, [2]int{int(late), int(late)}, ages)
		if version == "2.3.0" {
			m.Split("Orders", 0, "orders-0", jobtest.At0-late, jobtest.At1-late).Split("Orders", 0, "orders-1", jobtest.At0-late, jobtest.At1-late)
		}
		return m.Window(1, jobtest.At0-late, jobtest.At1-late, "Source: Orders")
	}
	if f, ok := foundIn(build("1.18.1", 1_085_000, [2]int{1_080_000, 300}), "split-skew"); !ok || f.Confidence != catalog.Possible || !strings.Contains(f.Summary, "orders-0, orders-1") {
		t.Errorf("%v %+v", ok, f)
	}
	for name, m := range map[string]*jobtest.Job{
		"disorder below a large bound": build("1.18.1", 1_085_000, [2]int{700_000, 300}),
		"all records on time":          build("1.18.1", 1_085_000, [2]int{300, 300}),
		"all records old":              build("1.18.1", 1_085_000, [2]int{1_080_000, 1_080_000}),
		"a minute is allowed":          build("1.18.1", 50_000, [2]int{45_000, 300}),
		"splits that are shown":        build("2.3.0", 1_085_000, [2]int{1_080_000, 300}),
	} {
		if f, ok := foundIn(m, "split-skew"); ok {
			t.Errorf("%s: %s", name, f.Summary)
		}
	}
}

// Records are not called old where a sibling is on time, or where the source cannot read.
func TestOldDataStepsAside(t *testing.T) {
	build := func(fresh bool, back int) *jobtest.Job {
		m := jobtest.New("2.3.0").Source("Orders", 700_000)
		m.Split("Orders", 0, "orders-0", jobtest.At0-700_000, jobtest.At1-700_000)
		lag := int64(690_000)
		if fresh {
			lag = 2000
		}
		m.Split("Orders", 0, "orders-1", jobtest.At0-lag, jobtest.At1-lag)
		m.Offset("Orders", 0, "orders", 0, 100, 200).Offset("Orders", 0, "orders", 1, 100, 200)
		reader(m, "Orders", 0, [2]int{20, 30}, [2]int{700_000, 700_000}, [2]int{695_000, 695_000})
		m.Gauge("Source: Orders", 0, jobtest.OpOf("Orders")+".pendingRecords", "0", "0")
		load(m, "Source: Orders", 0, 5, back)
		return m.Window(1, jobtest.At0-700_000, jobtest.At1-700_000, "Source: Orders")
	}
	for _, c := range []struct {
		fresh bool
		back  int
		want  bool
	}{{false, 0, true}, {true, 0, false}, {false, 900, false}} {
		if f, ok := foundIn(build(c.fresh, c.back), "old-data"); ok != c.want {
			t.Errorf("a split on time: %v, backpressured %d: %v %s", c.fresh, c.back, ok, f.Summary)
		}
	}
}
