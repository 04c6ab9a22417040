package figure

import (
	"testing"

	"tidemark/flinkapi"
)

func TestLagsOfCutsTheClockInSlices(t *testing.T) {
	points := []Point{{At: 10, Watermark: flinkapi.KnownWatermark(5)}, {At: 30, Watermark: flinkapi.KnownWatermark(25)}, {At: 35, Watermark: flinkapi.KnownWatermark(25), Idle: true}}
	cells := lagsOf(points, 0, 40, 4)
	want := []lag{{ms: 5, known: true}, {ms: 15, known: true}, {ms: 5, known: true}, {ms: 15, known: true, idle: true}}
	for i := range want {
		if cells[i] != want[i] {
			t.Errorf("cell %d is %+v, want %+v", i, cells[i], want[i])
		}
	}
	if m := (lag{ms: 9, known: true}).mark(0, 9); m != "█" {
		t.Errorf("the largest lag is %s", m)
	}
}
