package crosscheck

import (
	"math"
	"strings"
	"testing"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

func codesOf(r analyze.JobReport) string {
	var codes []string
	for _, f := range r.Findings {
		codes = append(codes, f.Code)
	}
	return strings.Join(codes, " ")
}

func TestCrosscheckNamesTheDelayAndWhatDiffers(t *testing.T) {
	quarter := int64(model.QuarterMs)
	for name, c := range map[string]struct {
		change   func(*plot)
		declared int64 // -1 = nobody says
		codes    string
		delay    int64
		shift    int64
		unit     string
	}{
		"healthy, nothing declared":   {func(p *plot) {}, -1, "", 2000, 0, "as given"},
		"healthy, declared":           {func(p *plot) {}, 2000, "", 2000, 0, "as given"},
		"ten minutes":                 {func(p *plot) { p.bound = 600_000 }, -1, "", 600_000, 0, "as given"},
		"ten minutes for two seconds": {func(p *plot) { p.bound = 600_000 }, 2000, "TM801", 600_000, 0, "as given"},
		"a millisecond off":           {func(p *plot) { p.bound = 2001 }, 2000, "TM801", 2001, 0, "as given"},
		"no bound":                    {func(p *plot) { p.bound = 0 }, 0, "", 0, 0, "as given"},
		"SQL":                         {func(p *plot) { p.bound, p.extra = 5000, 0 }, 5000, "", 5000, 0, "as given"},
		"seconds as milliseconds":     {func(p *plot) { p.read = func(e int64) int64 { return e / 1000 } }, -1, "TM803", 2000, 0, "divided by 1000"},
		"milliseconds as seconds":     {func(p *plot) { p.read = func(e int64) int64 { return e * 1000 } }, -1, "TM803", 2000, 0, "times 1000"},
		"eight hours ahead":           {func(p *plot) { p.read = func(e int64) int64 { return e + 32*quarter } }, -1, "TM804", 2000, 32 * quarter, "as given"},
		"declared and 5:30 behind":    {func(p *plot) { p.read = func(e int64) int64 { return e - 22*quarter } }, 2000, "TM804", 2000, -22 * quarter, "as given"},
		"ahead and cut to seconds": {func(p *plot) {
			p.extra, p.bound, p.read = 0, 5000, func(e int64) int64 { return e/1000*1000 + 32*quarter }
		}, 5000, "TM804", 5000, 32 * quarter, "cut to whole seconds"},
		"an empty partition":            {func(p *plot) { p.empty = 3 }, -1, "TM808", 2000, 0, "as given"},
		"a silent partition":            {func(p *plot) { p.silent = 1 }, -1, "TM808", 2000, 0, "as given"},
		"a record of the future":        {func(p *plot) { p.poison = 2 }, -1, "TM808", 2000, 0, "as given"},
		"an assigner behind the source": {func(p *plot) { p.shared = true }, -1, "TM802", 2000, 0, "as given"},
		"before 2.1":                    {func(p *plot) { p.splitMetrics = false }, -1, "", 2000, 0, "as given"},
		"one split a subtask":           {func(p *plot) { p.subtasks = 4 }, -1, "", 2000, 0, "as given"},
	} {
		t.Run(name, func(t *testing.T) {
			p := healthyPlot()
			c.change(&p)
			x := p.run()
			s := x.Sources[0]
			if c.declared >= 0 {
				s.Declared = &Promise{DelayMs: c.declared, Origin: "--delay"}
			}
			r := x.Run()
			if got := codesOf(r); got != c.codes {
				t.Errorf("findings %q, want %q: %+v", got, c.codes, r.Findings)
			}
			in := s.InForce
			if !in.Exact || in.Lo != c.delay || in.Hi != c.delay || in.ShiftMs != c.shift || !strings.HasPrefix(in.Unit.String(), c.unit) {
				t.Errorf("in force: %+v (%s), want %d ms, shift %d, %s", in, in.Unit, c.delay, c.shift, c.unit)
			}
			for _, y := range append(append(append([]Compared{}, s.Splits...), s.Subtasks...), x.Downstream()...) {
				if y.Verdict != Equal {
					t.Errorf("%s is %s (%s): shown %s, expected %s to %s", y.Label, y.Verdict, y.Reason, y.Observed, y.Lo, y.Hi)
				}
			}
		})
	}
}

func TestCrosscheckNamesTheRecordAndThePartition(t *testing.T) {
	p := healthyPlot()
	p.poison = 2
	r := p.run().Run()
	f := r.Findings[0]
	if f.Split != "orders-2" || !f.Latent || !strings.Contains(f.Summary, "partition 2 offset 50 of topic") || len(f.Subtasks) != 1 || f.Subtasks[0] != 0 {
		t.Errorf("finding is %+v", f)
	}
	p = healthyPlot()
	p.silent = 1
	x := p.run()
	f = x.Run().Findings[0]
	last, _ := x.Sources[0].Data["orders-1"].Last()
	if f.Split != "orders-1" || f.Severity != catalog.Warning || f.SinceMs == nil || *f.SinceMs != crossStart+100_000-last.Arrival || len(f.HeldBack) != 1 {
		t.Errorf("finding is %+v", f)
	}
}

func TestIdleSplitsHoldNobody(t *testing.T) {
	p := healthyPlot()
	p.silent = 3
	x := p.run()
	v := x.Sources[0].Vertex
	sp := v.Subtasks[1].Splits[1]
	sp.IdleRate, sp.IdleMs = model.Gauge{Before: 1000, Now: 1000}, model.Gauge{Before: 60_000, Now: 71_000}
	// What the cluster shows without the idle split: the minimum of the other one alone.
	v.Subtasks[1].Ops[0].Out = v.Subtasks[1].Splits[0].Watermark
	v.Chain[0].Out = model.MinReading(v.Subtasks[0].Out(), v.Subtasks[1].Out())
	x.Job().Vertices[1].Subtasks[0].In = v.Chain[0].Out
	r := x.Run()
	if codesOf(r) != "TM808" || r.Findings[0].Severity != catalog.Info {
		t.Errorf("findings %+v", r.Findings)
	}
	for _, y := range append(x.Sources[0].Subtasks, x.Downstream()...) {
		if y.Verdict != Equal {
			t.Errorf("%s is %s: %s, expected %s to %s", y.Label, y.Verdict, y.Observed, y.Lo, y.Hi)
		}
	}
}

func TestDeviationsAreReportedAtTheirPlace(t *testing.T) {
	shift := func(r model.Reading, ms int64) model.Reading {
		now, _ := r.Now.Millis()
		return model.Reading{Before: r.Before, Now: flinkapi.KnownWatermark(now + ms)}
	}
	for name, c := range map[string]struct {
		change func(*Crosscheck)
		codes  string
		label  string
	}{
		"a split behind": {func(x *Crosscheck) {
			sp := x.Sources[0].Vertex.Subtasks[0].Splits[0]
			sp.Watermark = shift(sp.Watermark, -7000)
		}, "TM806", "split orders-0"},
		"a split ahead": {func(x *Crosscheck) {
			sp := x.Sources[0].Vertex.Subtasks[0].Splits[1]
			sp.Watermark = shift(sp.Watermark, 7000)
		}, "TM807", "split orders-2"},
		"a subtask ahead": {func(x *Crosscheck) {
			o := &x.Sources[0].Vertex.Subtasks[1].Ops[0].Out
			*o = shift(*o, 9000)
		}, "TM807", `"Orders" subtask 1`},
		"downstream behind": {func(x *Crosscheck) {
			s := x.Job().Vertices[1].Subtasks[0]
			s.In = shift(s.In, -30_000)
		}, "TM806", `"Window10s" subtask 0`},
		"downstream never": {func(x *Crosscheck) {
			x.Job().Vertices[1].Subtasks[0].In = model.Reading{Before: flinkapi.NoWatermark(), Now: flinkapi.NoWatermark()}
		}, "TM806", `"Window10s" subtask 0`},
	} {
		t.Run(name, func(t *testing.T) {
			x := healthyPlot().run()
			c.change(x)
			r := x.Run()
			if codesOf(r) != c.codes || !strings.Contains(r.Findings[0].Summary, c.label) {
				t.Errorf("findings %q: %+v", codesOf(r), r.Findings)
			}
			if x.Sources[0].InForce.Lo != 2000 || !x.Sources[0].InForce.Exact {
				t.Errorf("one bad watermark of nine moved the delay: %+v", x.Sources[0].InForce)
			}
		})
	}
}

func TestUnreadPartitions(t *testing.T) {
	x := healthyPlot().run()
	sub := x.Sources[0].Vertex.Subtasks[1]
	sub.Splits = sub.Splits[:1] // nobody names orders-3
	sub.Ops[0].Out = sub.Splits[0].Watermark
	r := x.Run()
	if codesOf(r) != "TM805" || r.Findings[0].Split != "orders-3" || r.Findings[0].Severity != catalog.Critical {
		t.Errorf("findings %+v", r.Findings)
	}

	x = healthyPlot().run()
	sp := x.Sources[0].Vertex.Subtasks[0].Splits[1]
	sp.Offset = model.Gauge{Before: 400, Now: 400} // its sibling moves, 600 records wait
	sp.Watermark = model.Reading{}
	r = x.Run()
	if !strings.Contains(codesOf(r), "TM805") {
		t.Errorf("a split that stands is not found: %+v", r.Findings)
	}
	x = healthyPlot().run()
	sp = x.Sources[0].Vertex.Subtasks[0].Splits[1]
	sp.Offset, sp.PausedRate, sp.PausedMs = model.Gauge{Before: 400, Now: 400}, model.Gauge{Before: 1000, Now: 1000}, model.Gauge{Before: 10, Now: 9000}
	if r = x.Run(); strings.Contains(codesOf(r), "TM805") {
		t.Errorf("a split that alignment pauses is called unread: %+v", r.Findings)
	}
}

func TestARangeWhereTheCandidatesDoNotMeet(t *testing.T) {
	p := healthyPlot()
	x := p.run()
	for i, s := range x.Sources[0].Vertex.Subtasks { // every split another bound: a strategy of its own
		for k, sp := range s.Splits {
			for _, w := range []*flinkapi.Watermark{&sp.Watermark.Before, &sp.Watermark.Now} {
				ms, _ := w.Millis()
				*w = flinkapi.KnownWatermark(ms - int64(1+i*2+k)*10_000)
			}
		}
	}
	x.Run()
	in := x.Sources[0].InForce
	if in.Exact || in.Lo > 12_000 || in.Hi < 42_000 || in.Hi > 45_000 {
		t.Errorf("in force is %+v, want a range around 12 s to 42 s", in)
	}
	if x.Sources[0].Splits[0].Verdict != NotCompared {
		t.Errorf("compared with a delay that is not known: %+v", x.Sources[0].Splits[0])
	}
}

func TestAJobThatStartedLaterThanAPoisonedRecord(t *testing.T) {
	p := healthyPlot()
	x := p.run()
	d := x.Sources[0].Data
	// The topic holds an old record of a year ahead that the job, which began at the end, never read.
	for _, id := range []string{"orders-0", "orders-1", "orders-2", "orders-3"} {
		old := d[id]
		with := &PartitionData{Topic: old.Topic, Partition: old.Partition, Complete: true, End: old.End, NowMs: old.NowMs}
		for i, r := range old.Tail {
			event := r.Event
			if i == 3 {
				event += 365 * 86_400_000
			}
			with.Add(r.Offset, r.Arrival, event)
		}
		d[id] = with
	}
	x.Run()
	if in := x.Sources[0].InForce; !in.Exact || in.Lo != 2000 || !in.LaterStart {
		t.Errorf("in force is %+v, want 2000 from a later start", in)
	}
	for _, y := range x.Sources[0].Splits {
		if y.Verdict != Equal {
			t.Errorf("%s is %s: %s, expected %s to %s", y.Label, y.Verdict, y.Observed, y.Lo, y.Hi)
		}
	}
}

func TestCrosscheckSaysWhatItCannotKnow(t *testing.T) {
	x := healthyPlot().run()
	x.Sources[0].Missing = "the topic could not be read: no broker"
	r := x.Run()
	if r.Verdict != analyze.VerdictIncomplete || len(r.NotChecked) != 1 || !strings.Contains(r.NotChecked[0].Reason, "no broker") {
		t.Errorf("%s %+v", r.Verdict, r.NotChecked)
	}
	x = healthyPlot().run()
	x.Job().State = "FAILED"
	if r = x.Run(); r.Verdict != analyze.VerdictIncomplete || r.NotChecked[0].Code != "TM703" {
		t.Errorf("%s %+v", r.Verdict, r.NotChecked)
	}
	x = healthyPlot().run()
	x.Sources = nil
	if r = x.Run(); r.Verdict != analyze.VerdictIncomplete {
		t.Errorf("%s %+v", r.Verdict, r.NotChecked)
	}
	p := healthyPlot()
	p.splitMetrics = false
	r = p.run().Run()
	if !strings.Contains(r.NotChecked[len(r.NotChecked)-1].Reason, "2.1") {
		t.Errorf("split metrics: %+v", r.NotChecked)
	}
}

func TestPartitionDataIsBounded(t *testing.T) {
	d := &PartitionData{}
	for i := range int64(5 * tailSize) {
		d.Add(i, crossStart+i, crossStart+i-i%3)
	}
	if len(d.Tail) > 2*tailSize || d.Records != 5*tailSize {
		t.Errorf("%d kept of %d", len(d.Tail), d.Records)
	}
	if _, _, ok := d.window(3, 500, 300); ok {
		t.Error("a window of records that are no longer kept")
	}
	lo, hi, ok := d.window(5*tailSize-1, 10, 10)
	if !ok || hi != len(d.Tail)-1 || d.Tail[lo].Offset != 5*tailSize-11 {
		t.Errorf("window %d to %d: %+v", lo, hi, d.Tail[lo])
	}
}

func TestAPoisonedCreateTimeDoesNotMoveArrivals(t *testing.T) {
	d := &PartitionData{NowMs: crossStart + 1000}
	far := crossStart + 10*365*86_400_000
	d.Add(0, crossStart, crossStart)
	d.Add(1, far, far)
	d.Add(2, crossStart+20, crossStart+20)
	if d.Tail[2].Arrival != crossStart+20 || d.Future == nil || d.Future.Offset != 1 || d.Tail[2].Max != far {
		t.Errorf("%+v, future %+v", d.Tail, d.Future)
	}
}

func TestMisreadings(t *testing.T) {
	ms := int64(1_796_000_123_456)
	for m, want := range map[Misreading]int64{
		{}:                       ms,
		{Coarse: 1000}:           1_796_000_123_000,
		{Num: 1, Den: 1000}:      1_796_000_123,
		{Num: 1000, Den: 1}:      ms * 1000,
		{Num: 1, Den: 1_000_000}: 1_796_000,
	} {
		if got := m.apply(ms); got != want {
			t.Errorf("%s: %d, want %d", m, got, want)
		}
	}
	if got := (Misreading{Coarse: 1000}).apply(-1); got != -1000 {
		t.Errorf("-1 cut to seconds is %d", got)
	}
	if got := (Misreading{Num: 1_000_000, Den: 1}).apply(math.MaxInt64 - 1); got != 1<<62 {
		t.Errorf("overflow gives %d", got)
	}
}
