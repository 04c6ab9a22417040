package simulate

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"tidemark/engine"
	"tidemark/kafkastats/record"
	"tidemark/request"
)

func runRecords(t *testing.T, csv string, set func(*Request)) *Result {
	t.Helper()
	r := Defaults()
	r.Records = record.File{Path: "-", Format: "csv"}
	r.Base.Delay = 0
	set(&r)
	p := request.Background()
	p.In = strings.NewReader(csv)
	d, err := Run(context.Background(), p, r)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Whatever the span of time, bars and late records stay few, and add up to the totals.
func TestSlicesAreBoundedAndAddUp(t *testing.T) {
	var csv strings.Builder
	csv.WriteString("partition,arrival,event\n")
	at := int64(1_796_000_000_000)
	for i := range int64(20_000) {
		at += 1 + i*i%5000
		fmt.Fprintf(&csv, "0,%d,%d\n", at, at-i*i*7919%90_000)
	}
	for _, windows := range [][]string{{"tumbling:10s"}, {"hop:1m/5s", "session:1s"}} {
		d := runRecords(t, csv.String(), func(r *Request) { r.Windows, r.Lateness, r.Finish = windows, 20*time.Second, true })
		for _, w := range d.Strategies[0].Windows {
			var bars Bar
			for _, b := range w.Bars {
				bars.add(b)
			}
			dropped, _ := w.LateOf(Dropped)
			var late int64
			for _, l := range w.LateRecords {
				late += l.Records
			}
			if bars.Fired != w.Fired || bars.Again != w.Again || bars.Records != w.Taken || dropped != w.Dropped || late != d.Strategies[0].Late || bars.AtEnd == 0 {
				t.Errorf("%s: bars %+v, %d dropped and %d late are not %+v, %d late", w.Window, bars, dropped, late, w, d.Strategies[0].Late)
			}
			if len(w.Bars) > barSlots || len(w.LateRecords) > barSlots*len(Kinds)*20 || len(w.Bars) < barSlots/4 {
				t.Errorf("%s: %d bars, %d groups of late records", w.Window, len(w.Bars), len(w.LateRecords))
			}
		}
	}
}

// A watermark at the end of time, or a difference beyond an int64, is no negative distance.
func TestDistanceBehindDoesNotOverflow(t *testing.T) {
	var s sliced
	s.record(engine.Late{EventTime: -engine.End, Watermark: engine.End - 1, InTime: 1})
	if _, late := s.results(); len(late) != 1 || late[0].BehindMs != engine.End {
		t.Errorf("%+v", late)
	}
}

func TestWithoutWatermarksNothingFiresOrIsLate(t *testing.T) {
	d := runRecords(t, "partition,arrival,event\n0,10,10\n0,5000,20\n", func(r *Request) { r.Base.Kind, r.Windows = "none", []string{"1s"} })
	if w := d.Strategies[0].Windows[0]; len(w.Bars) != 0 || len(w.LateRecords) != 0 || w.Bars == nil || w.LateRecords == nil {
		t.Errorf("%+v", w)
	}
}
