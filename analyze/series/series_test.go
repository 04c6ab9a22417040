package series

import (
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

func split(id string) model.Point {
	return model.Point{Vertex: &model.Ref{ID: "v1", Name: "Source: Orders"}, Split: id}
}

// feed reads watermarks 10 s apart, from second 10 on; nil is a moment without a number.
func feed(t *Timeline, at model.Point, watermarks ...any) *Track {
	var track *Track
	for i, w := range watermarks {
		r := Reading{AtMs: int64(i+1) * 10_000}
		switch w := w.(type) {
		case int:
			r.Watermark = flinkapi.KnownWatermark(int64(w) * 1000)
		case flinkapi.Watermark:
			r.Watermark = w
		}
		track = t.Read(at, r)
	}
	return track
}

func TestAStandstillBeganWithTheLastRise(t *testing.T) {
	x := &Timeline{EveryMs: 10_000}
	track := feed(x, split("orders-0"), 5, 15, 25, 25, 25)
	if track.State != catalog.Standing || track.Since != (Interval{20_000, 30_000}) {
		t.Errorf("%s since %v; it last rose between 20 s and 30 s", track.State, track.Since)
	}
	if _, ok := onset(track); !ok {
		t.Error("no onset")
	}
	if x.FromMs != 10_000 || x.UntilMs != 50_000 {
		t.Errorf("from %d to %d", x.FromMs, x.UntilMs)
	}
	want := []catalog.State{"", catalog.Advancing, catalog.Advancing, catalog.Standing, catalog.Standing}
	for i, r := range track.Readings {
		if r.State != want[i] {
			t.Errorf("reading %d is %q, want %q", i, r.State, want[i])
		}
	}
}

func TestAGapWidensTheIntervalAndIsKept(t *testing.T) {
	x := &Timeline{EveryMs: 10_000}
	track := feed(x, split("orders-0"), 5, 15, nil, nil, 17, 17)
	if track.State != catalog.Standing || track.Since != (Interval{20_000, 50_000}) {
		t.Errorf("%s since %v: when it rose in the gap is not known", track.State, track.Since)
	}
	same := feed(x, split("orders-1"), 5, 15, nil, nil, 15)
	if same.State != catalog.Standing || same.Since != (Interval{10_000, 20_000}) {
		t.Errorf("%s since %v: it did not rise in the gap", same.State, same.Since)
	}
	if track.Readings[2].State != catalog.Unreadable || track.Readings[2].LagMs != nil {
		t.Errorf("a moment without a number is %+v", track.Readings[2])
	}
}

func TestAStandstillBeforeTheFirstReadingHasNoBeginning(t *testing.T) {
	for name, track := range map[string]*Track{
		"standing": feed(&Timeline{}, split("a"), 5, 5, 5),
		"never":    feed(&Timeline{}, split("a"), flinkapi.NoWatermark(), flinkapi.NoWatermark()),
	} {
		since, ok := onset(track)
		if !ok || since != (Interval{0, 10_000}) {
			t.Errorf("%s: onset %v, %v", name, since, ok)
		}
	}
}

func TestASourceThatSendsSeldomHasNoOnset(t *testing.T) {
	x := &Timeline{EveryMs: 10_000}
	track := feed(x, split("rare"), 1, 1, 1, 40, 40, 40)
	if _, ok := onset(track); ok {
		t.Error("it stood as long before and went on")
	}
	for i := range 3 {
		track = x.Read(split("rare"), Reading{AtMs: int64(70+10*i) * 1000, Watermark: flinkapi.KnownWatermark(40_000)})
	}
	if since, ok := onset(track); !ok || since != (Interval{30_000, 40_000}) {
		t.Errorf("longer than ever before: %v, %v", since, ok)
	}
}

func TestBehindIsBeyondWhatThePlaceHolds(t *testing.T) {
	x := &Timeline{}
	held := x.Track(split("held"))
	held.HoldMs = 600_000
	read := func(id string) *Track {
		for i := range 3 {
			x.Read(split(id), Reading{AtMs: 10_000_000 + int64(i)*10_000, Watermark: flinkapi.KnownWatermark(9_400_000 + int64(i)*10_000)})
		}
		return x.Track(split(id))
	}
	if got := read("held").State; got != catalog.Advancing {
		t.Errorf("10 min late by a bound of 10 min: %s", got)
	}
	late := read("late")
	if since, ok := onset(late); late.State != Behind || !ok || since.AfterMs != 0 {
		t.Errorf("10 min late: %s since %v", late.State, since)
	}
}

func TestAnOffsetTellsMovementWithoutAWatermark(t *testing.T) {
	x := &Timeline{}
	var track *Track
	for i, o := range []int64{-1, 7, 9, 9} {
		track = x.Read(split("o"), Reading{AtMs: int64(i+1) * 1000, Offset: &o})
	}
	want := []catalog.State{catalog.Never, catalog.Advancing, catalog.Standing}
	for i, c := range track.Changes {
		if c.State != want[i] {
			t.Errorf("change %d is %s, want %s", i, c.State, want[i])
		}
	}
	if len(track.Changes) != len(want) || track.Since != (Interval{2000, 3000}) {
		t.Errorf("%d changes, the last %v", len(track.Changes), track.Since)
	}
}

func TestReadingsFarApartHaveAGapBetween(t *testing.T) {
	x := &Timeline{EveryMs: 10_000}
	for _, at := range []int64{10_000, 35_000, 61_000} {
		x.Read(split("a"), Reading{AtMs: at, Watermark: flinkapi.KnownWatermark(at)})
	}
	if r := x.Track(split("a")).Readings; r[0].Gap || r[1].Gap || !r[2].Gap {
		t.Errorf("gaps %v %v %v; it is one from 25 s on", r[0].Gap, r[1].Gap, r[2].Gap)
	}
}

func TestOneFetchIsOneReading(t *testing.T) {
	x := &Timeline{}
	for range 3 {
		x.Read(split("a"), Reading{AtMs: 1000, Watermark: flinkapi.KnownWatermark(5)})
	}
	if n := len(x.Track(split("a")).Readings); n != 1 {
		t.Errorf("%d readings of one fetch", n)
	}
}

func TestASplitThatMovedToAnotherSubtaskIsTheSame(t *testing.T) {
	x, one, two := &Timeline{}, 1, 2
	for i, sub := range []*int{&one, &two} {
		at := split("a")
		at.Subtask = sub
		x.Read(at, Reading{AtMs: int64(i+1) * 1000, Watermark: flinkapi.KnownWatermark(5)})
	}
	if len(x.Tracks) != 1 {
		t.Errorf("%d tracks", len(x.Tracks))
	}
}

func TestThinningKeepsTheWholeTimeAndTheOnset(t *testing.T) {
	x := &Timeline{EveryMs: 10_000, Keep: 32}
	at := split("a")
	for i := range int64(1000) {
		x.Read(at, Reading{AtMs: (i + 1) * 10_000, Watermark: flinkapi.KnownWatermark(min(i, 600) * 10_000)})
		x.Note(Event{At: Exactly(i), Kind: Restart})
	}
	track := x.Track(at)
	if n := len(track.Readings); n > 32 || n < 16 {
		t.Errorf("%d readings are kept", n)
	}
	if first := track.Readings[0].AtMs; first > 10_000 {
		t.Errorf("the first reading kept is at %d s", first/1000)
	}
	if since, ok := onset(track); !ok || since != (Interval{6_000_000, 6_010_000}) {
		t.Errorf("onset %v, %v", since, ok)
	}
	if len(x.Events) != mostEvents || x.Events[0].At.UntilMs != 800 {
		t.Errorf("%d events from %v on", len(x.Events), x.Events[0].At)
	}
	for i := 1; i < len(track.Readings); i++ {
		if apart := track.Readings[i].AtMs - track.Readings[i-1].AtMs; apart > 1_400_000 || track.Readings[i].Gap {
			t.Errorf("%d s between two readings kept, gap %v", apart/1000, track.Readings[i].Gap)
		}
		if r := track.Readings[i]; r.State == catalog.Standing && risen(track.Readings[i-1], r) {
			t.Errorf("reading at %d is standing although it rose since the one kept before it", r.AtMs)
		}
	}
}

func TestLookingUpAPlaceMakesNoTrack(t *testing.T) {
	x := &Timeline{}
	x.Read(split("a"), Reading{AtMs: 1000, Watermark: flinkapi.KnownWatermark(5)})
	if x.Of(split("a")) != x.Track(split("a")) || x.Of(split("b")) != nil || len(x.Tracks) != 1 {
		t.Errorf("%d tracks", len(x.Tracks))
	}
}

// onset is when the present state of the trouble that lasts began.
func onset(t *Track) (Interval, bool) {
	all := t.Troubles()
	if len(all) == 0 || !all[len(all)-1].Lasts() {
		return Interval{}, false
	}
	changes := all[len(all)-1].Changes
	return changes[len(changes)-1].Since, true
}

// A restart, in which a stopped partition cannot be read, does not change when it stopped. Trouble that is over is listed
// if it was longer than the pauses before it.
func TestTroublesOfATrack(t *testing.T) {
	line := &Timeline{EveryMs: 10_000}
	var track *Track
	read := func(second int64, w flinkapi.Watermark) {
		track = line.Read(split("orders-1"), Reading{AtMs: second * 1000, Watermark: w})
	}
	at := func(ms int64) flinkapi.Watermark { return flinkapi.KnownWatermark(ms) }
	for second := int64(0); second < 100; second += 10 {
		read(second, at(second*1000))
	}
	for second := int64(100); second < 120; second += 10 { // a pause
		read(second, at(90_000))
	}
	read(120, at(119_000))
	for second := int64(130); second < 230; second += 10 { // a fault that ends
		read(second, at(119_000))
	}
	read(230, at(229_000))
	read(240, at(239_000))
	for second := int64(250); second < 300; second += 10 { // a fault that lasts, with a restart within it
		read(second, at(239_000))
	}
	for second := int64(300); second < 350; second += 10 {
		read(second, flinkapi.NoWatermark())
	}
	got := track.Troubles()
	if len(got) != 2 || got[0].Lasts() || !got[1].Lasts() {
		t.Fatalf("%+v", got)
	}
	if got[0].Changes[0].Since != (Interval{110_000, 120_000}) || got[0].Ended != (Interval{220_000, 230_000}) {
		t.Errorf("%+v", got[0])
	}
	if c := got[1].Changes; len(c) != 2 || c[0].Since != (Interval{230_000, 240_000}) || c[1].State != catalog.Never || c[1].Since != (Interval{290_000, 300_000}) {
		t.Errorf("%+v", got[1])
	}
}
