package facts

import (
	"math"
	"strings"

	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// Facts is what is known of a job's strategy, apart from whether it is healthy. A policy is held
// against it. What could not be read is a state of its own, never a zero.
type Facts struct {
	Running, Batch, Compared, WarmingUp bool
	UsesEventTime                       model.Use
	Sources                             []SourceFacts
	Operators                           []OperatorFacts // that act on event time
	Names                               []string        // of every vertex and operator, as Flink shows them
}

// SourceFacts is one source vertex.
type SourceFacts struct {
	Vertex      model.Ref
	Name        string    // without Flink's prefix and what is chained to it
	Table       string    // catalog.database.table of a SQL scan whose plan text is shown, "" elsewhere
	Used        model.Use // whether anything downstream needs its event time
	Parallelism int
	Splits      int // that its subtasks own; meaningless unless SplitsKnown
	SplitsKnown bool
	Delay       lag.Bound // meaningless unless DelayKnown
	DelayKnown  bool
	Expr        string // watermark expression of the plan or the script, "" where none is shown
	Rowtime     string // rowtime column of a script, "" elsewhere: a plan shows expressions only
	EpochColumn string // of a script: the column whose number the rowtime is made of, "" elsewhere
	EpochUnit   string // s, ms, us or ns: what the script takes that number for
	Idle        IdleFact
	Emission    EmissionFact
	Alignment   AlignmentFact
	AtSource    bool               // the source operator itself, or one of its splits, has a watermark
	Out         flinkapi.Watermark // minimum over subtasks
	NewestLagMs int64              // clock minus the newest watermark of any split or subtask, ms
	NewestKnown bool
}

// IdleState is what is known of an idle timeout.
type IdleState int

// The states: IdleUnknown is a DataStream strategy, which REST does not show, without a split that
// was ever idle.
const (
	IdleUnknown IdleState = iota
	IdleUnset
	IdleSet
)

// IdleFact is the idle timeout of a source. LowMs and HighMs are the range it is in, both 0 where
// only its presence is known.
type IdleFact struct {
	State         IdleState
	LowMs, HighMs int64
	How           string // what tells, for a sentence
}

// EmissionFact is when watermarks leave a source.
type EmissionFact struct {
	Strategy   string // on-event or on-periodic, "" = not shown
	IntervalMs int64  // pipeline.auto-watermark-interval of the cluster; a job can set its own
	Known      bool   // false before the job runs
	FromConfig bool   // the cluster sets it; else it is Flink's default
}

// AlignmentFact is the watermark alignment of a source. Drift is a range in ms, both 0 = unknown.
type AlignmentFact struct {
	Aligned, Known        bool
	Group                 string
	DriftLowMs, DriftHiMs int64
}

// OperatorFacts is an operator that acts on event time.
type OperatorFacts struct {
	Vertex    model.Ref
	Name      string
	Kind      model.Kind
	Counted   bool // a late counter was read
	Uncounted bool // this version has none for it
	Drops     bool // it can drop late records, counted or not
	Dropped   model.Gauge
	Input     model.Gauge
}

// Facts gathers what the cluster tells of the job's strategy.
func Of(j *model.Job) Facts {
	if j.Now == nil {
		return Facts{}
	}
	f := Facts{Running: j.Running(), Batch: j.Batch, Compared: j.Compared(), WarmingUp: j.WarmingUp(), UsesEventTime: j.UsesEventTime()}
	for _, v := range j.Vertices {
		f.Names = append(f.Names, v.Name)
		for _, op := range v.Chain {
			f.Names = append(f.Names, op.Name)
			if op.Kind.UsesEventTime() {
				f.Operators = append(f.Operators, operatorFacts(j, v, op))
			}
		}
		if v.IsSource() {
			f.Sources = append(f.Sources, sourceFacts(j, v))
		}
	}
	return f
}

func operatorFacts(j *model.Job, v *model.Vertex, op *model.Operator) OperatorFacts {
	o := OperatorFacts{Vertex: *v.Ref(), Name: op.Name, Kind: op.Kind, Dropped: model.NoGauge(), Input: model.NoGauge()}
	o.Uncounted = op.Kind.DropsUncounted(j.Version) && (op.Kind != model.KindDeduplicate || model.FirstRow(op.Text))
	for _, c := range v.Late {
		if _, told := c.Dropped.Value(); told && c.Operator == op.Metric {
			o.Counted = true
			o.Dropped, o.Input = model.AddGauges(o.Dropped, c.Dropped), o.Input.Or(c.Input)
		}
	}
	o.Drops = o.Counted || o.Uncounted || op.Kind == model.KindWindow || op.Kind == model.KindMatch || op.Kind == model.KindOver || op.Kind == model.KindDeduplicate && model.FirstRow(op.Text)
	return o
}

func sourceFacts(j *model.Job, v *model.Vertex) SourceFacts {
	s := SourceFacts{Vertex: *v.Ref(), Name: v.Name, Used: v.EventTimeUse(), Parallelism: v.Parallelism,
		Splits: v.TotalSplits(), SplitsKnown: v.NamesSplits(), Out: v.MinOut().Now, AtSource: v.AnyKnown()}
	if head := v.Head(); head != nil && head.Name != "" {
		s.Name = strings.TrimPrefix(head.Name, "Source: ")
	}
	s.Delay, s.DelayKnown = lag.BoundOf(j, v)
	s.Emission.IntervalMs, s.Emission.Known = j.EmitIntervalMs(), true
	_, s.Emission.FromConfig = j.Config["pipeline.auto-watermark-interval"]
	d, declared := j.Declared(v)
	if declared {
		s.Expr = d.Expr
		s.Table = tableOf(v)
	}
	if declared && d.IdleKnown {
		s.Emission.Strategy = "on-periodic"
		if d.OnEvent {
			s.Emission.Strategy = "on-event"
		}
	}
	s.Idle = idleFact(j, v, d, declared)
	s.Alignment = alignmentFact(j, v, d, declared)
	s.newest(j, v)
	return s
}

func (s *SourceFacts) newest(j *model.Job, v *model.Vertex) {
	best := int64(math.MaxInt64)
	for _, e := range j.EmittersOf(v) {
		if lo, _, ok := j.LagRange(v, e.Spots()); ok {
			best = min(best, lo)
		}
	}
	s.NewestLagMs, s.NewestKnown = best, best != math.MaxInt64
}

// idleFact reads the plan, the cluster's SQL default, and the idle time of splits (2.1+).
func idleFact(j *model.Job, v *model.Vertex, d model.Declared, declared bool) IdleFact {
	switch {
	case declared && d.IdleMs > 0:
		return IdleFact{IdleSet, d.IdleMs, d.IdleMs, "the plan or the configuration sets it"}
	case declared && d.IdleKnown && !d.Source:
		return IdleFact{IdleUnset, 0, 0, "the plan shows a watermark without an idle timeout"}
	}
	if lo, hi, from, ok := j.InferredIdleTimeout(); ok && from.Vertex == v {
		return IdleFact{IdleSet, lo, hi, "inferred from how long a silent split has been idle"}
	}
	if v.HasBeenIdle() {
		return IdleFact{IdleSet, 0, 0, "a split has been idle"}
	}
	return IdleFact{State: IdleUnknown}
}

// alignmentFact reads the plan, or the drift gauge, which is registered with the first announcement.
func alignmentFact(j *model.Job, v *model.Vertex, d model.Declared, declared bool) AlignmentFact {
	if declared && d.IdleKnown {
		return AlignmentFact{Aligned: d.Group != "", Known: true, Group: d.Group, DriftLowMs: d.DriftMs, DriftHiMs: d.DriftMs}
	}
	for _, s := range j.AlignedSubtasks() {
		if s.Vertex == v {
			a := AlignmentFact{Aligned: true, Known: true}
			if _, hi, ok := j.InferredDrift(); ok {
				a.DriftLowMs, a.DriftHiMs = max(hi-4000, 1), hi
			}
			return a
		}
	}
	for _, s := range v.Subtasks {
		// A reader that shows its other gauges and not this one never got an announcement.
		if _, ok := s.Records.Value(); ok && j.Running() && !j.WarmingUp() {
			return AlignmentFact{Known: true}
		}
	}
	return AlignmentFact{}
}

// tableOf reads catalog.database.table from a scan's plan text.
func tableOf(v *model.Vertex) string {
	for _, op := range v.Chain {
		_, rest, ok := strings.Cut(op.Text, "TableSourceScan(table=[[")
		if !ok {
			continue
		}
		parts := strings.SplitN(rest, ", ", 4)
		if len(parts) < 3 {
			return ""
		}
		parts[2], _, _ = strings.Cut(parts[2], "]")
		return strings.Join(parts[:3], ".")
	}
	return ""
}
