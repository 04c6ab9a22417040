package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"tidemark/internal/cases"
	"tidemark/internal/expect"
	"tidemark/render"
)

// simulated runs simulate over CSV lines and returns its JSON.
func simulated(t *testing.T, csv string, flags ...string) (render.SimulationData, error) {
	t.Helper()
	f := newFake(nil)
	f.In = strings.NewReader(csv)
	c := newSimulate(f.globals)
	c.SetArgs(append([]string{"--records", "-", "--csv", "-o", "json"}, flags...))
	c.SetOut(f.out)
	c.SetErr(f.err)
	c.SilenceErrors, c.SilenceUsage = true, true
	err := c.ExecuteContext(context.Background())
	var d render.SimulationData
	if f.out.Len() > 0 {
		if err := json.Unmarshal(f.out.Bytes(), &d); err != nil {
			t.Fatalf("not JSON: %v\n%s", err, f.out)
		}
	}
	return d, err
}

func TestSimulateCountsLateAsWrittenDownByHand(t *testing.T) {
	five := "0,10,100\n0,11,99\n0,12,98\n0,13,101\n0,14,97\n"
	ties := "0,1,1000\n0,2,1000\n0,3,1000\n"
	for _, c := range []struct {
		name, records, flags string
		late                 int64
	}{
		{"on event every older record is late", five, "--emit on-event", 3},
		{"periodic without a tick none is", five, "--emit on-periodic", 0},
		{"a tick at 12 makes two late", five, "--interval 2ms", 2},
		{"the delay that saves all", five, "--emit on-event --delay 4ms", 0},
		{"one less", five, "--emit on-event --delay 3ms", 1},
		{"SQL needs one more", five, "--emit on-event --delay 4ms --dialect sql", 1},
		{"ties are fine in the DataStream API", ties, "--emit on-event", 0},
		{"ties are late in SQL", ties, "--emit on-event --dialect sql", 2},
		{"a millisecond saves them", ties, "--emit on-event --dialect sql --delay 1ms", 0},
		{"ascending", five, "--kind ascending --emit on-event", 3},
		{"no watermarks", five, "--kind none", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := simulated(t, c.records, strings.Fields(c.flags)...)
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Strategies[0].Late; got != c.late {
				t.Errorf("%d late, want %d", got, c.late)
			}
		})
	}
}

// model is an independent replay: no engine, no cleverness, one generator a partition, no idleness.
// It returns late records and, for tumbling windows of size ms, dropped and fired.
type modelRecord struct{ p, arrival, event int64 }

func mdl(rs []modelRecord, partitions int, delay, extra, interval int64, onEvent bool, size int64) (late, dropped, fired int64) {
	newest := make([]int64, partitions)
	spoken := make([]bool, partitions)
	global, any := int64(0), false
	windows := map[int64]bool{} // open, by start
	emit := func() {
		least, ok := int64(0), true
		for p := range newest {
			if !spoken[p] {
				ok = false
			} else if wm := newest[p] - delay - extra; p == 0 || wm < least {
				least = wm
			}
		}
		if !ok || any && least <= global {
			return
		}
		global, any = least, true
		for start := range windows {
			if start+size-1 <= global {
				fired++
				delete(windows, start)
			}
		}
	}
	next := rs[0].arrival + interval
	for _, r := range rs {
		for !onEvent && r.arrival >= next {
			emit()
			next += interval
		}
		if any && r.event <= global {
			late++
		}
		start := r.event - r.event%size
		if any && start+size-1 <= global {
			dropped++
		} else {
			windows[start] = true
		}
		if !spoken[r.p] || r.event > newest[r.p] {
			newest[r.p], spoken[r.p] = r.event, true
		}
		if onEvent {
			emit()
		}
	}
	if !onEvent { // the clock runs on for a second
		for next <= rs[len(rs)-1].arrival+1000 {
			emit()
			next += interval
		}
	}
	return late, dropped, fired
}

func TestSimulateAgreesWithAHandModel(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	for round := range cases.Of(24, 60) {
		partitions := 1 + r.Intn(4)
		var rs []modelRecord
		var csv strings.Builder
		at := int64(1_796_000_000_000)
		for range 300 {
			at += int64(r.Intn(60))
			m := modelRecord{int64(r.Intn(partitions)), at, at - int64(r.Intn(1500))}
			rs = append(rs, m)
			fmt.Fprintf(&csv, "%d,%d,%d\n", m.p, m.arrival, m.event)
		}
		delay, onEvent, sql := int64(r.Intn(1200)), round%2 == 0, round%3 == 0
		flags := []string{"--delay", fmt.Sprintf("%dms", delay), "--window", "tumbling:1s", "--interval", "150ms", "--partitions", fmt.Sprint(partitions)}
		extra := int64(1)
		if sql {
			flags, extra = append(flags, "--dialect", "sql"), 0
		}
		if onEvent {
			flags = append(flags, "--emit", "on-event")
		}
		d, err := simulated(t, csv.String(), flags...)
		if err != nil {
			t.Fatal(err)
		}
		late, dropped, fired := mdl(rs, partitions, delay, extra, 150, onEvent, 1000)
		s := d.Strategies[0]
		if w := s.Windows[0]; s.Late != late || w.Dropped != dropped || w.Fired != fired {
			t.Errorf("round %d %v: late, dropped, fired are %d, %d, %d; the model says %d, %d, %d", round, flags, s.Late, w.Dropped, w.Fired, late, dropped, fired)
		}
	}
}

func TestSimulateRunsStrategiesSideBySide(t *testing.T) {
	csv := "0,1000,1000\n0,2000,500\n1,3000,3000\n"
	d, err := simulated(t, csv, "--strategy", "a=0s,emit=on-event,parallelism=2", "--strategy", "b=delay=1s,dialect=sql", "--topic", "orders")
	if err != nil {
		t.Fatal(err)
	}
	a, b := d.Strategies[0], d.Strategies[1]
	if a.Name != "a" || b.Name != "b" || a.Emit != "on-event" || b.Emit != "on-periodic" || b.DelayMs != 1000 || b.Dialect != "sql" {
		t.Errorf("strategies are %+v, %+v", a, b)
	}
	// Partition 1 spoke last, so on event the minimum is partition 0's 1000 - 0 - 1.
	if ms, _ := a.Watermark.Millis(); ms != 999 {
		t.Errorf("watermark of a is %s", a.Watermark)
	}
	if ms, _ := b.Watermark.Millis(); ms != 0 {
		t.Errorf("watermark of b is %s", b.Watermark)
	}
	if a.Splits[0].Subtask == a.Splits[1].Subtask {
		t.Errorf("two subtasks, but both partitions are read by %d", a.Splits[0].Subtask)
	}
}

func TestASilentPartitionHoldsTheWatermark(t *testing.T) {
	csv := "0,1000,1000\n0,2000,2000\n"
	for flags, want := range map[string]string{
		"":                                  "known",
		"--partitions 2":                    "none",
		"--partitions 2 --idle-timeout 30s": "none",
		"--partitions 2 --idle-timeout 30s --tail 1m": "known",
	} {
		d, err := simulated(t, csv, strings.Fields(flags)...)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(d.Strategies[0].Watermark.State()); got != want {
			t.Errorf("%q: watermark is %s, want %s", flags, got, want)
		}
	}
}

func TestFinishFiresWhatIsOpen(t *testing.T) {
	csv := "0,1000,1000\n0,2000,11000\n"
	open, err := simulated(t, csv, "--window", "tumbling:10s", "--delay", "1h")
	if err != nil {
		t.Fatal(err)
	}
	all, err := simulated(t, csv, "--window", "tumbling:10s", "--delay", "1h", "--finish")
	if err != nil {
		t.Fatal(err)
	}
	if a, b := open.Strategies[0].Windows[0], all.Strategies[0].Windows[0]; a.Fired != 0 || a.Open != 2 || b.Fired != 2 || b.Open != 0 || len(b.Firings) != 2 {
		t.Errorf("running %+v, finished %+v", a, b)
	}
	if all.Strategies[0].Watermark.State() != "end" {
		t.Errorf("finished at %s", all.Strategies[0].Watermark)
	}
}

func TestSimulateRefusesBadInputByItsLine(t *testing.T) {
	for _, c := range []struct{ csv, flags, want string }{
		{"0,1000,1000\n0,900,1000\n", "", "stdin:2: arrival 900 is 100 ms before"},
		{"0,1000,1000\n0,1001\n", "", "stdin:2: 2 columns"},
		{"0,1000,\n", "", "stdin:1: no event time: the value is empty (--skip-bad"},
		{"0,1000,soon\n", "", `stdin:1: no event time: "soon" is neither`},
		{"0,1000,9223372036854775807\n", "", "stdin:1: event time 9223372036854775807 is out of range"},
		{"0,1000,-9223372036854775808\n", "", "out of range"},
		{"0,1000,99999999999999999999\n", "", "out of range"},
		{"0,1000,9000000000000000\n", "--unit s", "out of range"},
		{"0,-5,1000\n", "", "stdin:1: arrival -5 is not a time"},
		{"0,-1796000000000,1\n", "", "stdin:1: arrival -1796000000000 is not a time"},
		{"0,1000,1\n7,1001,1\n", "--partitions 7", "stdin:2: partition 7 does not exist"},
		{"", "", "no record to simulate in standard input"},
		{"0,1,1\n", "--delay -1s", "a duration is not negative"},
		{"0,1,1\n", "--delay 1us", "whole milliseconds"},
		{"0,1,1\n", "--kind ascending --delay 5s", "only a bounded strategy has one"},
		{"0,1,1\n", "--parallelism 0", "parallelism is 0"},
		{"0,1,1\n", "--flink-version 1.9", "1.17 and later"},
		{"0,1,1\n", "--window cumulate:1m/10s", "cumulating windows exist only"},
		{"0,1,1\n", "--window hop:1m", "--window is \"hop:1m\""},
		{"0,1,1\n", "--window tumbling:0s", "not positive"},
		{"0,1,1\n", "--dialect sql --window tumbling:1s --allowed-lateness 1s", "no allowed lateness"},
		{"0,1,1\n", "--allowed-lateness 1s", "needs a window"},
		{"0,1,1\n", "--strategy a=1s --strategy a=2s", `"a" is given twice`},
		{"0,1,1\n", "--strategy a", "it takes NAME=DELAY"},
		{"0,1,1\n", "--strategy a=1s,dialct=sql", `unknown key "dialct"; near: dialect`},
		{"0,1,1\n", "--expect dropped=0", "needs a window"},
		{"0,1,1\n", "--format json", "--format json needs --field"},
		{"0,1,1\n", "--zone Mars/Base", "--zone is"},
	} {
		_, err := simulated(t, c.csv, strings.Fields(c.flags)...)
		expect.Error(t, err, c.want)
	}
}

func TestAPartitionThatAppearsLateIsNotGuessed(t *testing.T) {
	cases.Slow(t)
	var csv strings.Builder
	for i := range (1 << 16) + 10 {
		fmt.Fprintf(&csv, "0,%d,%d\n", i, i)
	}
	line := (1 << 16) + 11
	fmt.Fprintf(&csv, "3,%d,1\n", line)
	_, err := simulated(t, csv.String())
	expect.Error(t, err, fmt.Sprintf("stdin:%d: partition 3 appears only here; say how many there are with --partitions", line))
	d, err := simulated(t, csv.String(), "--partitions", "4")
	if err != nil || d.Input.Records != int64(line) || len(d.Input.Partitions) != 4 {
		t.Errorf("%v: %d records of %v", err, d.Input.Records, d.Input.Partitions)
	}
}

func TestSortKeepsOffsetsInOrder(t *testing.T) {
	// Partition 0's second record was stamped earlier than its first; it still comes after it.
	csv := "0,2000,100\n0,1500,200\n1,1000,50\n"
	d, err := simulated(t, csv, "--sort", "--emit", "on-event")
	if err != nil {
		t.Fatal(err)
	}
	if d.Input.StartMs != 1000 || d.Input.EndMs != 2000 || d.Input.Records != 3 {
		t.Errorf("input is %+v", d.Input)
	}
}

func TestSkipBadCounts(t *testing.T) {
	d, err := simulated(t, "0,1,1\n0,2,\n0,3,x\n0,4,4\n", "--skip-bad")
	if err != nil || d.Input.Skipped != 2 || d.Input.Records != 2 || len(d.Notes) != 1 {
		t.Errorf("%v: %+v %q", err, d.Input, d.Notes)
	}
}

func TestAHugeGapTakesNoTime(t *testing.T) {
	d, err := simulated(t, "0,0,0\n1,0,0\n0,253402300799999,253402300799999\n", "--interval", "1ms", "--idle-timeout", "1m", "--window", "tumbling:1s")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range d.Strategies[0].Timeline {
		if len(s.Points) > 240 {
			t.Errorf("%s %d has %d points", s.Scope, s.Index, len(s.Points))
		}
	}
}

func TestSimulateReadsATopic(t *testing.T) {
	_, broker := kafkaWith(t, "silent3", "silent3.jsonl.gz", 4)
	f := newFake(map[string]string{"TIDEMARK_BROKERS": broker})
	f.quiet = true
	c := newSimulate(f.globals)
	c.SetArgs([]string{"--topic", "silent3", "--last", "300", "--field", "2", "--delay", "2s", "--parallelism", "4", "-o", "json"})
	c.SilenceErrors, c.SilenceUsage = true, true
	if err := c.ExecuteContext(context.Background()); err != nil {
		t.Fatal(err)
	}
	var d render.SimulationData
	if err := json.Unmarshal(f.out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	// Partition 3 is empty, so nothing downstream has event time.
	if d.Input.Records != 300 || len(d.Input.Partitions) != 4 || d.Strategies[0].Watermark.State() != "none" || d.Input.Topic != "silent3" {
		t.Errorf("input %+v, watermark %s", d.Input, d.Strategies[0].Watermark)
	}
	if p := d.Strategies[0].Splits[3]; p.Records != 0 || p.Subtask != 1 { // subtask 1, as the real job's reader
		t.Errorf("the empty partition is %+v", p)
	}
}

func TestWhatWasDetectedIsStated(t *testing.T) {
	csv := "0,1796000000000,1796000000\n0,1796000001000,1796000001\n"
	d, err := simulated(t, csv, "--unit", "auto")
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(d.Notes, "\n"); !strings.Contains(notes, "Event times are in s by their size") {
		t.Errorf("notes: %s", notes)
	}
	if ms, _ := d.Strategies[0].Watermark.Millis(); ms < 1_795_999_000_000 {
		t.Errorf("watermark %d", ms)
	}
	d, err = simulated(t, csv+"0,1796000002000,1796000002000\n", "--unit", "auto")
	if err != nil || !strings.Contains(strings.Join(d.Notes, "\n"), "several units (2 in s, 1 in ms)") {
		t.Errorf("%v, %v", d, err)
	}
	d, err = simulated(t, "0,1796000000000,2026-11-30 00:53:20\n")
	if err != nil || !strings.Contains(strings.Join(d.Notes, "\n"), "name no zone and were read as UTC") {
		t.Errorf("%v, %v", d, err)
	}
	if d, err = simulated(t, "0,1796000002000,1796000002000\n", "--unit", "s"); err != nil || !strings.Contains(strings.Join(d.Notes, "\n"), "(year 58882), though records arrive now: the unit may be another") {
		t.Errorf("%v, %v", d.Notes, err)
	}
	if d, err = simulated(t, csv, "--unit", "ms"); err != nil || !strings.Contains(strings.Join(d.Notes, "\n"), "An event time read as ms is 1970-01-21") {
		t.Errorf("%v, %v", d.Notes, err)
	}
	if d, err = simulated(t, "0,1796000000000,2026-11-30 00:53:20\n", "--zone", "UTC"); err != nil || len(d.Notes) != 0 {
		t.Errorf("%v, %v", d.Notes, err)
	}
}

// Seconds are reported by their size, as recommend tells them: read as milliseconds nothing would be late.
func TestSimulateFindsTheUnit(t *testing.T) {
	data, err := simulated(t, "0,1796000001000,1796000000\n0,1796000003000,1796000003\n0,1796000004000,1796000000\n", "--delay", "1s")
	if err != nil || data.Strategies[0].Late != 1 || !slices.ContainsFunc(data.Notes, func(s string) bool { return strings.Contains(s, "are in s by their size") }) {
		t.Fatalf("%v: %+v", err, data)
	}
}
