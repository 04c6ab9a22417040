package figure

import (
	"fmt"
	"strings"
	"testing"

	"tidemark/engine/simulate"
	"tidemark/render/doc"
)

const windowsStart = 1_796_000_000_000

func simulated(windows ...simulate.Window) *simulate.Result {
	return &simulate.Result{Input: simulate.Input{StartMs: windowsStart, EndMs: windowsStart + 100_000}, Strategies: []simulate.Outcome{{Name: "bounded", Windows: windows}}}
}

// busy is a window that fired in every slice, with late records of every kind.
func busy(name string) simulate.Window {
	w := simulate.Window{Window: name}
	for i := range int64(100) {
		at := windowsStart + i*1000
		w.Fired++
		w.Bars = append(w.Bars, simulate.Bar{At: at, Until: at + 1000, Fired: 1, Records: 10 + i})
		for k, kind := range simulate.Kinds {
			w.LateRecords = append(w.LateRecords, simulate.LateRecords{At: at, Until: at + 1000, Kind: kind, Records: int64(k) + 1, BehindMs: i * 100}, simulate.LateRecords{At: at, Until: at + 1000, Kind: kind, Records: 1, BehindMs: i})
		}
	}
	return w
}

func figureOf(t *testing.T, blocks []doc.Block) doc.Figure {
	t.Helper()
	f, ok := blocks[0].(doc.Figure)
	if !ok {
		t.Fatalf("%T", blocks[0])
	}
	return f
}

func TestWindowsFitTheirDrawing(t *testing.T) {
	all := []panel{{strings.Repeat("a long name ", 20), busy("hop 1 min / 1 s")}, {"none late", simulate.Window{Fired: 1, Bars: []simulate.Bar{{At: windowsStart + 99_000, Until: windowsStart + 164_000, Fired: 1, AtEnd: 1, Records: 9}}}}, {"x", simulate.Window{}}}
	for _, c := range canvases("windows", 30+all[0].height()+2*all[1].height(), 30+all[0].height()+2*all[1].height(), func(c *Canvas) { drawWindows(c, all, windowsStart, windowsStart+100_000) }) {
		checkTexts(t, "windows", c)
		dots := 0
		for _, s := range c.Shapes {
			if s.Kind != "text" && (s.X < 0 || s.X > c.W || s.Y < 0 || s.Y > c.H || s.Kind == "rect" && s.X+s.W > c.W) {
				t.Errorf("%s: %+v leaves the picture", c.ID, s)
			}
			if s.Kind == "dot" {
				dots++
			}
		}
		if dots != 100*len(simulate.Kinds) {
			t.Errorf("%s: %d dots, want one for each slice and kind", c.ID, dots)
		}
	}
}

// The table and the words next to the drawing have all of its numbers.
func TestWindowsAreToldInNumbers(t *testing.T) {
	w := simulate.Window{Window: "tumbling 10 s", Fired: 2, Bars: []simulate.Bar{{At: windowsStart + 20_000, Until: windowsStart + 21_000, Fired: 1, Records: 7}, {At: windowsStart + 101_000, Until: windowsStart + 102_000, Fired: 1, AtEnd: 1, Records: 3}},
		LateRecords: []simulate.LateRecords{{At: windowsStart + 50_000, Until: windowsStart + 51_000, Kind: simulate.Dropped, Records: 5, BehindMs: 4200}}}
	blocks := Windows(simulated(w))
	f := figureOf(t, blocks)
	if len(f.SVG) != 2 || !strings.Contains(string(f.SVG[0]), "bounded, tumbling 10 s: 2 windows fired, 5 dropped.") {
		t.Errorf("the drawing does not say what it shows: %s", f.SVG)
	}
	table := blocks[1].(doc.Folded).Blocks[0].(doc.Table)
	var heads, rows []string
	for _, c := range table.Columns {
		heads = append(heads, c.Name)
	}
	for _, r := range table.Rows {
		var cells []string
		for _, c := range r.Cells {
			cells = append(cells, c.Text)
		}
		rows = append(rows, strings.Join(cells, "|"))
	}
	if got, want := strings.Join(heads, "|"), "from|windows fired|records in them|dropped|furthest behind|by the end of the input"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	if got := strings.Join(rows, "\n"); len(rows) != 3 || !strings.HasSuffix(rows[0], "|1|7|0|-|0") || !strings.HasSuffix(rows[1], "|0|0|5|4.2 s|0") || !strings.HasSuffix(rows[2], "|1|3|0|-|1") {
		t.Errorf("rows:\n%s", got)
	}
	text := strings.Join(f.Text(80), "\n")
	if !strings.Contains(text, "×") || !strings.Contains(text, "E") || !strings.Contains(text, "█") {
		t.Errorf("in characters:\n%s", text)
	}
	for _, l := range f.Text(78) {
		if len([]rune(l)) > 78 {
			t.Errorf("%d cells: %s", len([]rune(l)), l)
		}
	}
}

func TestWindowsThatNeverFired(t *testing.T) {
	if blocks := Windows(simulated()); blocks != nil {
		t.Errorf("without a window: %v", blocks)
	}
	if f := figureOf(t, Windows(simulated(simulate.Window{Window: "w"}))); len(f.SVG) != 0 || !strings.Contains(f.Note, "No window fired and no record was late") {
		t.Errorf("%q, %d drawings", f.Note, len(f.SVG))
	}
}

// Of many windows the first are drawn, and the note says which are not.
func TestManyWindowsAreBounded(t *testing.T) {
	var all []simulate.Window
	for i := range 40 {
		all = append(all, busy(fmt.Sprintf("session %d s", i)))
	}
	f := figureOf(t, Windows(simulated(all...)))
	if !strings.Contains(f.Note, "Not drawn: bounded, session 6 s and all after it (34)") {
		t.Errorf("note: %s", f.Note)
	}
	if n := len(f.SVG[0]) + len(f.SVG[1]); n > 1<<20 {
		t.Errorf("%d bytes", n)
	}
}
