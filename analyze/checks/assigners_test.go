package checks

import (
	"strconv"
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/internal/jobtest"
)

// assignedJob is a source that emits at its lag, and behind an exchange an operator of the given name whose
// subtasks put out the given watermarks 20 s apart, before a window that takes their minimum.
func assignedJob(version, name, ship string, sourceLag int64, outs ...int64) *jobtest.Job {
	m := jobtest.New(version).Source("Orders", 2000, 2000)
	in := [2]int64{jobtest.At0 - sourceLag, jobtest.At1 - sourceLag}
	if sourceLag < 0 {
		in = [2]int64{jobtest.NoMark, jobtest.NoMark}
	}
	for i := range 2 {
		m.Emits("Orders", i, in[0], in[1]).Offset("Orders", i, "orders", i, 100, 200)
		load(m, "Source: Orders", i, 5, 0)
	}
	m.Vertex(name, name+"<br/>", len(outs), "Source: Orders|"+ship)
	low := outs[0]
	for i, out := range outs {
		before := out
		if out != jobtest.NoMark {
			before -= jobtest.Gap
		}
		m.Passes(name, i, strings.NewReplacer(" ", "_", ":", "_").Replace(name), in[0], in[1], before, out)
		load(m, name, i, 10, 0)
		low = min(low, out)
	}
	before := low
	if low != jobtest.NoMark {
		before -= jobtest.Gap
	}
	return m.Window(2, before, low, name)
}

// An assigner is known by what it does: its output is ahead of its input.
func TestRenamedAssigner(t *testing.T) {
	for _, version := range []string{"1.17.2", "2.3.0"} {
		for _, sourceLag := range []int64{32_000, -1} {
			m := assignedJob(version, "Again", "REBALANCE", sourceLag, jobtest.At1-2000, jobtest.At1-2400)
			f, ok := foundIn(m, "assigner-downstream")
			if !ok || f.Operator != "Again" || strings.Contains(f.Summary, "ahead of its input") != (sourceLag > 0) {
				t.Errorf("%s, source at %d: %v %+v", version, sourceLag, ok, f)
			}
			for _, cause := range []string{"never-emitted", "operator-stall", "idle-subtask"} {
				if g, ok := foundIn(m, cause); ok {
					t.Errorf("%s, source at %d: %s as well: %s", version, sourceLag, cause, g.Summary)
				}
			}
		}
		if f, ok := foundIn(assignedJob(version, "Clean", "REBALANCE", 2000, jobtest.At1-2000, jobtest.At1-2000), "assigner-downstream"); ok {
			t.Errorf("%s: an operator that passes watermarks on is called an assigner: %s", version, f.Summary)
		}
	}
}

// noWatermarks() behind a source that emits swallows its watermarks: one finding, at the operator.
func TestSwallowedWatermarks(t *testing.T) {
	for _, name := range []string{"Restamp", "Timestamps/Watermarks"} {
		for _, version := range []string{"1.18.1", "2.3.0"} {
			m := assignedJob(version, name, "REBALANCE", 2000, jobtest.NoMark, jobtest.NoMark)
			f, ok := foundIn(m, "operator-stall")
			if !ok || f.Operator != name || strings.Contains(f.Fix.Text, "CPU") || !strings.Contains(f.Summary, "noWatermarks()") || len(f.Subtasks) != 2 {
				t.Errorf("%s on %s: %v %+v", name, version, ok, f)
			}
			if g, ok := foundIn(m, "never-emitted"); ok {
				t.Errorf("%s on %s: the source is blamed as well: %s", name, version, g.Summary)
			}
		}
	}
	// A keyed function may have timers to fire: that is a stall, of whatever reason.
	m := assignedJob("2.3.0", "Score", "HASH", 2000, jobtest.NoMark, jobtest.NoMark)
	if f, ok := foundIn(m, "operator-stall"); !ok || strings.Contains(f.Summary, "noWatermarks()") {
		t.Errorf("a keyed function: %v %s", ok, f.Summary)
	}
}

// An assigner that gets no watermarks and emits none is named, and not the source before it.
func TestAssignerWithoutOutput(t *testing.T) {
	m := assignedJob("1.20.3", "Timestamps/Watermarks", "REBALANCE", -1, jobtest.NoMark, jobtest.NoMark)
	if f, ok := foundIn(m, "never-emitted"); !ok || f.Operator != "Timestamps/Watermarks" || f.Confidence != catalog.Likely {
		t.Errorf("%v %+v", ok, f)
	}
}

// A subtask of an assigner that never gets a record holds the window.
func TestAssignerWithoutRecords(t *testing.T) {
	for _, ship := range []string{"HASH", "REBALANCE"} {
		for at := range 3 {
			outs := []int64{jobtest.At1 - 2000, jobtest.At1 - 2000, jobtest.At1 - 2000}
			outs[at] = jobtest.NoMark
			m := assignedJob("1.20.3", "Timestamps/Watermarks", ship, -1, outs...)
			m.Gauge("Timestamps/Watermarks", at, "numRecordsIn", "0", "0")
			f, ok := foundIn(m, "idle-subtask")
			if !ok || f.Severity != catalog.Critical || f.Subtasks[0] != at || strings.Contains(f.Summary, "no key") != (ship == "HASH") {
				t.Errorf("%s, subtask %d: %v %+v", ship, at, ok, f)
			}
			if g, ok := foundIn(m, "never-emitted"); ok {
				t.Errorf("%s, subtask %d: %s", ship, at, g.Summary)
			}
		}
	}
	// With an idle timeout the window has passed it.
	m := assignedJob("1.20.3", "Timestamps/Watermarks", "HASH", -1, jobtest.At1-2000, jobtest.NoMark)
	m.Gauge("Timestamps/Watermarks", 1, "numRecordsIn", "0", "0")
	for i := range 2 {
		m.Passes("Window", i, "Window", jobtest.At0-2500, jobtest.At1-2500, jobtest.At0-2500, jobtest.At1-2500)
	}
	if f, ok := foundIn(m, "idle-subtask"); ok {
		t.Errorf("an idle assigner: %s", f.Summary)
	}
}

// Where the plan declares a watermark, or must, no missing clause is blamed; and where splits are not shown a
// silent one is a candidate.
func TestDeclaredWatermarkThatNeverComes(t *testing.T) {
	scan := "[1]:TableSourceScan(table=[[c, d, o, watermark=[-(ts, 5000:INTERVAL SECOND)]]], fields=[k, ts])"
	for _, c := range []struct {
		version, source string
		splits          bool
		confidence      catalog.Confidence
	}{
		{"1.18.1", scan, true, catalog.Certain},
		{"1.18.1", scan, false, catalog.Likely},
		{"2.3.0", "Source: KafkaSource-default_catalog.default_database.o", true, catalog.Certain},
	} {
		m := jobtest.New(c.version)
		m.Vertex("Source: o[1]", c.source+"<br/>", 1)
		m.Gauge("Source: o[1]", 0, "Source__o[1].currentOutputWatermark", jobtest.Mark(jobtest.NoMark), jobtest.Mark(jobtest.NoMark))
		m.Gauge("Source: o[1]", 0, "Source__o[1].numRecordsOut", "1000", "2000")
		if c.splits {
			for p := range 2 {
				m.Gauge("Source: o[1]", 0, "Source__o[1].KafkaSourceReader.topic.o.partition."+strconv.Itoa(p)+".currentOffset", "100", "200")
			}
		}
		m.Vertex("WindowAggregate[4]", "[4]:WindowAggregate(groupBy=[k], window=[TUMBLE(time_col=[ts], size=[10 s])], select=[k])<br/>", 1, "Source: o[1]")
		m.Passes("WindowAggregate[4]", 0, "WindowAggregate[4]", jobtest.NoMark, jobtest.NoMark, jobtest.NoMark, jobtest.NoMark)
		f, ok := foundIn(m, "never-emitted")
		if !ok || f.Confidence != c.confidence || strings.Contains(f.Summary, "WATERMARK clause") || strings.Contains(f.Summary, "not shown here") == c.splits {
			t.Errorf("%s, splits %v: %v, %s: %s", c.version, c.splits, ok, f.Confidence, f.Summary)
		}
	}
}
