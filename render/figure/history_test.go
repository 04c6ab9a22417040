package figure

import (
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/analyze/series"
	"tidemark/flinkapi"
)

func vertexAt(name string) model.Point { return model.Point{Vertex: &model.Ref{ID: name, Name: name}} }

func stripText(track *series.Track, from, until int64, n int) string {
	var b strings.Builder
	for _, m := range Strip(track, from, until, n, 10_000) {
		b.WriteRune(m.Char)
	}
	return b.String()
}

// Each slice shows the worst state of its readings; a slice without readings has none.
func TestStripShowsStatesAndGaps(t *testing.T) {
	x := &series.Timeline{EveryMs: 1000}
	at := vertexAt("v")
	read := func(second int64, w flinkapi.Watermark, s catalog.State) {
		x.Read(at, series.Reading{AtMs: second * 1000, Watermark: w, State: s})
	}
	for s := range int64(4) {
		read(s, flinkapi.KnownWatermark(s*1000), "")
	}
	read(4, flinkapi.KnownWatermark(3000), "")
	read(5, flinkapi.AbsentWatermark(), "")
	read(6, flinkapi.KnownWatermark(3000), "")
	read(10, flinkapi.KnownWatermark(10_000), "") // nothing was read for four seconds
	read(11, flinkapi.KnownWatermark(11_000), series.Idle)
	if got, want := stripText(x.Track(at), 0, 12_000, 12), "▁▁▁▁×·×···▁-"; got != want {
		t.Errorf("strip %q, want %q", got, want)
	}
	if got, want := stripText(x.Track(at), 0, 12_000, 3), "▁×▁"; got != want {
		t.Errorf("in three slices %q, want %q", got, want)
	}
	if got := stripText(x.Track(at), 20_000, 30_000, 5); got != "·····" {
		t.Errorf("where nothing was read: %q", got)
	}
}

func TestHistoryDrawsHostileNamesHarmlessly(t *testing.T) {
	x := &series.Timeline{EveryMs: 1000}
	name := "<script>alert(1)</script>\x1b[31m\u202e"
	for s := range int64(5) {
		x.Read(vertexAt(name), series.Reading{AtMs: s*1000 + 1, Watermark: flinkapi.KnownWatermark(5)})
	}
	x.Note(series.Event{At: series.Exactly(2000), Kind: series.Restart, Text: name})
	f := History("h", "t", x)
	drawn := strings.Join(f.Text(80), "\n")
	for _, svg := range f.SVG {
		if drawn += string(svg); strings.Contains(string(svg), "<script") {
			t.Error("a name is a tag of the page")
		}
	}
	for _, bad := range []string{"\x1b", "\u202e"} {
		if strings.Contains(drawn, bad) {
			t.Errorf("%q is drawn as it is", bad)
		}
	}
	for i, line := range f.Text(80) {
		if n := len([]rune(line)); n > 80 {
			t.Errorf("line %d has %d cells", i, n)
		}
	}
	if len(f.SVG) != 2 || !strings.Contains(string(f.SVG[0]), `class="event"`) {
		t.Error("no drawing with the event")
	}
}

// Where there are too many places, those that only advanced are left out, and counted.
func TestHistoryKeepsWhatIsWrong(t *testing.T) {
	x := &series.Timeline{EveryMs: 1000}
	for s := range int64(4) {
		for v := range 100 {
			w := flinkapi.KnownWatermark(s * 1000)
			if v == 77 {
				w = flinkapi.NoWatermark()
			}
			x.Read(vertexAt("v"+string(rune('A'+v))), series.Reading{AtMs: s*1000 + 1, Watermark: w})
		}
	}
	f := History("h", "t", x)
	text := strings.Join(f.Text(80), "\n")
	if !strings.Contains(text, "no watermark") || !strings.Contains(f.Note, "99 more places advanced all the time") {
		t.Errorf("%s\n%s", text, f.Note)
	}
}
