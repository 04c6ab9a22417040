package model_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/analyze/model"
	"tidemark/internal/jobtest"
)

// graph is a job whose vertices read from random earlier ones, with windows and assigners among them.
func graph(r *rand.Rand, vertices int) *model.Job {
	m := jobtest.New("2.3.0").Source("Orders", 2000, 2500)
	names := []string{"Source: Orders"}
	for v := range vertices {
		name := fmt.Sprintf("Step%d", v)
		text := name
		switch r.IntN(8) {
		case 0:
			text = "Window(TumblingEventTimeWindows(10000), EventTimeTrigger, Sum)"
		case 1:
			text = "Timestamps/Watermarks"
		case 2:
			text = fmt.Sprintf("Calc[%d]", v)
		}
		var inputs []string
		for range 1 + r.IntN(3) {
			if in := names[r.IntN(len(names))]; !slices.Contains(inputs, in) {
				inputs = append(inputs, in)
			}
		}
		m.Vertex(name, text+"<br/>", 1, inputs...)
		at := jobtest.At1 - 2000 - r.Int64N(5000)
		m.Gauge(name, 0, "currentInputWatermark", jobtest.Mark(at-1000), jobtest.Mark(at))
		names = append(names, name)
	}
	return m.Build()
}

// said lists the model's answers about each vertex.
func said(j *model.Job) []string {
	w := j.NewWalk(func(v *model.Vertex) bool { return len(v.Chain)%2 == 1 && v.ID > "8" })
	var out []string
	for _, v := range j.Vertices {
		names := func(vs []*model.Vertex) []string {
			var list []string
			for _, u := range vs {
				list = append(list, u.Name)
			}
			return list
		}
		sources := names(v.SourcesOf())
		slices.Sort(sources)
		out = append(out, fmt.Sprint(v.Name, v.EventTimeUse(), v.Replaced(), sources, j.EndOf(v).Name, j.HolderOf(v), names(w.From(v))))
	}
	return out
}

// The answers computed in one pass are those of the walk from each vertex.
func TestOnePassGivesWhatEachWalkGives(t *testing.T) {
	for seed := range uint64(60) {
		j := graph(rand.New(rand.NewPCG(seed, 1)), 3+int(seed%25))
		remembered := said(j)
		var walked []string
		for i := range j.Vertices {
			j.Forget()
			walked = append(walked, said(j)[i])
		}
		if d := cmp.Diff(walked, remembered); d != "" {
			t.Fatalf("graph %d: %s", seed, d)
		}
		all := j.NewWalk(func(*model.Vertex) bool { return true })
		for _, v := range j.Vertices {
			if p := j.Path(v); p[len(p)-1] != j.EndOf(v) || !slices.Equal(p, all.From(v)) {
				t.Fatalf("graph %d: the path of %s", seed, v.Name)
			}
		}
	}
}
