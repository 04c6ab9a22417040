//go:build slow

package profile

import (
	"os"
	"path/filepath"
	"testing"

	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

// A topic observed for weeks, flushed every twenty minutes.
func TestAProfileOfWeeksStaysSmall(t *testing.T) {
	const weeks, perHour, flushes = 6, 12, 2
	path := filepath.Join(t.TempDir(), "p")
	w, _ := open(t, path)
	opts := measure.Options{Windows: key.Windows}
	c, whole := measure.NewCollector(opts), measure.NewCollector(opts)
	start := int64(498_624) * measure.HourMs // a Thursday at midnight, the first hour of four weeks
	var largest, appended, offset int64
	for hour := range int64(weeks * 7 * 24) {
		for i := range int64(perHour) {
			at := start + hour*measure.HourMs + i*measure.HourMs/perHour
			for _, into := range []*measure.Collector{c, whole} {
				into.Add(record.Point{Offset: offset, Arrival: at, Event: at - offset*7919%60_000, Type: record.AppendTime})
			}
			offset++
			if i%(perHour/flushes) != 0 {
				continue
			}
			dontSync(w)
			before := w.size
			if err := w.Flush(c.Take(), map[int32]int64{0: offset}, c.State()); err != nil {
				t.Fatal(err)
			}
			appended += max(0, w.size-before)
			largest = max(largest, w.size)
		}
	}
	if err := w.Flush(c.Finish(), map[int32]int64{0: offset}, measure.State{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Compact(); err != nil {
		t.Fatal(err)
	}
	p, want := read(t, path), whole.Finish()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes appended, largest %d, at the end %d; %d cells", appended, largest, info.Size(), len(p.Counted.Partitions[0].Cells))
	if largest > appended/2 || info.Size() > appended/4 {
		t.Errorf("%d bytes appended: the file had up to %d, at the end %d", appended, largest, info.Size())
	}
	// Two weeks hour by hour, the others as the same hours of the week in periods of four weeks.
	if got := len(p.Counted.Partitions[0].Cells); got > freshHours+1+2*7*24 {
		t.Errorf("%d cells", got)
	}
	if text(t, p.Counted.Total()) != text(t, want.Total()) || text(t, p.Counted.StepTotal()) != text(t, want.StepTotal()) || text(t, p.Counted.Blocks) != text(t, want.Blocks) {
		t.Error("folding changed the totals")
	}
	mondayNoon := func(hour int64) bool { return hour%(7*24) == 4*24+12 }
	a, b := p.Counted.Only(mondayNoon), want.Only(mondayNoon)
	if text(t, a.Total()) != text(t, b.Total()) || a.Span.N != weeks*perHour || text(t, a.TopicTotal()) != text(t, b.TopicTotal()) {
		t.Errorf("Monday noon: %d records, want %d", a.Span.N, weeks*perHour)
	}
}
