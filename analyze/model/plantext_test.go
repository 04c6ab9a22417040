package model

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnescapeDescription(t *testing.T) {
	for escaped, want := range map[string]string{
		"a<br/>+- b<br/>":                       "a\n+- b\n",
		"Calc(where=[(a &gt;= 10)])":            "Calc(where=[(a >= 10)])",
		"x &amp;lt;br/&amp;gt; y":               "x &lt;br/&gt; y", // the user's own entity, once escaped
		"&lt;br/&gt;":                           "<br/>",           // a name, not a line end
		"C:&#92;temp":                           `C:\temp`,
		"define=[{A=&gt;(PREV(A.$0, 0), 1)}]":   "define=[{A=>(PREV(A.$0, 0), 1)}]",
		"&quot;caf&eacute;&quot; &Omega; it's":  `"café" Ω it's`,
		"&lt;script&gt;alert(1)&lt;/script&gt;": "<script>alert(1)</script>",
		"":                                      "",
	} {
		if got := UnescapeDescription(escaped); got != want {
			t.Errorf("%q is %q, want %q", escaped, got, want)
		}
	}
}

func TestParseDescription(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []PlanOperator
	}{
		{"nothing", "", nil},
		{"one operator", "Source: Orders<br/>", []PlanOperator{{0, "Source: Orders", -1}}},
		{"tree", "Window(TumblingEventTimeWindows(10000), EventTimeTrigger, Sum)<br/>+- Sink: Writer<br/>",
			[]PlanOperator{{0, "Window(TumblingEventTimeWindows(10000), EventTimeTrigger, Sum)", -1}, {0, "Sink: Writer", 0}}},
		{"SQL tree", "[73]:GlobalWindowAggregate(groupBy=[k])<br/>+- [74]:Calc(select=[k])<br/>   +- s[75]: Writer<br/>",
			[]PlanOperator{{73, "GlobalWindowAggregate(groupBy=[k])", -1}, {74, "Calc(select=[k])", 0}, {0, "s[75]: Writer", 1}}},
		{"forked tree", "Source: o<br/>:- [70]:Calc(a)<br/>:  +- [71]:LocalWindowAggregate(b)<br/>+- [76]:Calc(c)<br/>",
			[]PlanOperator{{0, "Source: o", -1}, {70, "Calc(a)", 0}, {71, "LocalWindowAggregate(b)", 1}, {76, "Calc(c)", 0}}},
		{"three levels and back", "a<br/>:- b<br/>:  :- c<br/>:  +- d<br/>+- e<br/>   +- f<br/>",
			[]PlanOperator{{0, "a", -1}, {0, "b", 0}, {0, "c", 1}, {0, "d", 1}, {0, "e", 0}, {0, "f", 4}}},
		{"a newline inside a name", "Source: a\nb<br/>+- c<br/>",
			[]PlanOperator{{0, "Source: a\nb", -1}, {0, "c", 0}}},
		{"cascade", "Source: Orders -&gt; Map -&gt; Sink: Writer",
			[]PlanOperator{{0, "Source: Orders", -1}, {0, "Map", 0}, {0, "Sink: Writer", 1}}},
		{"cascade with a fork", "[1]:TableSourceScan(table=[[a, b]], fields=[x, y]) -&gt; ( [2]:Calc(select=[x]) -&gt; s[3]: Writer , [4]:Calc(select=[y]) )",
			[]PlanOperator{{1, "TableSourceScan(table=[[a, b]], fields=[x, y])", -1}, {2, "Calc(select=[x])", 0}, {0, "s[3]: Writer", 1}, {4, "Calc(select=[y])", 0}}},
		{"an arrow inside brackets", "Calc(where=[(a -&gt; b)]) -&gt; Map",
			[]PlanOperator{{0, "Calc(where=[(a -> b)])", -1}, {0, "Map", 0}}},
		{"an id that is none", "[12345678901]:x", []PlanOperator{{0, "[12345678901]:x", -1}}},
	} {
		if diff := cmp.Diff(c.want, ParseDescription(c.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// No text breaks the parser, and parents come before their children.
func TestParseDescriptionHostile(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("(", 5000), strings.Repeat("a -> ( ", 300), strings.Repeat("+- ", 4000), strings.Repeat("   ", 3000) + "+- x<br/>y",
		"+- x<br/>:- y<br/>", "<br/><br/>", " -> ", " -> ( , )", "a -> ( b", "\x1b[31mred\x00\u202e<br/>+- \u202eabc", strings.Repeat("[1]:", 1000),
		"a -> ( b , ( c , d ) )", "a<br/>   +- skipped a level<br/>",
	} {
		checkParents(t, text)
	}
}

func checkParents(t *testing.T, text string) {
	t.Helper()
	for i, op := range ParseDescription(text) {
		if op.Parent >= i || op.Parent < -1 {
			t.Fatalf("operator %d of %.60q has parent %d", i, text, op.Parent)
		}
	}
}

func FuzzParseDescription(f *testing.F) {
	for _, s := range []string{"a<br/>+- b<br/>", "[1]:a -&gt; ( b , c )", "a<br/>:- b<br/>:  +- c<br/>+- d", "( ( ( ", "[99]:TableSourceScan(table=[[x]], watermark=[-(c, 5:INTERVAL SECOND)])"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkParents(t, s)
		for _, op := range ParseDescription(s) {
			classify(op.Text, op.Text, false, false)
			ParseDeclared(op.Text)
			WindowStepOf(op.Text)
		}
	})
}

func TestProperty(t *testing.T) {
	const text = "WindowJoin(leftWindow=[TUMBLE(win_start=[a], size=[15 min])], window=[x[y]z], slice_end=[e], end=[f]"
	for name, want := range map[string]string{"window": "x[y]z", "end": "f", "leftWindow": "TUMBLE(win_start=[a], size=[15 min])", "size": "15 min"} {
		if got, ok := Property(text, name); !ok || got != want {
			t.Errorf("%s is %q %v, want %q", name, got, ok, want)
		}
	}
	for _, name := range []string{"Window", "nothing", "start"} {
		if got, ok := Property(text, name); ok {
			t.Errorf("%s is %q, want none", name, got)
		}
	}
	if _, ok := Property("where=[(a", "where"); ok {
		t.Error("a bracket that never closes has no value")
	}
}
