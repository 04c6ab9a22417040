package engine

import (
	"slices"
	"testing"
)

func runWindow(t *testing.T, spec WindowSpec) (*Window, *[]Fired, *[]Dropped) {
	t.Helper()
	fired, dropped := &[]Fired{}, &[]Dropped{}
	w, err := NewWindow(spec, WindowSink{
		OnFired:   func(f Fired) { *fired = append(*fired, f) },
		OnDropped: func(d Dropped) { *dropped = append(*dropped, d) },
	})
	check(t, err)
	return w, fired, dropped
}

func feed(t *testing.T, w *Window, times ...int64) {
	t.Helper()
	for _, ts := range times {
		_, err := w.Record(1, ts)
		check(t, err)
	}
}

func ends(fired []Fired) (out []int64) {
	for _, f := range fired {
		out = append(out, f.End, f.Records)
	}
	return out
}

func TestTumblingFiresOneMillisecondBeforeItsEnd(t *testing.T) {
	w, fired, _ := runWindow(t, WindowSpec{SizeMs: 60_000})
	feed(t, w, 0, 59_999)
	w.Watermark(59_998)
	if len(*fired) != 0 {
		t.Fatalf("fired %v", *fired)
	}
	w.Watermark(59_999)
	if !slices.Equal(ends(*fired), []int64{60_000, 2}) || w.Open() != 0 {
		t.Fatalf("fired %v, open %d", *fired, w.Open())
	}
}

func TestCumulatingGrowsAndCatchesLateRecords(t *testing.T) {
	w, fired, dropped := runWindow(t, WindowSpec{Shape: Cumulating, Dialect: SQL, SizeMs: 30, SlideMs: 10})
	feed(t, w, 5, 15)
	w.Watermark(9)
	feed(t, w, 3) // its slice fired, its last window did not
	w.Watermark(29)
	feed(t, w, 8)
	if want := []int64{10, 1, 20, 3, 30, 3}; !slices.Equal(ends(*fired), want) {
		t.Fatalf("fired %v, want %v", ends(*fired), want)
	}
	if len(*dropped) != 1 || w.Dropped() != 1 || (*dropped)[0].End != 30 {
		t.Fatalf("dropped %v", *dropped)
	}
}

func TestHoppingDropsOnlyWhatEveryWindowMissed(t *testing.T) {
	for _, dialect := range []Dialect{DataStream, SQL} {
		w, fired, _ := runWindow(t, WindowSpec{Shape: Hopping, Dialect: dialect, SizeMs: 20, SlideMs: 10})
		w.Watermark(9)
		feed(t, w, 5, 15)
		w.Watermark(19)
		feed(t, w, 5)
		w.Watermark(100)
		if want := []int64{20, 2, 30, 1}; !slices.Equal(ends(*fired), want) || w.Dropped() != 1 {
			t.Fatalf("dialect %d: fired %v, dropped %d", dialect, ends(*fired), w.Dropped())
		}
	}
}

func TestGapsBetweenWindowsAreSkippedNotLate(t *testing.T) {
	for dialect, want := range map[Dialect]int64{DataStream: 0, SQLGroup: 1} {
		w, _, dropped := runWindow(t, WindowSpec{Shape: Hopping, Dialect: dialect, SizeMs: 10, SlideMs: 30})
		feed(t, w, 15)
		if w.Dropped() != want || len(*dropped) != 1 {
			t.Errorf("dialect %d: counted %d, heard %v", dialect, w.Dropped(), *dropped)
		}
	}
}

func TestAllowedLatenessFiresAgain(t *testing.T) {
	w, fired, _ := runWindow(t, WindowSpec{SizeMs: 10, LatenessMs: 5})
	feed(t, w, 1)
	w.Watermark(9)
	feed(t, w, 2)
	w.Watermark(13)
	feed(t, w, 3)
	w.Watermark(14)
	feed(t, w, 4)
	if want := []int64{10, 1, 10, 2, 10, 3}; !slices.Equal(ends(*fired), want) || w.Dropped() != 1 {
		t.Fatalf("fired %v, dropped %d", ends(*fired), w.Dropped())
	}
	if f := (*fired)[2]; !f.Again || f.Late != 2 || (*fired)[0].Again {
		t.Fatalf("third firing %+v", f)
	}
}

func TestSessionsMerge(t *testing.T) {
	w, fired, _ := runWindow(t, WindowSpec{Shape: Session, GapMs: 10})
	feed(t, w, 0, 20, 10) // 10 touches both
	if w.Open() != 1 {
		t.Fatalf("%d windows are open; those that merged are none", w.Open())
	}
	w.Watermark(29)
	if want := []int64{30, 3}; !slices.Equal(ends(*fired), want) {
		t.Fatalf("fired %v, want one session", ends(*fired))
	}
	feed(t, w, 19)
	if w.Dropped() != 1 || w.Open() != 0 {
		t.Fatalf("dropped %d, open %d", w.Dropped(), w.Open())
	}
}

func TestImpossibleWindows(t *testing.T) {
	for name, spec := range map[string]WindowSpec{
		"no size":               {},
		"no slide":              {Shape: Hopping, SizeMs: 10},
		"no gap":                {Shape: Session},
		"no multiple in SQL":    {Shape: Hopping, Dialect: SQL, SizeMs: 10, SlideMs: 3},
		"cumulating DataStream": {Shape: Cumulating, SizeMs: 10, SlideMs: 5},
		"offset":                {SizeMs: 10, OffsetMs: -10},
		"lateness":              {SizeMs: 10, LatenessMs: -1},
		"lateness in SQL":       {SizeMs: 10, LatenessMs: 1, Dialect: SQL},
		"shape":                 {Shape: 9, SizeMs: 10},
		"dialect":               {SizeMs: 10, Dialect: 9},
	} {
		if _, err := NewWindow(spec, WindowSink{}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestWindowsAtTheEdgeOfTime(t *testing.T) {
	w, fired, _ := runWindow(t, WindowSpec{SizeMs: 1000, LatenessMs: End})
	feed(t, w, -1, End-2000)
	w.Watermark(0)
	w.Watermark(End)
	if len(*fired) != 2 || (*fired)[0].Start != -1000 {
		t.Fatalf("fired %v", *fired)
	}
	if _, err := w.Record(1, None); err == nil {
		t.Fatal("a record without a timestamp was accepted")
	}
}

func TestSessionMergeWithEndlessLatenessFailsAsFlinkDoes(t *testing.T) {
	w, _, _ := runWindow(t, WindowSpec{Shape: Session, GapMs: 10, LatenessMs: End})
	feed(t, w, 0)
	w.Watermark(-5)
	if _, err := w.Record(1, 5); err == nil {
		t.Fatal("Flink throws UnsupportedOperationException here")
	}
}

// What became of a late record is reported window by window: in time, fired at once for it, or missed.
func TestLateRecordsAreToldByWhatBecameOfThem(t *testing.T) {
	type step struct{ watermark, record int64 }
	for name, c := range map[string]struct {
		spec  WindowSpec
		steps []step
		want  []Late
	}{
		"tumbling":         {WindowSpec{SizeMs: 10}, []step{{0, 5}, {4, 4}, {4, 5}, {9, 7}}, []Late{{InTime: 1}, {Missed: 1}}},
		"lateness":         {WindowSpec{SizeMs: 10, LatenessMs: 5}, []step{{9, 9}, {14, 9}}, []Late{{Fired: 1}, {Missed: 1}}},
		"hop":              {WindowSpec{Shape: Hopping, SizeMs: 20, SlideMs: 10}, []step{{9, 5}, {19, 15}, {30, 15}}, []Late{{InTime: 1, Missed: 1}, {InTime: 1, Missed: 1}, {Missed: 2}}},
		"hop with gaps":    {WindowSpec{Shape: Hopping, SizeMs: 10, SlideMs: 30}, []step{{0, 15}, {20, 15}}, []Late{{}}},
		"hop in SQL":       {WindowSpec{Shape: Hopping, Dialect: SQL, SizeMs: 20, SlideMs: 10}, []step{{10, 5}}, []Late{{InTime: 1, Missed: 1}}},
		"cumulating":       {WindowSpec{Shape: Cumulating, Dialect: SQL, SizeMs: 30, SlideMs: 10}, []step{{9, 3}, {29, 8}}, []Late{{InTime: 2, Missed: 1}, {Missed: 3}}},
		"session":          {WindowSpec{Shape: Session, GapMs: 10}, []step{{0, 20}, {15, 12}, {15, 1}, {15, 2}}, []Late{{InTime: 1}, {Missed: 1}, {InTime: 1}}},
		"session lateness": {WindowSpec{Shape: Session, GapMs: 10, LatenessMs: 20}, []step{{0, 20}, {29, 5}}, []Late{{Fired: 1}}},
	} {
		var got []Late
		w, err := NewWindow(c.spec, WindowSink{OnLate: func(l Late) { got = append(got, Late{InTime: l.InTime, Fired: l.Fired, Missed: l.Missed}) }})
		check(t, err)
		for _, s := range c.steps {
			w.Watermark(s.watermark)
			feed(t, w, s.record)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
