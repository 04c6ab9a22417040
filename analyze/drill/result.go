package drill

import (
	"tidemark/analyze/model"
	"tidemark/analyze/series"
	"tidemark/internal/units"
)

// Number is a measured value, or why there is none.
type Number struct {
	Value *float64 `json:"value"`           // null = none, for the reason in why
	Why   string   `json:"why,omitempty"`   // why there is no value
	Moot  bool     `json:"moot,omitempty"`  // the value does not exist: a single source is not apart from others
	Never bool     `json:"never,omitempty"` // of a duration: it would never end
	AtMs  int64    `json:"at_ms,omitempty"` // of a maximum: when it was reached, epoch ms
}

func known(v float64) Number { return Number{Value: &v} }

// Unknown is an unknown number, and why it is unknown.
func Unknown(why string) Number { return Number{Why: why} }

func moot(why string) Number { return Number{Why: why, Moot: true} }

// Get is the value; ok is false where there is none.
func (n Number) Get() (v float64, ok bool) {
	if n.Value == nil {
		return 0, false
	}
	return *n.Value, true
}

// Result is what a watched run shows. Times are epoch ms.
type Result struct {
	FromMs            int64          `json:"from_ms"`
	UntilMs           int64          `json:"until_ms"`
	Readings          int            `json:"readings"`
	Sources           []SourceResult `json:"sources"`
	SourcesApart      Number         `json:"sources_apart"`       // largest distance between the watermarks of two sources, ms of event time
	CheckpointSize    Number         `json:"checkpoint_size"`     // largest checkpoint, bytes
	SizeGrowth        Number         `json:"size_growth"`         // median size in the last third of the checkpoints divided by that in the first
	CheckpointMs      Number         `json:"checkpoint_duration"` // slowest checkpoint, ms
	DurationGrowth    Number         `json:"duration_growth"`     // median duration in the last third of the checkpoints divided by that in the first
	FailedCheckpoints Number         `json:"failed_checkpoints"`
	Drops             []Drops        `json:"drops"`
}

// SourceResult is how a source caught up.
type SourceResult struct {
	Of      model.Ref        `json:"source"`
	Behind  Number           `json:"behind_ms"`           // clock minus watermark at the end, ms
	First   Number           `json:"behind_at_first_ms"`  // clock minus watermark at the first reading, ms
	Speed   Number           `json:"speed"`               // event time per wall clock time while it was behind
	Records Number           `json:"records_per_second"`  // records per second while it was behind
	Done    *series.Interval `json:"caught_up,omitempty"` // when it caught up
	Left    Number           `json:"left_ms"`             // wall clock time until it has caught up, at that speed; 0 = it has
	CatchUp Number           `json:"catch_up_ms"`         // wall clock time of the whole catch-up, watched and left
	Apart   Number           `json:"splits_apart_ms"`     // largest distance between the watermarks of two splits, ms of event time
}

// Drops counts the late records that an operator dropped during the run.
type Drops struct {
	Of       model.Ref `json:"vertex"`
	Operator string    `json:"operator"`
	Dropped  Number    `json:"dropped"` // records
	Share    Number    `json:"share"`   // of its input, 0 to 1
}

const (
	noReplay   = "it was not behind when watching began, so no replay was seen"
	noEvents   = "no watermark of it could be read"
	fewEvents  = "too few readings while it was behind: watch for longer"
	noSnapshot = "no checkpoint was completed meanwhile"
)

// Result computes the result so far; the run may continue afterwards.
func (r *Run) Result() Result {
	out := Result{FromMs: r.FromMs, UntilMs: r.UntilMs, Readings: r.Readings, Sources: []SourceResult{}, Drops: []Drops{}}
	for _, s := range r.Sources {
		out.Sources = append(out.Sources, s.result())
	}
	switch {
	case len(r.Sources) < 2:
		out.SourcesApart = moot("one source feeds event time")
	default:
		out.SourcesApart = most(r.Apart, "fewer than two sources had a watermark at one time")
	}
	c := &r.Checkpoints
	why := noSnapshot
	if !c.Read {
		why = "no checkpoint statistics could be read: the job may take none"
	}
	out.CheckpointSize, out.CheckpointMs = most(c.Size, why), most(c.Duration, why)
	out.SizeGrowth, out.DurationGrowth = growthOf(c.Size, why), growthOf(c.Duration, why)
	out.FailedCheckpoints = Unknown(why)
	if c.Read {
		out.FailedCheckpoints = known(float64(c.Failed))
	}
	for _, d := range r.Droppers {
		out.Drops = append(out.Drops, d.result())
	}
	return out
}

func most(points []Point, why string) Number {
	p, ok := largest(points)
	if !ok {
		return Unknown(why)
	}
	return Number{Value: &p.V, AtMs: p.AtMs}
}

func growthOf(points []Point, why string) Number {
	if f, ok := growth(points); ok {
		return known(f)
	}
	if len(points) > 0 {
		why = "fewer than three checkpoints were completed meanwhile: watch for longer"
		if len(points) > 2 {
			why = "the first ones were empty"
		}
	}
	return Unknown(why)
}

func (d *Dropper) result() Drops {
	out := Drops{Of: d.Of, Operator: d.Operator, Dropped: known(d.Dropped)}
	switch {
	case d.Unread != "":
		out.Dropped, out.Share = Unknown(d.Unread), Unknown(d.Unread)
	case d.Dropped == 0:
		out.Share = known(0)
	case !d.Fed || d.Input <= 0:
		out.Share = Unknown("its input could not be read")
	default:
		out.Share = known(d.Dropped / d.Input)
	}
	return out
}

// behind is the lag beyond the delay of the strategy, ms.
func (s *Source) behind(p Point) float64 { return float64(p.AtMs-s.HoldMs) - p.V }

// caughtUp is the index from which on the source stays less than series.BehindMs behind, len(s.Event) where it does not.
func (s *Source) caughtUp() int {
	i := len(s.Event)
	for i > 0 && s.behind(s.Event[i-1]) <= series.BehindMs {
		i--
	}
	return i
}

func (s *Source) result() SourceResult {
	out := SourceResult{Of: s.Of}
	switch {
	case s.Splits == 1:
		out.Apart = moot("it reads one split")
	case s.Merged:
		out.Apart = Unknown("its splits have no watermark metric (before Flink 2.1), and a subtask reads several of them")
	case s.Splits == 0 && len(s.Apart) == 0:
		out.Apart = Unknown("its metrics do not show which splits it reads")
	default:
		out.Apart = most(s.Apart, "fewer than two of its splits had a watermark at one time")
	}
	all := func(n Number) {
		out.Behind, out.First, out.Speed, out.Records, out.Left, out.CatchUp = n, n, n, n, n, n
	}
	n := len(s.Event)
	switch {
	case n == 0:
		all(Unknown(noEvents))
		return out
	case s.Ahead:
		all(Unknown("its watermark was ahead of the clock, so it cannot be said how far it is behind: fix that first"))
		return out
	}
	first, last, done := s.Event[0], s.Event[n-1], s.caughtUp()
	out.First, out.Behind = known(float64(first.AtMs)-first.V), known(float64(last.AtMs)-last.V)
	if done == 0 {
		out.Speed, out.Records, out.Left, out.CatchUp = Unknown(noReplay), Unknown(noReplay), known(0), Unknown(noReplay)
		return out
	}
	end := min(done, n-1)
	phase := s.Event[:end+1]
	speed, ok := slope(phase)
	out.Speed, out.Records = Unknown(fewEvents), s.rate(phase[0].AtMs, phase[end].AtMs)
	if ok {
		out.Speed = known(speed)
	}
	if done < n {
		out.Done = &series.Interval{AfterMs: s.Event[done-1].AtMs, UntilMs: s.Event[done].AtMs}
		out.Left, out.CatchUp = known(0), known(float64(out.Done.UntilMs-first.AtMs))
		return out
	}
	if s.Ended {
		out.Left, out.CatchUp = known(0), known(float64(last.AtMs-first.AtMs))
		return out
	}
	rest, ends := left(s.behind(last), speed)
	switch {
	case !ok:
		out.Left = Unknown(fewEvents)
	case !ends:
		out.Left = Number{Never: true, Why: "event time advances at " + units.Number(speed) + "x the speed of the clock, so it never catches up"}
	default:
		out.Left = known(rest)
	}
	out.CatchUp = out.Left
	if v, ok := out.Left.Get(); ok {
		out.CatchUp = known(v + float64(last.AtMs-first.AtMs))
	}
	return out
}

// rate is how many records per second the source emitted in a part of the run; times are epoch ms.
func (s *Source) rate(from, until int64) Number {
	var part []Point
	for _, p := range s.Sent {
		if p.AtMs >= from && p.AtMs <= until {
			part = append(part, p)
		}
	}
	if perMs, ok := slope(part); ok {
		return known(perMs * 1000)
	}
	if len(s.Sent) == 0 {
		return Unknown("its records could not be counted")
	}
	return Unknown(fewEvents)
}
