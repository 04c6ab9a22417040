package checks

import (
	"fmt"
	"time"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM202", Cause: "future-record", Title: "A record from the future moved event time ahead",
	Headline: "{place} had a record from the future: current records are late",
	Symptom:  4, Severity: catalog.Critical, Needs: catalog.Needs(catalog.SourceWatermark, catalog.SplitMetrics.As("split metrics (2.1+) to name the split").Helps()),
	Explains:  []catalog.Explains{catalog.Misreads(catalog.Future), catalog.Stalls(catalog.Standing)},
	EventTime: true,
	Means:     "The watermark of a split or source is ahead of the wall clock, but the records read now are not. One wrong timestamp is enough: the watermark follows the maximum and never goes back.",
	Why:       "Flink does not limit timestamps. While another split holds the minimum, there is no harm yet. Once that split becomes idle or finishes, every record is late. Unlike with a zone shift (TM203), the newest records are not ahead, and the watermark stands still.",
	Fix: catalog.Fix{
		Text:       "Filter such records before the generator, or give them the time of their arrival (capping at five minutes ahead would still make five minutes of records late). A watermark never goes back: to recover, restart from a state before that record. Find the producer whose clock is wrong.",
		DataStream: "// kafkaTs is the broker's clock with message.timestamp.type=LogAppendTime,\n// else the producer's, which may be the wrong one\nstrategy.withTimestampAssigner((r, kafkaTs) ->\n    r.timestampMillis() > kafkaTs + 300_000L ? kafkaTs : r.timestampMillis())",
		SQL:        "kafka_ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp',\nts AS CASE WHEN event_ts > kafka_ts + INTERVAL '5' MINUTE THEN kafka_ts ELSE event_ts END,\nWATERMARK FOR ts AS ts - INTERVAL '5' SECOND",
	},
	Hides: []string{"TM305"},
	Run:   runFutureRecord,
})

func runFutureRecord(j *model.Job) []catalog.Finding {
	out := eachEmitter(j, futureRecord)
	if len(out) > 0 {
		return out
	}
	for _, v := range j.Vertices {
		if f, ok := struckUnseen(j, v); ok {
			return []catalog.Finding{f}
		}
	}
	return nil
}

// struckUnseen finds event time ahead of the clock behind inputs that are in order: the record has struck while the
// other splits were idle, and no gauge of the source shows its split (before 2.1).
func struckUnseen(j *model.Job, v *model.Vertex) (catalog.Finding, bool) {
	lag, ok := j.Lag(v, v.EventTime())
	if !ok || lag >= -model.AheadMs || v.IsSource() || v.Assigns() {
		return catalog.Finding{}, false
	}
	for _, e := range v.In {
		if own, known := j.Lag(e.From, e.From.MinOut()); !known || own < -model.AheadMs {
			return catalog.Finding{}, false
		}
	}
	at, who := v, "its sources send"
	if sources := v.SourcesOf(); len(sources) == 1 {
		at, who = sources[0], "source "+model.SourceLabel(sources[0])+" sends"
	}
	f := catalog.NewFinding("TM202", at)
	f.Operator, f.Confidence, f.HeldBack = model.HeadName(at), catalog.Likely, j.HeldBack(at, v.EventTime())
	f.Title = "{vertex} had a record from the future: current records are late"
	f.Summary = fmt.Sprintf("Event time of %s is %s ahead of the wall clock (%s), and %s older times now: a record from the future moved it while the other splits were idle, and which split gave it is not shown any more. Every record up to then is late: a larger bound does not help",
		model.QuoteName(v.Name), units.Duration(-lag), v.EventTime().Now, who)
	f.ProveReading(v, model.QuoteName(v.Name), "event time", v.EventTime())
	for _, e := range v.In {
		f.ProveReading(e.From, model.QuoteName(e.From.Name), "currentOutputWatermark (minimum)", e.From.MinOut())
	}
	f.Prove(v, "JobManager clock", "time of the fetch", units.Time(j.Clock(v)))
	return f, true
}

func futureRecord(j *model.Job, e model.Emitter) (catalog.Finding, bool) {
	var ahead []model.Spot
	spots := model.Known(e.Spots())
	for _, p := range spots {
		if lag, ok := p.Reading.Now.Lag(j.Clock(e.Vertex)); ok && lag < -model.AheadMs && wrongUnit(j, e, p) == "" {
			ahead = append(ahead, p)
		}
	}
	if len(ahead) == 0 || len(ahead) == len(spots) && recordsAheadToo(e, ahead) {
		return catalog.Finding{}, false
	}
	worst := ahead[0]
	for _, p := range ahead {
		if worst.Reading.Now.Before(p.Reading.Now) {
			worst = p
		}
	}
	f := catalog.NewFinding("TM202", e.Vertex)
	f.Operator = e.Op.Name
	if len(ahead) > 1 {
		// several places: the text names the furthest, the evidence all
	} else if worst.Split != nil {
		f.Split = worst.Split.ID
	} else if splits := worst.Subtask.ActiveSplits(); len(splits) == 1 && e.At == 0 {
		f.Split = splits[0].ID
	}
	lag, _ := worst.Reading.Now.Lag(j.Clock(e.Vertex))
	out := e.Vertex.MinOut().Now
	outLag, known := out.Lag(j.Clock(e.Vertex))
	struck := aheadBehind(j, e.Vertex)
	f.Latent = struck == nil && (!known || outLag >= -model.AheadMs)
	where := fmt.Sprintf("%s subtask %d", model.SourceLabel(e.Vertex), worst.Subtask.Index)
	if worst.Split != nil {
		where += " split " + worst.Split.ID
	}
	effect := "every later record of it is late"
	switch {
	case f.Latent:
		f.Severity = catalog.Warning
		effect = fmt.Sprintf("no harm yet: other splits hold the minimum. Once they go idle, the watermark jumps to %d and every record is dropped", yearOf(worst.Reading.Now))
		f.Title = fmt.Sprintf("%s is %s ahead of the clock: no harm until the others go idle", spotName(worst, e), units.Duration(-lag))
	case struck != nil:
		effect = fmt.Sprintf("event time of %s is there already, so every record up to then is late: a larger bound does not help", model.QuoteName(struck.Name))
	}
	records := "while its newest records are not"
	if recordsAheadToo(e, ahead) {
		f.Confidence = catalog.Likely
		records = "and moves on there: the clock or zone of what writes to it is ahead"
	}
	f.Summary = fmt.Sprintf("Source %s is %s ahead of the wall clock (%s) %s; %s",
		where, units.Duration(-lag), worst.Reading.Now, records, effect)
	if len(ahead) > 1 {
		f.Summary += fmt.Sprintf("; %s of %d are ahead", catalog.Plural(len(ahead), "place"), len(spots))
	}
	for _, p := range ahead[:min(len(ahead), 6)] {
		f.AddSubtask(p.Subtask.Index)
		f.ProveReading(e.Vertex, p.Label(), "watermark", p.Reading)
		f.ProveGauge(e.Vertex, model.SubtaskLabel(p.Subtask), "currentEmitEventTimeLag", p.Subtask.EmitLag)
	}
	f.ProveReading(e.Vertex, model.SourceLabel(e.Vertex), "currentOutputWatermark (minimum)", e.Vertex.MinOut())
	f.Prove(e.Vertex, "JobManager clock", "time of the fetch", units.Time(j.Clock(e.Vertex)))
	return f, true
}

func yearOf(w flinkapi.Watermark) int {
	ms, _ := w.Millis()
	return time.UnixMilli(ms).UTC().Year()
}

// spotName is a place for a title.
func spotName(p model.Spot, e model.Emitter) string {
	if p.Split != nil {
		return catalog.SplitName(p.Split.ID)
	}
	return fmt.Sprintf("%s subtask %d", model.SourceLabel(e.Vertex), p.Subtask.Index)
}

// aheadBehind finds a vertex downstream whose event time is ahead of the clock: the record has struck there,
// even where the minimum of the source is in order again, since its other splits were idle that day.
func aheadBehind(j *model.Job, v *model.Vertex) *model.Vertex {
	for _, u := range v.Descendants() {
		if lag, ok := j.Lag(u, u.EventTime()); ok && lag < -model.AheadMs {
			return u
		}
	}
	return nil
}

// recordsAheadToo reports that what is read now is ahead as well, in step with the clock: then it
// is the clock, the zone or the unit, and not a single record.
func recordsAheadToo(e model.Emitter, ahead []model.Spot) bool {
	for _, p := range ahead {
		if lag, ok := p.Subtask.EmitLag.Value(); ok && lag < -model.AheadMs {
			continue
		}
		if moved, known := p.Reading.Moved(); known && moved {
			continue
		}
		return false
	}
	return true
}
