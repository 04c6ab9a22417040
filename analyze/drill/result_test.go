package drill

import (
	"math"
	"strings"
	"testing"

	"tidemark/analyze/model"
)

const start = int64(1_800_000_000_000)

// replay is a source read every 10 s whose event time begins behind the clock and gains speed-1.
func replay(behindMs, speed float64, readings int) *Source {
	s := &Source{Of: model.Ref{ID: "s", Name: "Orders"}, HoldMs: 2000, Splits: 2}
	for i := range readings {
		at := start + int64(i)*10_000
		event := math.Min(float64(start)-behindMs+speed*float64(at-start), float64(at)-2500)
		s.Event = append(s.Event, Point{at, event})
		s.Sent = append(s.Sent, Point{at, 40 * float64(at-start) / 1000})
		s.Apart = append(s.Apart, Point{at, float64(1000 * i)})
	}
	return s
}

func TestAReplayOnItsWay(t *testing.T) {
	got := replay(3_600_000, 7, 13).result() // two minutes: twelve of sixty gained
	for _, c := range []struct {
		name string
		n    Number
		want float64
	}{
		{"speed", got.Speed, 7}, {"records", got.Records, 40}, {"first", got.First, 3_600_000}, {"behind", got.Behind, 2_880_000},
		{"left", got.Left, 2_878_000.0 / 6}, {"catch up", got.CatchUp, 2_878_000.0/6 + 120_000}, {"apart", got.Apart, 12_000},
	} {
		if v, ok := c.n.Get(); !ok || math.Abs(v-c.want) > 0.001*c.want {
			t.Errorf("%s: %v %v %q, want %v", c.name, v, ok, c.n.Why, c.want)
		}
	}
	if got.Done != nil || got.Apart.AtMs != start+120_000 {
		t.Errorf("%+v", got)
	}
}

// The time after it had caught up does not count for the speed of the replay.
func TestAReplayThatCaughtUp(t *testing.T) {
	got := replay(600_000, 11, 30).result()
	speed, ok := got.Speed.Get()
	if !ok || math.Abs(speed-11) > 0.3 || got.Done == nil || got.Done.AfterMs != start+50_000 || got.Done.UntilMs != start+60_000 {
		t.Errorf("%v, %+v", speed, got)
	}
	if v, ok := got.Left.Get(); !ok || v != 0 {
		t.Errorf("left %v %v", v, ok)
	}
	if v, _ := got.CatchUp.Get(); v != 60_000 {
		t.Errorf("caught up after %v", v)
	}
}

func TestWhatAReplayDoesNotTell(t *testing.T) {
	ahead := replay(3_600_000, 7, 13)
	ahead.Ahead = true
	merged := replay(3_600_000, 7, 13)
	merged.Merged = true
	one := replay(3_600_000, 7, 13)
	one.Splits = 1
	for _, c := range []struct {
		name, says  string
		of          Number
		moot, never bool
	}{
		{"not behind", "no replay was seen", replay(3000, 1, 13).result().Speed, false, false},
		{"not behind, how long it took", "no replay was seen", replay(3000, 1, 13).result().CatchUp, false, false},
		{"too few", "watch for longer", replay(3_600_000, 7, 4).result().Speed, false, false},
		{"too slow", "0.5x the speed of the clock", replay(3_600_000, 0.5, 13).result().CatchUp, false, true},
		{"never a watermark", "no watermark", (&Source{}).result().Speed, false, false},
		{"ahead of the clock", "ahead of the clock", ahead.result().CatchUp, false, false},
		{"splits without watermarks", "before Flink 2.1", merged.result().Apart, false, false},
		{"one split", "one split", one.result().Apart, true, false},
		{"one source", "one source", (&Run{Sources: []*Source{one}}).Result().SourcesApart, true, false},
		{"no checkpoint", "may take none", (&Run{}).Result().CheckpointSize, false, false},
		{"none completed", "no checkpoint was completed", (&Run{Checkpoints: Checkpoints{Read: true}}).Result().SizeGrowth, false, false},
		{"two checkpoints", "fewer than three", (&Run{Checkpoints: Checkpoints{Read: true, Size: every(1, 1, 2)}}).Result().SizeGrowth, false, false},
	} {
		if _, ok := c.of.Get(); ok || !strings.Contains(c.of.Why, c.says) || c.of.Moot != c.moot || c.of.Never != c.never {
			t.Errorf("%s: %+v", c.name, c.of)
		}
	}
}

// A restart sets a counter to 0: its counts before and after are added up.
func TestCountersOverARestart(t *testing.T) {
	var c counter
	for _, v := range []float64{100, 150, 10, 30} {
		c.add(model.Gauge{Now: v})
	}
	if c.add(model.NoGauge()); c.sum != 80 {
		t.Errorf("%v", c.sum)
	}
}
