package policy

import (
	"tidemark/analyze/drill"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// limit is one key of a drill that is written.
type limit struct {
	code, key string
	at        Location
	text      string // what is demanded: "at least 5x"
	broken    func(float64) bool
	write     func(float64) string
	judge     func(scope, *drill.Result, teller)
}

// teller takes what was found at a place of the job.
type teller = func(of *model.Ref, operator, what string, n drill.Number)

// limits are the keys that are written, in the order of the table of keys.
func (d *Drill) limits() []limit {
	var out []limit
	least := func(code, key string, at Location, text string, v float64, write func(float64) string, judge func(scope, *drill.Result, teller)) {
		out = append(out, limit{code, "drill." + key, at, "at least " + text, func(x float64) bool { return x < v }, write, judge})
	}
	most := func(code, key string, at Location, text string, v float64, write func(float64) string, judge func(scope, *drill.Result, teller)) {
		out = append(out, limit{code, "drill." + key, at, "at most " + text, func(x float64) bool { return x > v }, write, judge})
	}
	duration := func(ms float64) string { return units.Duration(int64(ms)) }
	times := func(x float64) string { return units.Number(x) + "x" }
	bytes := func(x float64) string { return units.Size(int64(x)) }
	if k := d.Speed; k != nil {
		least("TM881", "speed", k.At, k.Text, ratio(k), times, eachSource("event time per wall clock", func(r drill.SourceResult) drill.Number { return r.Speed }))
	}
	if k := d.Records; k != nil {
		least("TM881", "records", k.At, units.Count(k.N), float64(k.N), units.Number, eachSource("records a second", func(r drill.SourceResult) drill.Number { return r.Records }))
	}
	if k := d.CatchUp; k != nil {
		most("TM882", "catch-up", k.At, k.String(), float64(k.Ms), duration, eachSource("time to catch up", func(r drill.SourceResult) drill.Number { return r.CatchUp }))
	}
	if k := d.SplitSpread; k != nil {
		most("TM883", "split-spread", k.At, k.String(), float64(k.Ms), duration, eachSource("event time between its splits", func(r drill.SourceResult) drill.Number { return r.Apart }))
	}
	if k := d.SourceSpread; k != nil {
		most("TM884", "source-spread", k.At, k.String(), float64(k.Ms), duration, ofJob("event time between sources", func(r *drill.Result) drill.Number { return r.SourcesApart }))
	}
	if k := d.Size; k != nil {
		most("TM885", "checkpoint-size", k.At, k.Text, float64(k.Bytes), bytes, ofJob("the largest checkpoint", func(r *drill.Result) drill.Number { return r.CheckpointSize }))
	}
	if k := d.SizeGrowth; k != nil {
		most("TM885", "checkpoint-size-growth", k.At, k.Text, ratio(k), times, ofJob("growth of checkpoints", func(r *drill.Result) drill.Number { return r.SizeGrowth }))
	}
	if k := d.Duration; k != nil {
		most("TM886", "checkpoint-duration", k.At, k.String(), float64(k.Ms), duration, ofJob("the longest checkpoint", func(r *drill.Result) drill.Number { return r.CheckpointMs }))
	}
	if k := d.DurationGrowth; k != nil {
		most("TM886", "checkpoint-duration-growth", k.At, k.Text, ratio(k), times, ofJob("growth of the time of checkpoints", func(r *drill.Result) drill.Number { return r.DurationGrowth }))
	}
	if k := d.Failed; k != nil {
		most("TM886", "failed-checkpoints", k.At, units.Count(k.N), float64(k.N), units.Number, ofJob("failed checkpoints", func(r *drill.Result) drill.Number { return r.FailedCheckpoints }))
	}
	if k := d.Dropped; k != nil {
		most("TM887", "dropped", k.At, units.Count(k.N), float64(k.N), units.Number, eachDropper("dropped late records", func(r drill.Drops) drill.Number { return r.Dropped }))
	}
	if k := d.DroppedShare; k != nil {
		most("TM887", "dropped-share", k.At, k.Text, k.Value, units.Share, eachDropper("share dropped as late", func(r drill.Drops) drill.Number { return r.Share }))
	}
	return out
}

func ratio(f *Factor) float64 {
	v, _ := f.Value.Float64()
	return v
}

func ofJob(what string, of func(*drill.Result) drill.Number) func(scope, *drill.Result, teller) {
	return func(_ scope, r *drill.Result, tell teller) { tell(nil, "", what, of(r)) }
}

// eachSource asks the sources that the rule means.
func eachSource(what string, of func(drill.SourceResult) drill.Number) func(scope, *drill.Result, teller) {
	return func(s scope, r *drill.Result, tell teller) {
		told := false
		for _, src := range r.Sources {
			for _, mine := range s.sources {
				if mine.Vertex.ID == src.Of.ID {
					tell(&src.Of, mine.Name, what+" of "+quote(mine.Name), of(src))
					told = true
				}
			}
		}
		if !told {
			tell(nil, "", what, drill.Unknown("no source of the job feeds event time, or none was read while it was watched"))
		}
	}
}

func eachDropper(what string, of func(drill.Drops) drill.Number) func(scope, *drill.Result, teller) {
	return func(_ scope, r *drill.Result, tell teller) {
		for _, d := range r.Drops {
			tell(&d.Of, d.Operator, what+" of "+quote(d.Operator), of(d))
		}
		if len(r.Drops) == 0 {
			tell(nil, "", what, drill.Unknown("no operator is known to drop late records; a user function may"))
		}
	}
}
