package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM307", Cause: "operator-stall", Title: "An operator takes event time in and does not pass it on",
	Headline: "{place} receives watermarks and does not forward them",
	Severity: catalog.Critical, Needs: catalog.Needs(catalog.OperatorWatermarks, catalog.TwoSamples),
	Explains:  []catalog.Explains{catalog.Stalls(catalog.Standing, catalog.Never), catalog.Chokes(catalog.Lag, catalog.Owed, catalog.Constant, catalog.Unknown)},
	EventTime: true,
	Means:     "The watermark stops inside one operator: what came in before the first sample has not gone out by the second, and no rule of the operator explains it.",
	Why:       "A watermark is forwarded only after all due timers have fired. It stops where a backlog of timers is interrupted by each checkpoint (interruptible timers with unaligned checkpoints, 1.20 and newer), or where a user operator does not forward watermarks. The source is not the cause. Operators that hold watermarks by design (interval join, mini-batch, assigners) are recognised in the plan and excluded.",
	Fix: catalog.Fix{
		Text:       "More CPU or parallelism for that operator, fewer or longer-spaced checkpoints, and execution.checkpointing.unaligned.interruptible-timers.enabled = false until the backlog is gone.",
		DataStream: "env.getCheckpointConfig().setCheckpointInterval(300_000);\n// and setParallelism(…) on this operator",
		SQL:        "SET 'execution.checkpointing.unaligned.interruptible-timers.enabled' = 'false'",
	},
	Hides: []string{"TM303"},
	Run:   runOperatorStall,
})

func runOperatorStall(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	if j.WarmingUp() {
		return nil
	}
	for _, v := range j.Vertices {
		for i, op := range v.Chain {
			if op.Kind.Holds() && op.Kind != model.KindAssigner || op.Kind == model.KindSource {
				continue
			}
			if f, ok := operatorStall(j, v, i); ok {
				out = append(out, f)
				break
			}
		}
	}
	return out
}

func operatorStall(j *model.Job, v *model.Vertex, at int) (catalog.Finding, bool) {
	op := v.Chain[at]
	var stuck []*model.Subtask
	for _, s := range v.Subtasks {
		if at < len(s.Ops) && stalled(s.Ops[at]) && (op.Kind != model.KindAssigner || swallows(s, at)) {
			stuck = append(stuck, s)
		}
	}
	if len(stuck) == 0 {
		return catalog.Finding{}, false
	}
	s := stuck[0]
	r := s.Ops[at]
	f := catalog.NewFinding("TM307", v)
	f.Operator = op.Name
	f.Confidence = catalog.Likely
	busy := 0.0
	for _, x := range stuck {
		f.Subtasks = append(f.Subtasks, x.Index)
		if b, ok := x.Busy.Value(); ok && b > busy {
			busy = b
		}
	}
	if busy >= 900 {
		f.Confidence = catalog.Certain
	}
	switch {
	case swallows(s, at) && busy < idleBusy && !(at == 0 && keyed(v)):
		f.Fix = swallowFix
	case busy < idleBusy && firedNone(v, stuck):
		f.Fix = keptFix
	}
	f.HeldBack = j.HeldBack(v, model.Reading{Now: r.Out.Now})
	f.Summary = fmt.Sprintf("%s subtask %d receives event time %s and passes on %s: the watermark stops inside this operator (busy %s)",
		model.QuoteName(op.Name), s.Index, r.In.Now, model.Describe(r.Out.Now), units.Share(busy/1000))
	if f.Fix.Text == swallowFix.Text {
		f.Summary = fmt.Sprintf("%s subtask %d receives watermarks, %s now, and has never passed one on (busy %s): it swallows those of the source, as an assigner behind it does whose generator emits none (noWatermarks()), or a processWatermark of the job's own that hands none on",
			model.QuoteName(op.Name), s.Index, r.In.Now, units.Share(busy/1000))
	}
	if trail, ok := r.In.Now.Lag(0); ok {
		if o, ok := r.Out.Now.Lag(0); ok {
			f.Since(o - trail)
		}
	}
	f.ProveReading(v, model.QuoteName(op.Name), "currentInputWatermark", r.In)
	f.ProveReading(v, model.QuoteName(op.Name), "currentOutputWatermark", r.Out)
	f.Prove(v, model.QuoteName(v.Name), "busyTimeMsPerSecond", units.Number(busy))
	if g := taskGauge(v, s.Index, "numFiredTimers"); g != "" {
		f.Prove(v, model.QuoteName(v.Name), "numFiredTimers", g)
	}
	return f, true
}

// idleBusy is the load below which a stall is no matter of CPU, ms per second.
const idleBusy = 500

// swallows reports an operator that takes watermarks and has never passed one on.
func swallows(s *model.Subtask, at int) bool {
	g := s.Ops[at]
	return g.Out.IsNone() && g.Out.Before.State() == flinkapi.None && g.In.Now.IsKnown() && !s.Never()
}

// firedNone reports subtasks of which none has fired a timer, so that no backlog of timers holds them.
func firedNone(v *model.Vertex, stuck []*model.Subtask) bool {
	for _, s := range stuck {
		if g := taskGauge(v, s.Index, "numFiredTimers"); g != "" && g != "0" {
			return false
		}
	}
	return true
}

var (
	swallowFix = catalog.Fix{
		Text:       "Remove the second assigner, so that the watermarks of the source pass; or give it the strategy and the source none. An operator that is no assigner hands them on with super.processWatermark(mark).",
		DataStream: "env.fromSource(source, strategy, \"Orders\")\n    .map(parse)   // and no assignTimestampsAndWatermarks(WatermarkStrategy.noWatermarks())",
		SQL:        "-- from a DataStream: keep its watermarks\nSchema.newBuilder().watermark(\"ts\", \"SOURCE_WATERMARK()\")",
	}
	keptFix = catalog.Fix{
		Text:       "It is not busy and fires no timers, so an operator of the job's own keeps watermarks back: see what its processWatermark or its generator waits for.",
		DataStream: "@Override\npublic void processWatermark(Watermark mark) throws Exception {\n    super.processWatermark(mark);   // or output.emitWatermark(mark)\n}",
	}
)

// stalled asks for an event time that was in the operator at the first fetch and has not left it at
// the second. The input need not move: timers that fire block the task from reading on.
func stalled(g model.OpGauge) bool {
	in, ok := g.In.Before.Millis()
	if !ok || !g.In.Now.IsKnown() {
		return false
	}
	switch g.Out.Now.State() {
	case flinkapi.None:
		return g.Out.Before.State() == flinkapi.None
	case flinkapi.Known:
		out, _ := g.Out.Now.Millis()
		return g.Out.Frozen() && in-out > model.QueueMinMs
	}
	return false
}

func taskGauge(v *model.Vertex, subtask int, name string) string {
	if v.Sample == nil {
		return ""
	}
	return v.Sample.Metrics[fmt.Sprintf("%d.%s", subtask, name)]
}
