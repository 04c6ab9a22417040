package analyze

import (
	"fmt"

	"tidemark/flinkapi"
	"tidemark/internal/units"
)

var _ = register(Check{
	Code: "TM202", Cause: "future-record", Title: "A record from the future moved event time ahead",
	Symptom: 4, Severity: Critical, Needs: []string{"source output watermark", "split metrics (2.1+) to name the split"},
	Means: "A split's or a source's watermark is ahead of the wall clock while the records it reads now are not: one absurd timestamp was enough, since the watermark follows the maximum and never goes back.",
	Why: "Flink has no ceiling for timestamps. As long as another split still holds the minimum the fault is latent; the day that split goes idle or finishes, everything is late. " +
		"Told from a zone shift (TM203) by the newest records, which are not ahead, and by the watermark that stands still.",
	Fix: Fix{
		Text:       "Filter such records before the generator, or give them the time of their arrival (a mere cap at five minutes ahead would still make five minutes of records late); recovery needs a restart from a state before the record, since a watermark never goes back. Find the producer whose clock is wrong.",
		DataStream: "// kafkaTs is the broker's clock with message.timestamp.type=LogAppendTime,\n// else the producer's, which may be the wrong one\nstrategy.withTimestampAssigner((r, kafkaTs) ->\n    r.timestampMillis() > kafkaTs + 300_000L ? kafkaTs : r.timestampMillis())",
		SQL:        "kafka_ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp',\nts AS CASE WHEN event_ts > kafka_ts + INTERVAL '5' MINUTE THEN kafka_ts ELSE event_ts END,\nWATERMARK FOR ts AS ts - INTERVAL '5' SECOND",
	},
	Hides: []string{"TM305"},
	Run:   runFutureRecord,
})

// aheadMs is how far ahead of the JobManager clock event time must be; clocks of producers differ by less.
const aheadMs = 60_000

func runFutureRecord(j *Job) []Finding { return j.eachEmitter(futureRecord) }

func futureRecord(j *Job, e emitter) (Finding, bool) {
	var ahead []spot
	spots := known(e.spots())
	for _, p := range spots {
		if lag, ok := j.lag(e.vertex, p.reading); ok && lag < -aheadMs {
			ahead = append(ahead, p)
		}
	}
	if len(ahead) == 0 || len(ahead) == len(spots) && recordsAheadToo(e, ahead) {
		return Finding{}, false
	}
	worst := ahead[0]
	for _, p := range ahead {
		if worst.reading.Now.Before(p.reading.Now) {
			worst = p
		}
	}
	f := newFinding("TM202", e.vertex)
	f.Operator = e.op.Name
	if worst.split != nil {
		f.Split = worst.split.ID
	}
	lag, _ := j.lag(e.vertex, worst.reading)
	out := e.vertex.MinOut().Now
	outLag, known := out.Lag(j.clock(e.vertex))
	f.Latent = !known || outLag >= -aheadMs
	where := fmt.Sprintf("%s subtask %d", sourceLabel(e.vertex), worst.subtask.Index)
	if worst.split != nil {
		where += " split " + worst.split.ID
	}
	effect := "every later record of it is late"
	switch {
	case f.Latent:
		f.Severity = Warning
		effect = "latent: other splits still hold the minimum, the day they are idle everything is late"
	case e.vertex.MinOut().Now.State() == flinkapi.Known:
		f.HeldBack = nil
	}
	records := "while its newest records are not"
	if recordsAheadToo(e, ahead) {
		f.Confidence = Likely
		records = "and moves on there: the clock or zone of what writes to it is ahead"
	}
	f.Summary = fmt.Sprintf("Source %s is %s ahead of the wall clock (%s) %s; %s",
		where, units.Duration(-lag), worst.reading.Now, records, effect)
	if len(ahead) > 1 {
		f.Summary += fmt.Sprintf("; %s of %d are ahead", plural(len(ahead), "place"), len(spots))
	}
	for _, p := range ahead[:min(len(ahead), 6)] {
		f.addSubtask(p.subtask.Index)
		f.proveReading(e.vertex, p.label(), "watermark", p.reading)
		f.proveGauge(e.vertex, subtaskLabel(p.subtask), "currentEmitEventTimeLag", p.subtask.EmitLag)
	}
	f.proveReading(e.vertex, sourceLabel(e.vertex), "currentOutputWatermark (minimum)", e.vertex.MinOut())
	f.prove(e.vertex, "JobManager clock", "time of the fetch", units.Time(j.clock(e.vertex)))
	return f, true
}

// recordsAheadToo reports that what is read now is ahead as well, in step with the clock: then it
// is the clock, the zone or the unit, and not a single record.
func recordsAheadToo(e emitter, ahead []spot) bool {
	for _, p := range ahead {
		if lag, ok := p.subtask.EmitLag.Value(); ok && lag < -aheadMs {
			continue
		}
		if moved, known := p.reading.Moved(); known && moved {
			continue
		}
		return false
	}
	return true
}
