package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM303", Cause: "backpressure", Title: "Watermarks wait in the queue of a slow task",
	Severity: catalog.Warning, Needs: []string{"plan", "busy and backpressured time"},
	Explains:  []catalog.Explains{catalog.Chokes(catalog.Movement, catalog.Standing, catalog.Never), catalog.Chokes(catalog.Lag, catalog.Owed, catalog.Constant, catalog.Unknown)},
	EventTime: true,
	Means:     "A vertex's input watermark trails the output of the vertex before it, and the time is spent in the buffers between: this task is busy, or those before it are backpressured.",
	Why: "Watermarks travel in the data stream; they wait behind the records in front of them. The culprit is the first vertex downstream that is busy and not backpressured itself. " +
		"Told from a stalled operator (TM307) by where the gap is: between two vertices, not between input and output of one operator.",
	Fix: catalog.Fix{
		Text:       "Give the slow operator more parallelism or make it faster (asynchronous I/O, batching); unaligned checkpoints and buffer debloating shorten the queue but not the work.",
		DataStream: "stream.keyBy(…).process(lookup).setParallelism(8)\n// or AsyncDataStream.unorderedWait(…)",
		SQL:        "SET 'parallelism.default' = '8'",
	},
	Run: runBackpressure,
})

func runBackpressure(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	reported := map[*model.Vertex]bool{}
	for _, v := range j.Vertices {
		trail, from, ok := lag.QueueLag(v)
		if !ok {
			trail, from, ok = neverArrived(j, v)
		}
		if !ok || trail < model.QueueMinMs {
			continue
		}
		culprit := model.Slowest(v)
		if culprit == nil || reported[culprit] {
			continue
		}
		reported[culprit] = true
		f := catalog.NewFinding("TM303", culprit)
		f.Operator = model.HeadName(culprit)
		f.HeldBack = j.HeldBack(culprit, culprit.EventTime())
		f.Since(trail)
		if !j.Compared() {
			f.Confidence = catalog.Likely // an operator that blocks on its timers looks the same in one fetch
		}
		busy, back := model.WorstBusy(culprit), model.WorstBackpressure(from)
		f.Summary = fmt.Sprintf("%s gets event time %s later than %s sends it: it is busy %s of the time, and watermarks wait behind its records",
			model.QuoteName(culprit.Name), units.Duration(trail), model.QuoteName(from.Name), units.Share(busy/1000))
		if v.MinIn().IsNone() {
			f.Summary = fmt.Sprintf("%s has not received any event time in %s, though %s sends it: %s is busy %s of the time, and watermarks wait behind the records in front of them",
				model.QuoteName(v.Name), units.Duration(trail), model.QuoteName(from.Name), model.QuoteName(culprit.Name), units.Share(busy/1000))
		}
		if back >= 100 {
			f.Summary += fmt.Sprintf("; %s is backpressured %s", model.QuoteName(from.Name), units.Share(back/1000))
		}
		f.ProveReading(from, model.QuoteName(from.Name), "currentOutputWatermark (minimum)", from.MinOut())
		f.ProveReading(v, model.QuoteName(v.Name), "currentInputWatermark (minimum)", v.MinIn())
		f.Prove(culprit, model.QuoteName(culprit.Name), "busyTimeMsPerSecond (largest)", units.Number(busy))
		f.Prove(from, model.QuoteName(from.Name), "backPressuredTimeMsPerSecond (largest)", units.Number(back))
		out = append(out, f)
	}
	return out
}

// neverArrived finds a busy task without event time though every input has sent some and moves on:
// what was sent still waits behind the records of the first minutes.
func neverArrived(j *model.Job, v *model.Vertex) (ms int64, from *model.Vertex, ok bool) {
	if !v.MinIn().IsNone() || model.WorstBusy(v) < 900 && model.WorstBackpressure(v) < 500 || j.WarmingUp() {
		return 0, nil, false
	}
	if flows, known := v.Flows(); !known || !flows {
		return 0, nil, false
	}
	for _, e := range v.In {
		if out := e.From.MinOut(); !out.Now.IsKnown() || !model.MovedCertainly(out) {
			return 0, nil, false
		}
		from = e.From
	}
	return j.UptimeMs, from, from != nil
}
