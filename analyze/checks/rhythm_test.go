package checks

import (
	"strconv"
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/internal/jobtest"
)

// reader sets the gauges of a source reader at both fetches, ms: how long it has read nothing, its watermark
// and record lag.
func reader(m *jobtest.Job, source string, subtask int, idle, watermarkLag, recordLag [2]int) *jobtest.Job {
	for name, x := range map[string][2]int{"sourceIdleTime": idle, "watermarkLag": watermarkLag, "currentEmitEventTimeLag": recordLag} {
		m.Gauge("Source: "+source, subtask, jobtest.OpOf(source)+"."+name, strconv.Itoa(x[0]), strconv.Itoa(x[1]))
	}
	return m
}

// A wall clock is proven only where the watermark passed the newest record, in step with the clock.
func TestWallClock(t *testing.T) {
	type marks struct{ before, now int64 }
	for _, c := range []struct {
		name                  string
		out                   marks
		records               [2]int
		idle, wmLag, recordMs [2]int
		want                  bool
	}{
		{"records in between", marks{jobtest.At0 - 60, jobtest.At1 - 90}, [2]int{10, 11}, [2]int{10_900, 8700}, [2]int{-10_840, -8610}, [2]int{6, 6}, true},
		{"the clock less a margin", marks{jobtest.At0 - 5000, jobtest.At1 - 5000}, [2]int{10, 11}, [2]int{10_900, 8700}, [2]int{-5900, -3700}, [2]int{6, 6}, true},
		{"no record at all", marks{jobtest.At0 - 60, jobtest.At1 - 90}, [2]int{10, 10}, [2]int{40_000, 60_000}, [2]int{-39_000, -59_000}, [2]int{6, 6}, true},
		{"an ordinary generator", marks{jobtest.At0 - 12_900, jobtest.At1 - 10_700}, [2]int{10, 11}, [2]int{10_900, 8700}, [2]int{2006, 2006}, [2]int{6, 6}, false},
		{"the emission after the last record", marks{jobtest.At0 - 62_000, jobtest.At1 - 22_000}, [2]int{10, 10}, [2]int{150, 20_150}, [2]int{62_000, 2000}, [2]int{6, 6}, false},
		{"a record a minute, read between the fetches", marks{jobtest.At0 - 62_000, jobtest.At1 - 12_000}, [2]int{10, 11}, [2]int{60_000, 10_000}, [2]int{2000, 2000}, [2]int{6, 6}, false},
		{"producers ahead of their time", marks{jobtest.At0 - 3000, jobtest.At1 - 3000}, [2]int{10, 12}, [2]int{8000, 8000}, [2]int{-5000, -5000}, [2]int{-5000, -5000}, false},
		{"one record that was ahead", marks{jobtest.At1 - 2000, jobtest.At1 - 2000}, [2]int{10, 11}, [2]int{3000, 10_000}, [2]int{-5000, -5000}, [2]int{6, 6}, false},
	} {
		for _, version := range []string{"1.18.1", "2.3.0"} {
			m := jobtest.New(version).Source("Meters", 0)
			m.Emits("Meters", 0, c.out.before, c.out.now).Reads("Meters", 0, c.records[0], c.records[1])
			reader(m, "Meters", 0, c.idle, c.wmLag, c.recordMs)
			m.Window(1, c.out.before, c.out.now, "Source: Meters")
			if f, ok := foundIn(m, "wall-clock-generator"); ok != c.want {
				t.Errorf("%s on %s: %v %s", c.name, version, ok, f.Summary)
			}
		}
	}
}

// A generator that stopped is distinguished from a silent split by the offsets of all splits.
func TestGeneratorStopped(t *testing.T) {
	build := func(version string, offsets, recordMs int, at int64) *jobtest.Job {
		m := jobtest.New(version).Source("Trades", 0, 0)
		for i := range 2 {
			m.Emits("Trades", i, at, at)
			m.Offset("Trades", i, "trades", 2*i, 100, 200).Offset("Trades", i, "trades", 2*i+1, 100, 100+offsets)
			reader(m, "Trades", i, [2]int{20, 30}, [2]int{100_000, 120_000}, [2]int{recordMs, recordMs})
			if version == "2.3.0" {
				m.Split("Trades", i, "trades-"+strconv.Itoa(2*i), at, at).Split("Trades", i, "trades-"+strconv.Itoa(2*i+1), at, at)
			}
		}
		return m.Window(2, at, at, "Source: Trades")
	}
	for _, version := range []string{"1.17.2", "2.3.0"} {
		stands := jobtest.At0 - 100_000
		if f, ok := foundIn(build(version, 100, 6, stands), "generator-stopped"); !ok || f.Severity != catalog.Critical || len(f.Subtasks) != 2 || len(f.HeldBack) != 1 {
			t.Errorf("%s: %v %+v", version, ok, f)
		}
		hidden := jobtest.New(version).Source("Trades", 100_000)
		reader(hidden.Emits("Trades", 0, stands, stands), "Trades", 0, [2]int{20, 30}, [2]int{100_000, 120_000}, [2]int{6, 6})
		if f, ok := foundIn(hidden.Window(1, stands, stands, "Source: Trades"), "generator-stopped"); ok {
			t.Errorf("%s, where a silent split is not shown: %s", version, f.Summary)
		}
		held := build(version, 100, 6, stands)
		for i := range 2 {
			load(held, "Source: Trades", i, 2, 900)
		}
		if f, ok := foundIn(held, "generator-stopped"); ok {
			t.Errorf("%s, held up by what is behind it: %s", version, f.Summary)
		}
		for name, m := range map[string]*jobtest.Job{
			"a silent split":         build(version, 0, 6, stands),
			"old records":            build(version, 100, 110_000, stands),
			"a record of the future": build(version, 100, 6, jobtest.At1+30_000),
		} {
			if f, ok := foundIn(m, "generator-stopped"); ok {
				t.Errorf("%s on %s: %s", name, version, f.Summary)
			}
		}
	}
}

// A sparse input within its rhythm is named and harmless; beyond it, it is a silent one.
func TestSparseInput(t *testing.T) {
	build := func(records, silence int) *jobtest.Job {
		m := jobtest.New("1.20.3").Source("Orders", 2000, 2000).Source("Rules", 0)
		held := jobtest.At1 - int64(silence) - 2000
		m.Emits("Rules", 0, held, held).Reads("Rules", 0, records, records).Offset("Rules", 0, "rules", 0, records, records)
		reader(m, "Rules", 0, [2]int{silence - int(jobtest.Gap), silence}, [2]int{2000, 2000}, [2]int{8, 8})
		m.Vertex("Apply", "Apply<br/>", 1, "Source: Orders", "Source: Rules|BROADCAST")
		m.Passes("Apply", 0, "Apply", held, held, held, held)
		return m.Window(2, held, held, "Apply")
	}
	f, ok := foundIn(build(60, 50_000), "sparse-input")
	if !ok || f.Severity != catalog.Info || !strings.Contains(f.Summary, `"Rules"`) || len(f.HeldBack) != 2 {
		t.Errorf("a record a minute: %v %+v", ok, f)
	}
	if g, ok := foundIn(build(60, 50_000), "quiet-input"); ok {
		t.Errorf("a record a minute is called silent: %s", g.Summary)
	}
	m := build(600_000, 600_000)
	if f, ok := foundIn(m, "sparse-input"); ok {
		t.Errorf("ten minutes of silence: %s", f.Summary)
	}
	if _, ok := foundIn(m, "quiet-input"); !ok {
		t.Error("ten minutes of silence are not called silent")
	}
}

// The window that runs ahead of a subtask that still sends was told that it is idle.
func TestIdleBetweenRecords(t *testing.T) {
	build := func(ships string, window, slow int64, late string) *jobtest.Job {
		m := jobtest.New("1.18.1").Source("Sensors", 2000, 2000, 2000)
		m.Emits("Sensors", 2, slow-jobtest.Gap, slow).Reads("Sensors", 2, 1293, 1300).Offset("Sensors", 2, "sensors", 2, 1293, 1300)
		from := "Source: Sensors"
		if ships != "" {
			m.Vertex("Clean", "Clean<br/>", 3, from+"|"+ships)
			for i, at := range []int64{jobtest.At1 - 2000, jobtest.At1 - 2000, slow} {
				m.Passes("Clean", i, "Clean", at-jobtest.Gap, at, at-jobtest.Gap, at)
			}
			from = "Clean"
		}
		m.Window(1, window-jobtest.Gap, window, from)
		return m.Gauge("Window", 0, "Window.numLateRecordsDropped", "10", late).Gauge("Window", 0, "Window.numRecordsIn", "1000", "1100")
	}
	for _, ships := range []string{"", "FORWARD"} {
		f, ok := foundIn(build(ships, jobtest.At1-2000, jobtest.At1-9000, "12"), "false-idle")
		if !ok || len(f.Subtasks) != 1 || f.Subtasks[0] != 2 || !strings.Contains(f.Fix.DataStream, "ofSeconds(30)") {
			t.Errorf("%q: %v %+v", ships, ok, f)
		}
		for name, m := range map[string]*jobtest.Job{
			"waited for":      build(ships, jobtest.At1-9000, jobtest.At1-9000, "12"),
			"no late records": build(ships, jobtest.At1-2000, jobtest.At1-9000, "10"),
			"a future record": build(ships, jobtest.At1+7_000_000, jobtest.At1-9000, "12"),
		} {
			if f, ok := foundIn(m, "false-idle"); ok {
				t.Errorf("%s, %q: %s", name, ships, f.Summary)
			}
		}
	}
}

// Two splits of one subtask show the same by their own watermarks (2.1+).
func TestSplitIdleBetweenRecords(t *testing.T) {
	build := func(slow int64, offset int) *jobtest.Job {
		m := jobtest.New("2.2.1").Source("Sensors", 2000)
		m.Split("Sensors", 0, "sensors-0", jobtest.At0-2000, jobtest.At1-2000).Offset("Sensors", 0, "sensors", 0, 100, 400)
		m.Split("Sensors", 0, "sensors-1", slow-jobtest.Gap, slow).Offset("Sensors", 0, "sensors", 1, 100, offset)
		m.Window(1, jobtest.At0-2000, jobtest.At1-2000, "Source: Sensors")
		return m.Gauge("Window", 0, "Window.numLateRecordsDropped", "10", "12").Gauge("Window", 0, "Window.numRecordsIn", "1000", "1100")
	}
	if f, ok := foundIn(build(jobtest.At1-9000, 107), "false-idle"); !ok || f.Split != "sensors-1" || !strings.Contains(f.Fix.DataStream, "withIdleness(Duration.ofMinutes(1))") {
		t.Errorf("%v %+v", ok, f)
	}
	for name, m := range map[string]*jobtest.Job{"in the minimum": build(jobtest.At1-2000, 107), "silent": build(jobtest.At1-9000, 100)} {
		if f, ok := foundIn(m, "false-idle"); ok {
			t.Errorf("%s: %s", name, f.Summary)
		}
	}
}

// A future record that struck while its sibling was idle is active: the window is there, though the source's
// other split is in order again.
func TestFutureRecordThatStruck(t *testing.T) {
	for _, version := range []string{"1.17.2", "2.2.1"} {
		for _, struck := range []bool{true, false} {
			m := jobtest.New(version).Source("Tickets", 2000, 2000)
			future := jobtest.At1 + 7_000_000
			m.Emits("Tickets", 1, future, future)
			for i, at := range []int64{jobtest.At1 - 2000, future} {
				m.Offset("Tickets", i, "jump", i, 100, 200)
				reader(m, "Tickets", i, [2]int{2, 30}, [2]int{2000, 2000}, [2]int{6, 6})
				if version == "2.2.1" {
					m.Split("Tickets", i, "jump-"+strconv.Itoa(i), at-jobtest.Gap*int64(1-i), at)
				}
			}
			window := jobtest.At1 - 2000
			before := window - jobtest.Gap
			if struck {
				window, before = future, future
			}
			m.Window(2, before, window, "Source: Tickets")
			f, ok := foundIn(m, "future-record")
			if !ok || f.Latent == struck || f.Split != "jump-1" || (f.Severity == catalog.Critical) != struck {
				t.Errorf("%s, struck %v: %v %+v", version, struck, ok, f)
			}
		}
	}
}

// At a record a minute nothing is a fault: no silent subtask, no skew, no bug of the valve.
func TestLowRates(t *testing.T) {
	m := jobtest.New("1.20.3").Source("Probes", 0, 0, 0)
	for i, age := range []int64{12_000, 50_000, 31_000} {
		before := jobtest.At1 - age - 2000
		if age < jobtest.Gap {
			before -= 60_000
		}
		m.Emits("Probes", i, before, jobtest.At1-age-2000).Reads("Probes", i, 60, 60)
		if age < jobtest.Gap {
			m.Reads("Probes", i, 59, 60)
		}
		reader(m, "Probes", i, [2]int{40_000, int(age)}, [2]int{2000, 2000}, [2]int{8, 8})
	}
	m.Window(2, jobtest.At1-52_000, jobtest.At1-52_000, "Source: Probes")
	for _, f := range Run(m.Build()) {
		if f.Severity != catalog.Info {
			t.Errorf("%s: %s", f.Cause, f.Summary)
		}
	}
}
