package checks

import (
	"fmt"
	"math"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/fix"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM201", Cause: "epoch-unit", Title: "Timestamps are read in the wrong unit",
	Headline: "{place} has timestamps in the wrong unit",
	Symptom:  4, Severity: catalog.Critical, Needs: catalog.Needs(catalog.SourceWatermark),
	Explains:  []catalog.Explains{catalog.Misreads(catalog.Foreign, catalog.Future), catalog.Stalls(catalog.Standing), catalog.Delays(catalog.Owed, catalog.Constant, catalog.Unknown)},
	EventTime: true,
	Means:     "The watermark is in January or February 1970 (seconds were read as milliseconds: nothing fires), or thousands of years ahead (a value was multiplied by 1,000 or more: everything later is late).",
	Why:       "Flink's event time is in milliseconds. Seconds of today are about 1.8e9, which read as ms is 21 January 1970; milliseconds taken for seconds, and micro- or nanoseconds read as ms, are the present time multiplied by 1,000 or 1,000,000. Unlike with time 0 (TM205), the watermark is not near 0. Unlike with one record from the future (TM202), the records after it are wrong as well. If one split has a different unit than its siblings, it is named.",
	Fix: catalog.Fix{
		Text:       "Convert in the timestamp assigner or the computed column.",
		DataStream: "// seconds: * 1000L, microseconds: / 1000L, nanoseconds: / 1_000_000L\nstrategy.withTimestampAssigner((r, t) -> r.epochSeconds() * 1000L)",
		SQL:        "-- seconds: TO_TIMESTAMP_LTZ(x, 0), milliseconds: TO_TIMESTAMP_LTZ(x, 3)\nts AS TO_TIMESTAMP_LTZ(epoch_seconds, 0)",
	},
	Hides: []string{"TM202", "TM203", "TM205", "TM301", "TM304", "TM305", "TM306"},
	Run:   runEpochUnit,
})

func runEpochUnit(j *model.Job) []catalog.Finding {
	return eachEmitter(j, func(j *model.Job, e model.Emitter) (catalog.Finding, bool) {
		var wrong []model.Spot
		spots := model.Known(e.Spots())
		for _, p := range spots {
			if wrongUnit(j, e, p) != "" {
				wrong = append(wrong, p)
			}
		}
		switch {
		case len(wrong) > 0:
			return epochUnit(j, e, wrong, spots), true
		case e.At == 0:
			return unitOfRecords(j, e.Vertex)
		}
		return catalog.Finding{}, false
	})
}

// wrongUnit names the unit that a place is read in, "" where it is milliseconds. A watermark is the
// maximum, so one that lies behind speaks for all records of its place; one that lies ahead may be of a
// single record, which the records after it show (TM202).
func wrongUnit(j *model.Job, e model.Emitter, p model.Spot) string {
	ms, ok := p.Reading.Now.Millis()
	if !ok {
		return ""
	}
	unit := model.UnitOf(ms, j.NowMs)
	if unit == "" || ms < j.NowMs || model.MovedCertainly(p.Reading) || len(p.Subtask.ActiveSplits()) > 1 && p.Split == nil {
		return unit
	}
	quiet, known := p.Subtask.Quiet()
	if p.Split != nil {
		quiet, known = p.Split.Quiet()
	}
	if age, told := p.Subtask.EmitLag.Value(); told && known && !quiet && len(p.Subtask.ActiveSplits()) < 2 && model.UnitOf(j.Clock(e.Vertex)-int64(age), j.NowMs) == "" {
		return ""
	}
	if advance, ok := p.Reading.Advance(); ok && advance == 0 && known && !quiet {
		return "" // records flow and none is as far ahead again
	}
	return unit
}

func epochUnit(j *model.Job, e model.Emitter, wrong, spots []model.Spot) catalog.Finding {
	first := wrong[0]
	ms, _ := first.Reading.Now.Millis()
	f := catalog.NewFinding("TM201", e.Vertex)
	f.Operator = e.Op.Name
	f.Fix = fix.Unit(ms, j.NowMs)
	where := model.QuoteName(e.Op.Name)
	if len(wrong) < len(spots) {
		where += " " + placesText(wrong)
		if first.Split != nil {
			f.Split = first.Split.ID
		} else if splits := first.Subtask.ActiveSplits(); len(splits) == 1 {
			f.Split = splits[0].ID
		} else if len(splits) > 1 {
			f.Confidence = catalog.Likely
			where += fmt.Sprintf(" (one of its splits %s; this version shows no watermark per split)", catalog.SomeStrings(splitIDs(first.Subtask)))
		}
	}
	if which, some := onlySome(j, e, wrong, spots); some {
		f.Fix = fix.UnitOfSome(which, len(wrong) > 1, ms, j.NowMs)
	}
	effect := "no window fires for decades"
	if ms < j.NowMs {
		f.HeldBack = j.HeldBack(e.Vertex, e.Vertex.MinOut())
	} else if len(wrong) == len(spots) {
		effect = "everything after it is late"
	} else {
		effect = "its records lie in windows that never fire, and event time jumps there as soon as its siblings become idle or end"
	}
	verb := "emits"
	if len(wrong) > 1 && len(wrong) < len(spots) {
		verb = "emit"
	}
	f.Summary = fmt.Sprintf("%s %s event time %s: %s; %s", where, verb, WithMillis(first.Reading.Now.String(), ms), wrongUnit(j, e, first), effect)
	for _, p := range wrong[:min(len(wrong), 4)] {
		f.AddSubtask(p.Subtask.Index)
		f.ProveReading(e.Vertex, p.Label(), "watermark", p.Reading)
	}
	if len(wrong) < len(spots) {
		for _, p := range spots {
			if wrongUnit(j, e, p) == "" {
				f.ProveReading(e.Vertex, p.Label(), "watermark, for comparison", p.Reading)
				break
			}
		}
	}
	f.Prove(e.Vertex, "JobManager clock", "now / 1000", j.NowMs/1000)
	return f
}

// onlySome names the places whose records are in another unit where others are not: by their watermarks, or by
// the age of a record of a subtask that reads several splits.
func onlySome(j *model.Job, e model.Emitter, wrong, spots []model.Spot) (string, bool) {
	some := len(wrong) < len(spots)
	for _, p := range wrong {
		if p.Split != nil || len(p.Subtask.ActiveSplits()) < 2 {
			continue
		}
		for _, age := range []float64{p.Subtask.EmitLag.Now, p.Subtask.EmitLag.Before} {
			some = some || !math.IsNaN(age) && age != -1 && model.UnitOf(j.Clock(e.Vertex)-int64(age), j.NowMs) == ""
		}
	}
	if len(wrong) == 1 && wrong[0].Split == nil && len(wrong[0].Subtask.ActiveSplits()) > 0 {
		return oneOf(wrong[0].Subtask), some
	}
	return placesText(wrong), some
}

// oneOf names the splits of a subtask, of which one is meant.
func oneOf(s *model.Subtask) string {
	switch ids := splitIDs(s); len(ids) {
	case 0:
		return fmt.Sprintf("a split of subtask %d", s.Index)
	case 1:
		return "split " + ids[0]
	default:
		return "one of the splits " + catalog.SomeStrings(ids)
	}
}

// placesText names up to five places: their splits where those are visible.
func placesText(spots []model.Spot) string {
	var names []string
	for _, p := range spots {
		if p.Split != nil {
			names = append(names, "split "+p.Split.ID)
		} else {
			names = append(names, fmt.Sprintf("subtask %d", p.Subtask.Index))
		}
	}
	return catalog.SomeStrings(names)
}

// unitOfRecords finds a unit that no watermark shows, since another split of the same subtask holds the
// minimum: by the age of the record that was read last (a table source's is the connector's own).
func unitOfRecords(j *model.Job, v *model.Vertex) (catalog.Finding, bool) {
	if v.IsSQLScan() || model.SplitsTellWatermarks(v) {
		return catalog.Finding{}, false
	}
	for _, s := range v.Subtasks {
		for i, age := range []float64{s.EmitLag.Now, s.EmitLag.Before} {
			ms := j.Clock(v) - int64(age)
			if math.IsNaN(age) || age == -1 || ms < j.NowMs || model.UnitOf(ms, j.NowMs) == "" {
				continue
			}
			f := catalog.NewFinding("TM201", v)
			f.Operator, f.Subtasks, f.Confidence = model.HeadName(v), []int{s.Index}, catalog.Likely
			f.Fix = fix.UnitOfSome(oneOf(s), false, ms, j.NowMs)
			f.Summary = fmt.Sprintf("Source %s has read a record whose event time lies about %s ms ahead of the clock: %s. It is of one of its splits %s, and the watermark shows another; such records lie in windows that never fire",
				model.SubtaskLabel(s), units.Number(-age), model.UnitOf(ms, j.NowMs), catalog.SomeStrings(splitIDs(s)))
			f.Prove(v, model.SubtaskLabel(s), []string{"currentEmitEventTimeLag", "currentEmitEventTimeLag, first sample"}[i], units.Number(age))
			f.ProveReading(v, model.SubtaskLabel(s), "currentOutputWatermark", s.SourceOut())
			return f, true
		}
	}
	return catalog.Finding{}, false
}

// WithMillis adds the number to a date; a time outside the calendar is written as its number already.
func WithMillis(written string, ms int64) string {
	if strings.Contains(written, " ms") {
		return written
	}
	return fmt.Sprintf("%s (%d ms)", written, ms)
}
