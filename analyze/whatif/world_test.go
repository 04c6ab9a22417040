package whatif

import (
	"context"
	"math"
	"slices"
	"testing"

	"tidemark/analyze/crosscheck"
	"tidemark/analyze/model"
	"tidemark/engine/twin/job"
	"tidemark/flinkapi"
	"tidemark/internal/cases"
	"tidemark/internal/worlds/random"
	"tidemark/internal/worlds/rest"
)

// stage is a world as whatif reads it: the answers of its JobManager and the records of its topics.
func stage(t testing.TB, w *job.Job, moments ...int64) (*crosscheck.Crosscheck, map[string]*Log) {
	t.Helper()
	rec, err := rest.Recording(w, moments...)
	if err != nil {
		t.Fatal(err)
	}
	c, err := rec.Capture(context.Background(), flinkapi.CaptureOptions{})
	if err != nil || len(c.Jobs) != 1 {
		t.Fatalf("%d jobs, %v", len(c.Jobs), err)
	}
	jobs := []*model.Job{model.BuildJob(c, c.Jobs[0])}
	x := &crosscheck.Crosscheck{Jobs: jobs, Version: w.Flink}
	splits := map[string]*job.Split{}
	for _, op := range w.Operators {
		if op.Source != nil {
			for i := range op.Source.Splits {
				splits[op.Source.Splits[i].ID()] = &op.Source.Splits[i]
			}
		}
	}
	logs := map[string]*Log{}
	end := moments[len(moments)-1] + 2000
	for _, src := range crosscheck.CrosscheckSources(jobs) {
		s := &crosscheck.CrossSource{Vertex: src.Vertex, Data: map[string]*crosscheck.PartitionData{}, Declared: src.Plan, SQL: src.SQL, OnEvent: src.Event, IntervalMs: 200, IntervalBy: "Flink's default"}
		for _, sp := range src.Splits {
			split := splits[sp.ID]
			if split == nil {
				t.Fatalf("no split %s", sp.ID)
			}
			d := &crosscheck.PartitionData{Topic: split.Topic, Partition: int32(split.Partition), Complete: true}
			l := &Log{most: math.MaxInt32}
			at := int64(0)
			for cur := split.Records.Cursor(); ; at++ {
				r, more := cur.Next()
				if !more || r.ArrivalMs > end {
					break
				}
				d.Add(at, r.ArrivalMs, r.EventMs)
				l.add(entry{at, r.ArrivalMs, r.EventMs, r.Key})
			}
			d.End = at
			s.Data[sp.ID], logs[sp.ID] = d, l
		}
		x.Sources = append(x.Sources, s)
	}
	x.Run()
	return x, logs
}

// beyond lists the kinds of worlds with something that plan, gauges and records do not show: the cost of an operator, a
// custom generator, the time at which alignment or an idle timeout took effect.
var beyond = []string{"slow operator", "hot key", "backlog", "operator stall", "wall-clock generator", "healthy, wall clock with records", "generator that stopped",
	"assigner that swallows", "subtask that lost its split", "false idle", "false idle within a subtask", "false idle in other graphs", "quiet, one split earlier", "a gauge that is missing", "two faults", "slow operator behind empty subtasks", "slow operator chained to its source", "slow window", "backlog, splits hours apart", "end of input", "healthy, history finished", "wrong unit of one split", "alignment stall",
	"healthy, all quiet", "healthy, rules declared idle", "restart loop", "wall clock, rare records", "one sample", "wrong unit of a split that stopped"}

// A world that behaves as its plan, strategies and records say is reproduced. Any other may be reproduced or not, and is
// not if its watermarks stand still for another reason.
func TestTwinReproducesWorlds(t *testing.T) {
	of := howMany(t, uint64(cases.Of(8, 24)))
	kinds, fit, refused := map[string]int{}, map[string]int{}, map[string]int{}
	for seed := uint64(1); seed <= of; seed++ {
		w := random.New(seed)
		x, logs := stage(t, w.Job, w.Moments[:]...)
		p, _, why, err := prepare(x, logs, 60_000, nil, nil)
		switch {
		case err != nil:
			t.Errorf("world %d (%s): %v", seed, w.Truth.Fault, err)
			continue
		case why != "":
			continue
		}
		kinds[w.Truth.Fault]++
		if p.fit.Compared < 4 {
			t.Errorf("world %d (%s): %d gauges compared", seed, w.Truth.Fault, p.fit.Compared)
		}
		text := p.fit.Unfit()
		if text == "" {
			fit[w.Truth.Fault]++
			continue
		}
		if !slices.Contains(beyond, w.Truth.Fault) {
			refused[w.Truth.Fault]++
			t.Logf("world %d (%s, %s): %d of %d differ: %s", seed, w.Truth.Fault, w.Job.Flink, p.fit.Differ, p.fit.Compared, text)
		}
	}
	for kind, n := range refused { // a refusal predicts nothing wrong, but a twin that often refuses is useless
		if 5*n > kinds[kind] && n > 1 || of <= 24 {
			t.Errorf("%d of %d worlds of kind %q are not reproduced", n, kinds[kind], kind)
		}
	}
	for _, kind := range []string{"slow operator", "operator stall", "wall-clock generator", "generator that stopped", "assigner that swallows"} {
		if 5*fit[kind] > kinds[kind] { // some of them change no watermark within the samples
			t.Errorf("%d of %d worlds with %s were said to be reproduced", fit[kind], kinds[kind], kind)
		}
	}
	for _, kind := range random.Kinds() {
		if kinds[kind] > 0 {
			t.Logf("%-40s %4d of %4d reproduced", kind, fit[kind], kinds[kind])
		}
	}
}
