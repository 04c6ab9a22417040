package simulate

import (
	"errors"
	"testing"
	"time"

	"tidemark/engine"
	"tidemark/internal/expect"
	"tidemark/request"
)

func TestStrategyFile(t *testing.T) {
	path := expect.File(t, "s.yaml", `strategies:
  - name: today
    delay: 5s
  - {name: sql, delay: 2 min, dialect: sql, emit: on-event, interval: 1s, idle-timeout: 30s, parallelism: 4, place: downstream, flink-version: 1.20.1}
`)
	all, err := Strategies(DefaultStrategy(), []string{"none=kind=none"}, path)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 || all[0].Delay != 5*time.Second || all[0].Dialect != "datastream" || all[2].Kind != "none" {
		t.Errorf("strategies are %+v", all)
	}
	want := engine.Strategy{BoundMs: 120_000, SQL: true, EmitOnEvent: true, IntervalMs: 1000, IdleMs: 30_000}
	if got := all[1].engine(); got.BoundMs != want.BoundMs || got.SQL != want.SQL || got.EmitOnEvent != want.EmitOnEvent || got.IntervalMs != want.IntervalMs || got.IdleMs != want.IdleMs {
		t.Errorf("sql is %+v, want %+v", got, want)
	}
	if v, _ := all[1].flink(); v != (engine.Version{Major: 1, Minor: 20, Patch: 1}) || all[1].Parallelism != 4 {
		t.Errorf("version %v, parallelism %d", v, all[1].Parallelism)
	}
}

func TestStrategyFileErrorsHaveLineAndColumn(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "the file is empty",
		"strategies: 5\n":              ":1:1: strategies is a list",
		"strategy: []\n":               `:1:1: unknown key "strategy" in the top level; near: strategies`,
		"strategies:\n  - delay: 5s\n": ":2:5: a strategy needs a name",
		"strategies:\n  - name: a\n    dely: 5s\n":              `:3:5: unknown key "dely" in a strategy; near: delay`,
		"strategies:\n  - name: a\n    delay: soon\n":           `:3:12: delay is "soon"`,
		"strategies:\n  - name: a\n    delay: [5s]\n":           ":3:12: delay takes one value",
		"strategies:\n  - name: a\n    delay: 1s\n    delay: 2": `:4:5: key "delay" is given twice`,
		"strategies:\n  - name: a\n    delay: -5s\n":            ":3:12: delay is \"-5s\"",
		"strategies:\n  - name: a\n    dialect: scala\n":        ":2:5: strategy \"a\": dialect is \"scala\"",
		"strategies:\n  - name: a\n    delay: 99999999999 d\n":  ":3:12: delay is",
		"strategies: [\n": "line",
	} {
		_, err := Strategies(DefaultStrategy(), nil, expect.File(t, "s.yaml", text))
		expect.Error(t, err, want)
		var mistake *request.Mistake
		if !errors.As(err, &mistake) {
			t.Errorf("%q: %v is no mistake", text, err)
		}
	}
}

func TestWindows(t *testing.T) {
	for text, want := range map[string]engine.WindowSpec{
		"tumbling:10s":    {Shape: engine.Tumbling, SizeMs: 10_000},
		"hop:1m/10s":      {Shape: engine.Hopping, SizeMs: 60_000, SlideMs: 10_000},
		"cumulate:1h/10m": {Shape: engine.Cumulating, SizeMs: 3_600_000, SlideMs: 600_000},
		"session:30 s":    {Shape: engine.Session, GapMs: 30_000},
	} {
		got, err := parseWindow(text, 0)
		if err != nil || got != want {
			t.Errorf("%s is %+v (%v), want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "tumbling", "tumbling:", "tumbling:1s/2s", "session:1s/2s", "hop:1s", "spin:1s", "tumbling:1us"} {
		if _, err := parseWindow(text, 0); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestExpectations(t *testing.T) {
	d := &Result{Input: Input{Records: 1000}, Strategies: []Outcome{
		{Name: "a", Late: 1, Lag: Spread{N: 5, P99: 900, Max: 1200}, Windows: []Window{{Window: "w", Fired: 10, Dropped: 3}}},
		{Name: "b.c", Late: 2, Windows: []Window{{Window: "w", Fired: 9}}},
	}}
	for text, want := range map[string][]bool{
		"late<=0.1%":      {true, false},
		"late<0.1%":       {false, false},
		"late=2":          {false, true},
		"a.late<=0.1%":    {true},
		"b.c.late>1":      {true},
		"dropped=0":       {false, true},
		"dropped<=0.3%":   {true, true},
		"fired>=10":       {true, false},
		"fired!=9":        {true, false},
		"lag-p99<1s":      {true, false}, // b never emitted: no value meets nothing
		"lag-max<=1200ms": {true, false},
		"records==1000":   {true, true},
	} {
		all, err := parseExpectations([]string{text}, []string{"a", "b.c"}, 1)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []bool
		for _, e := range all[0].judge(d) {
			got = append(got, e.Met)
		}
		if len(got) != len(want) {
			t.Errorf("%s: %v, want %v", text, got, want)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: %v, want %v", text, got, want)
			}
		}
	}
	for _, text := range []string{"", "late", "late<=", "lat<=1", "late<=x", "late<=1/3", "late<=1e9", "fired<=1%", "z.late=0", "lag-p99<5", "late<=1,", "late<=200%", "dropped>=-1%"} {
		if _, err := parseExpectations([]string{text}, []string{"a"}, 1); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestTimelineIsBounded(t *testing.T) {
	var l timeline
	for i := range int64(100_000) {
		l.add(engine.Point{At: i * 37, Scope: engine.Global, Watermark: i})
	}
	s := l.series(nil)
	if len(s) != 1 || len(s[0].Points) > slots || len(s[0].Points) < slots/3 {
		t.Fatalf("%d series of %d points", len(s), len(s[0].Points))
	}
	last := s[0].Points[len(s[0].Points)-1]
	if ms, _ := last.Watermark.Millis(); ms != 99_999 || last.At != 99_999*37 {
		t.Errorf("the last point is %+v", last)
	}
	for i := 1; i < len(s[0].Points); i++ {
		if s[0].Points[i].At <= s[0].Points[i-1].At {
			t.Fatalf("points are not in order at %d", i)
		}
	}
}
