//go:build slow

package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"tidemark/internal/units"
	"tidemark/kafkastats/advise"
	"tidemark/render/internal/invented"
	"tidemark/render/internal/rendertest"
	"tidemark/render/safe"
)

// dom is a page as a browser parsed it.
type dom struct{ root *html.Node }

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// all are the nodes below n for which ok is true, in order.
func all(n *html.Node, ok func(*html.Node) bool) []*html.Node {
	var out []*html.Node
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && ok(d) {
			out = append(out, d)
		}
	}
	return out
}

func tagged(tag, class string) func(*html.Node) bool {
	return func(n *html.Node) bool {
		return n.Data == tag && (class == "" || slices.Contains(strings.Fields(attr(n, "class")), class))
	}
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.TrimSpace(b.String())
}

func (d dom) byID(t *testing.T, id string) *html.Node {
	t.Helper()
	found := all(d.root, func(n *html.Node) bool { return attr(n, "id") == id })
	if len(found) != 1 {
		t.Fatalf("%d elements with id %s", len(found), id)
	}
	return found[0]
}

// browse opens a page in a real browser, where there is one, and returns the parsed page. Any line on the console fails
// the test.
func browse(t *testing.T, page []byte) dom {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.html")
	if err := os.WriteFile(path, page, 0o600); err != nil {
		t.Fatal(err)
	}
	out, logged := rendertest.Chromium(t, path, "--enable-logging=stderr")
	if strings.Contains(logged, "CONSOLE") {
		t.Errorf("the console complains: %s", logged)
	}
	root, err := html.Parse(strings.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	return dom{root}
}

// Every number that a figure shows is in the JSON report.
func TestFiguresInABrowserShowTheJSON(t *testing.T) {
	for _, topic := range invented.Topics() {
		t.Run(strings.Fields(topic.Name)[0], func(t *testing.T) {
			measured := topic.Recommendation(t)
			var page, text bytes.Buffer
			if err := Recommendation(measured).Write(&page, "html", Options{}); err != nil {
				t.Fatal(err)
			}
			if err := Recommendation(measured).Write(&text, "json", Options{}); err != nil {
				t.Fatal(err)
			}
			var r advise.Recommendation
			if err := json.Unmarshal(text.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			d := browse(t, page.Bytes())
			if got := textOf(all(d.root, tagged("header", "top"))[0]); !strings.HasPrefix(got, strings.ToUpper(r.Advice.Verdict.Words())+" ") {
				t.Errorf("the page begins with %q", got)
			}
			facts := map[string]string{}
			for _, dt := range all(d.root, tagged("dt", "")) {
				facts[textOf(dt)] = textOf(dt.Parent)
			}
			for name, want := range map[string]string{"delay to declare": units.Exact(r.Advice.RoundedMs), "late with this delay": units.Count(r.Advice.Late.Records) + " of",
				"smallest for " + units.Share(r.TargetLate) + " late": "DataStream " + units.Exact(r.Advice.DataStreamMs) + ", SQL " + units.Exact(r.Advice.SQLMs)} {
				if !strings.Contains(facts[name], want) {
					t.Errorf("%s is %q, which lacks %q", name, facts[name], want)
				}
			}
			if scripts := all(d.root, tagged("script", "")); len(scripts) > 0 {
				t.Errorf("%d scripts in the page", len(scripts))
			}
			items := map[string]bool{}
			for _, li := range all(d.root, tagged("li", "")) {
				items[textOf(li)] = true
			}
			for _, want := range slices.Concat(r.Assumptions, r.NotMeasured, r.NotSeen, r.Review.WouldChange) {
				if !items[safe.Clean(want)] {
					t.Errorf("the page does not list %q", want)
				}
			}
			checkTables(t, d, r)
			checkDrawings(t, d, r)
		})
	}
}

// checkTables compares the numbers next to each figure with the report.
func checkTables(t *testing.T, d dom, r advise.Recommendation) {
	t.Helper()
	want := map[string][][]any{}
	for _, p := range r.Curve {
		want["curve"] = append(want["curve"], []any{p.DelayMs, p.Late, fmt.Sprint(p.LateCI95[0], " ", p.LateCI95[1]), p.LateN})
	}
	for _, p := range r.Partitions {
		want["partitions"] = append(want["partitions"], []any{p.ID, p.NeedMs, "", p.Records, p.Disorder.P999, p.GapMax})
	}
	byHour := map[int]advise.Hour{}
	for _, h := range r.Hours {
		byHour[h.Hour] = h
	}
	for h := range 24 {
		if at, ok := byHour[h]; ok {
			want["hours"] = append(want["hours"], []any{h, at.NeedMs, at.P999, at.Records, at.Late})
		} else {
			want["hours"] = append(want["hours"], []any{h, "", "", 0, ""})
		}
	}
	for _, h := range r.Week {
		want["week"] = append(want["week"], []any{fmt.Sprint(h.Day, " ", h.Hour), h.NeedMs, h.P999, h.Records, h.Late})
	}
	for id, rows := range want {
		got := all(d.byID(t, id+"-numbers"), func(n *html.Node) bool { return n.Data == "tr" && n.Parent.Data == "tbody" })
		if len(got) != len(rows) {
			t.Errorf("%s: %d rows, want %d", id, len(got), len(rows))
			continue
		}
		for i, row := range got {
			cells := all(row, tagged("td", ""))
			for j, v := range rows[i] {
				if has := attr(cells[j], "data-value"); has != fmt.Sprint(v) {
					t.Errorf("%s row %d column %d is %s, want %v", id, i, j, has, v)
				}
			}
		}
	}
}

// number reads a number from an attribute of a shape.
func number(t *testing.T, n *html.Node, name string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(attr(n, name), 64)
	if err != nil {
		t.Fatalf("%s of %s: %v", name, n.Data, err)
	}
	return v
}

// checkDrawings reads the picture itself: each shape is where the labels of its axes say.
func checkDrawings(t *testing.T, d dom, r advise.Recommendation) {
	t.Helper()
	for _, id := range []string{"curve", "distribution", "latency", "joint", "partitions", "hours", "week"} {
		section := d.byID(t, id)
		drawings := all(section, func(n *html.Node) bool { return n.Data == "svg" && attr(n, "role") == "img" })
		missing := all(section, tagged("p", "missing"))
		if len(drawings)+2*len(missing) != 2 {
			t.Errorf("%s: %d drawings, %d words of why there is none", id, len(drawings), len(missing))
		}
		for _, svg := range drawings {
			for _, label := range strings.Fields(attr(svg, "aria-labelledby")) {
				if textOf(d.byID(t, label)) == "" {
					t.Errorf("%s: %s is empty", id, label)
				}
			}
		}
	}
	curve := all(d.byID(t, "curve"), tagged("svg", "wide"))[0]
	ms, share := ticksOf(t, curve, "data-ms", "x"), ticksOf(t, curve, "data-value", "y")
	points := all(curve, func(n *html.Node) bool { return n.Data == "circle" })
	if want := len(r.Curve) + 1; len(points) != want && !(r.Advice.Verdict.Refuses() && len(points) == want-1) {
		t.Errorf("%d points of %d", len(points), len(r.Curve))
	}
	for _, p := range points {
		wantMs, wantShare := number(t, p, "data-ms"), number(t, p, "data-value")
		if got, ok := ms.read(number(t, p, "cx")); ok && math.Abs(got-wantMs) > 0.02*wantMs {
			t.Errorf("a point of %g ms is drawn at %g ms", wantMs, got)
		}
		if got, ok := share.read(number(t, p, "cy")); ok && math.Abs(got-wantShare) > 0.02*wantShare {
			t.Errorf("a share of %g is drawn at %g", wantShare, got)
		}
	}
	var inJoint, bars uint64
	for _, c := range all(d.byID(t, "joint"), func(n *html.Node) bool {
		return n.Data == "rect" && attr(n, "class") == "cell" && attr(n.Parent, "class") == "wide" && attr(n, "data-value") != ""
	}) {
		inJoint += uint64(number(t, c, "data-value"))
	}
	if r.Joint != nil && inJoint != r.Joint.Records || r.Joint == nil && inJoint != 0 {
		t.Errorf("%d records in the joint picture, want %+v", inJoint, r.Joint)
	}
	for _, tr := range all(d.byID(t, "distribution-numbers"), tagged("tr", ""))[1:] {
		bars += uint64(number(t, all(tr, tagged("td", ""))[1], "data-value"))
	}
	var want uint64
	for _, b := range r.Distrib {
		want += b.Records
	}
	if bars != want {
		t.Errorf("%d records in the distribution, want %d", bars, want)
	}
}

// scale is a log axis, by its labels.
type scale struct{ v, at [2]float64 }

func ticksOf(t *testing.T, svg *html.Node, value, place string) scale {
	t.Helper()
	var s scale
	for _, n := range all(svg, tagged("text", "tick")) {
		if attr(n, value) == "" || number(t, n, value) <= 0 {
			continue
		}
		at := number(t, n, place)
		if place == "y" {
			at -= 4 // the baseline is below the middle of its line
		}
		i := 1
		if s.v[0] == 0 {
			i = 0
		}
		s.v[i], s.at[i] = number(t, n, value), at
	}
	if s.v[1] == 0 {
		t.Fatalf("an axis has fewer than two labels")
	}
	return s
}

// read is the quantity at a place; ok is false beyond the labels, where zero is.
func (s scale) read(at float64) (float64, bool) {
	f := (at - s.at[0]) / (s.at[1] - s.at[0])
	return s.v[0] * math.Pow(s.v[1]/s.v[0], f), f >= 0 && f <= 1
}
