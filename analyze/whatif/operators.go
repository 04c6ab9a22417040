package whatif

import (
	"strconv"
	"strings"

	"tidemark/analyze/model"
	"tidemark/engine"
	"tidemark/engine/twin/job"
)

// NotModelled is what the twin leaves out of an operator.
type NotModelled struct {
	Vertex   model.Ref `json:"vertex"`
	Operator string    `json:"operator"`
	Why      string    `json:"why"`
	// Counts says that the number of records downstream cannot be predicted, although watermarks can.
	Counts bool `json:"counts"`
}

// workOf is what an operator does, from its kind and its line of the plan. why names what is not modelled; rows says that
// it is not known how many records it emits.
func workOf(v *model.Vertex, op *model.Operator, version engine.Version) (w job.Work, why string, rows bool) {
	switch op.Kind {
	case model.KindSink:
		return job.Work{Kind: job.Sink}, "", false
	case model.KindWindow:
		return windowWork(op)
	case model.KindLocalWindow:
		w.Window, why = windowOf(op.Text)
		if why != "" {
			return job.Work{}, why, true
		}
		w.Kind = job.LocalAgg
		return w, "", false
	case model.KindIntervalJoin:
		return joinWork(op)
	case model.KindTemporalJoin:
		return job.Work{Kind: job.TemporalJoin}, "", false
	case model.KindMatch:
		return job.Work{Kind: job.Wait, Buffer: engine.Match}, "how many matches it finds", true
	case model.KindOver:
		return job.Work{Kind: job.Wait, Buffer: engine.Over}, "", false
	case model.KindSort:
		return job.Work{Kind: job.Wait, Buffer: engine.Sort}, "", false
	case model.KindDeduplicate:
		if model.FirstRow(op.Text) && version.AtLeast(2, 1, 0) {
			return job.Work{Kind: job.Wait, Buffer: engine.FirstRow}, "", false
		}
		return job.Work{}, "which rows it retracts", true
	case model.KindMiniBatchRow:
		w.IntervalMs, _ = model.HoldOf(op)
		if w.IntervalMs <= 0 {
			return job.Work{}, "the interval of its mini-batches", false
		}
		w.Kind = job.MiniBatch
		return w, "", false
	case model.KindMiniBatchProc:
		return job.Work{}, "its watermarks follow the wall clock", false
	case model.KindUnknown, model.KindAggregate, model.KindRegularJoin, model.KindRank:
		return job.Work{}, "", true
	case model.KindStateless:
		return job.Work{}, "", filters(op)
	}
	return job.Work{}, "", false
}

// filters reports an operator that may emit another number of records than it reads.
func filters(op *model.Operator) bool {
	for _, head := range []string{"Flat Map", "Filter", "Correlate(", "PythonCorrelate(", "Expand(", "LookupJoin("} {
		if strings.HasPrefix(op.Text, head) || strings.HasPrefix(op.Name, head) {
			return true
		}
	}
	_, where := model.Property(op.Text, "where")
	return where
}

func windowWork(op *model.Operator) (w job.Work, why string, rows bool) {
	spec, why := windowOf(op.Text)
	if why != "" {
		return job.Work{}, why, true
	}
	if strings.HasPrefix(op.Text, "WindowTableFunction(") && spec.Shape != engine.Session {
		return job.Work{}, "", spec.SlideMs > 0 // it only adds the window columns
	}
	return job.Work{Kind: job.Window, Window: spec}, "", false
}

// joinWork is an interval join. The plan shows the bounds of SQL only. Without them late records are known all the same: a
// record is late if it is below the watermark, whatever the bounds.
func joinWork(op *model.Operator) (w job.Work, why string, rows bool) {
	w.Kind = job.IntervalJoin
	lower, okA := number(op.Text, "leftLowerBound=")
	upper, okB := number(op.Text, "leftUpperBound=")
	if okA && okB {
		w.Join = engine.FromSQLBounds(lower, upper)
		return w, "", false
	}
	return w, "the plan does not show its bounds: how many pairs it finds", true
}

func number(text, after string) (int64, bool) {
	_, rest, ok := strings.Cut(text, after)
	if !ok {
		return 0, false
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r != '-' && (r < '0' || r > '9') })
	if end < 0 {
		end = len(rest)
	}
	n, err := strconv.ParseInt(rest[:end], 10, 64)
	return n, err == nil
}

// twoInputs reports a vertex whose head has two logical inputs, as opposed to one input that is a union.
func twoInputs(v *model.Vertex) bool {
	if len(v.In) < 2 || len(v.Chain) == 0 {
		return false
	}
	head := v.Chain[0]
	switch head.Kind {
	case model.KindIntervalJoin, model.KindTemporalJoin, model.KindRegularJoin:
		return true
	case model.KindWindow:
		return strings.HasPrefix(head.Text, "WindowJoin(")
	case model.KindUnknown, model.KindStateless:
		return len(v.In) == 2
	}
	return false
}

// eitherInputs reports a vertex for which the plan does not say whether it has two inputs or a union. While one of them is
// idle its input gauge depends on that, its output does not.
func eitherInputs(v *model.Vertex) bool {
	if len(v.In) < 2 || len(v.Chain) == 0 {
		return false
	}
	k := v.Chain[0].Kind
	return k == model.KindUnknown || k == model.KindStateless
}

func shipOf(e *model.Edge) engine.Ship {
	switch {
	case strings.HasPrefix(e.Ship, "FORWARD") && e.From.Parallelism == e.To.Parallelism:
		return engine.Forward
	case strings.HasPrefix(e.Ship, "HASH"):
		return engine.Hash
	case strings.HasPrefix(e.Ship, "BROADCAST"):
		return engine.Broadcast
	}
	return engine.Rebalance
}
