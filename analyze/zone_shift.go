package analyze

import (
	"fmt"
	"math"

	"tidemark/internal/units"
)

var _ = register(Check{
	Code: "TM203", Cause: "zone-shift", Title: "Event time is off by a time zone",
	Symptom: 3, Severity: Critical, Needs: []string{"source output watermark", "currentEmitEventTimeLag"},
	Means: "Event time is ahead of, or behind, the wall clock by a constant near a multiple of 15 minutes, up to 14 hours, on every active split.",
	Why: "A local time was taken for UTC, or the other way round: a TIMESTAMP column holds a wall-clock reading without a zone, TIMESTAMP_LTZ an instant. Ahead, everything from other producers is late; behind, results wait for that many hours, which looks like a huge bound. " +
		"Told from a bound by the records themselves (currentEmitEventTimeLag): a bound moves only the watermark. Table sources report the connector's timestamp there, so for SQL the watermark alone must speak, and the confidence says so.",
	Fix: Fix{
		Text:       "Fix the conversion where the timestamp is read; do not raise the delay.",
		DataStream: "LocalDateTime.parse(text).atZone(ZoneId.of(\"Asia/Shanghai\")).toInstant().toEpochMilli()",
		SQL:        "ts AS TO_TIMESTAMP_LTZ(epoch_millis, 3)\n-- from local text, with the zone of the producers:\nSET 'table.local-time-zone' = 'Asia/Shanghai';\nts AS CAST(TO_TIMESTAMP(local_text) AS TIMESTAMP_LTZ(3))",
	},
	Hides: []string{"TM202", "TM301", "TM304", "TM306"},
	Run:   runZoneShift,
})

const (
	quarterMs   = 15 * 60_000
	zoneSlackMs = 2 * 60_000
	zoneMost    = 56 // quarters of an hour: 14 h
)

// zoneOf is the number of quarter hours that lag is near to, 0 where it is near none.
func zoneOf(lagMs float64) int {
	k := int(math.Round(lagMs / quarterMs))
	if k == 0 || k < -zoneMost || k > zoneMost || math.Abs(lagMs-float64(k)*quarterMs) > zoneSlackMs {
		return 0
	}
	return k
}

func runZoneShift(j *Job) []Finding { return j.eachEmitter(zoneShift) }

func zoneShift(j *Job, e emitter) (Finding, bool) {
	spots := known(e.spots())
	byRecord, sure := zoneByRecords(e)
	byMark := zoneByWatermark(j, e, spots)
	k := byRecord
	if k == 0 && (e.vertex.isSQLScan() || !sure) {
		k = byMark
	}
	if k == 0 || byMark == 0 && byRecord != 0 && !consistent(j, e, spots, byRecord) {
		return Finding{}, false
	}
	if n, ok := e.vertex.pending(); ok && n > 0 && k > 0 {
		return Finding{}, false // behind with records waiting is a backlog
	}
	f := newFinding("TM203", e.vertex)
	f.Operator = e.op.Name
	f.Confidence = Likely
	shift := int64(k) * quarterMs
	f.Summary = fmt.Sprintf("Event time of %s is %s behind the wall clock on every active split, near a whole zone offset: results come that much too late", quoteName(e.op.Name), units.Duration(shift))
	if k < 0 {
		f.Summary = fmt.Sprintf("Event time of %s is %s ahead of the wall clock on every active split, near a whole zone offset: records with right times are late", quoteName(e.op.Name), units.Duration(-shift))
		four := 4
		f.Symptom = &four
	} else if byRecord == 0 {
		f.Severity, f.Confidence = Warning, Possible
		f.Summary += "; a declared delay of that size would look the same, the plan does not show it"
	} else {
		f.Severity = Warning
	}
	for _, p := range spots[:min(len(spots), 6)] {
		f.addSubtask(p.subtask.Index)
		f.proveReading(e.vertex, p.label(), "watermark", p.reading)
		if lag, ok := j.lag(e.vertex, p.reading); ok {
			f.prove(e.vertex, p.label(), "event-time lag", units.Duration(lag))
		}
	}
	if byRecord != 0 {
		lo, hi, _ := e.vertex.emitLag()
		f.prove(e.vertex, sourceLabel(e.vertex), "currentEmitEventTimeLag (smallest, largest)", fmt.Sprintf("%s, %s", units.Duration(int64(lo)), units.Duration(int64(hi))))
	}
	return f, true
}

// zoneByRecords asks the newest records; sure is false where they carry the connector's time.
func zoneByRecords(e emitter) (k int, sure bool) {
	if e.vertex.isSQLScan() || !e.vertex.IsSource() {
		return 0, false
	}
	lo, hi, ok := e.vertex.emitLag()
	if !ok {
		return 0, false
	}
	if a, b := zoneOf(lo), zoneOf(hi); a == b {
		return a, true
	}
	return 0, true
}

// zoneByWatermark asks the watermarks of all spots, less the delay where the plan declares one.
func zoneByWatermark(j *Job, e emitter, spots []spot) int {
	d, declared := j.declared(e.vertex)
	k := 0
	for i, p := range spots {
		lag, ok := j.lag(e.vertex, p.reading)
		if moved, known := p.reading.Moved(); !ok || known && !moved {
			return 0
		}
		if declared && d.DelayKnown {
			lag -= d.DelayMs
		}
		z := zoneOf(float64(lag))
		if z == 0 || i > 0 && z != k {
			return 0
		}
		k = z
	}
	return k
}

// consistent accepts watermarks that trail the shifted records by an ordinary bound.
func consistent(j *Job, e emitter, spots []spot, k int) bool {
	lo, hi, ok := j.lagRange(e.vertex, spots)
	return ok && lo >= int64(k)*quarterMs-zoneSlackMs && hi-lo <= 2*zoneSlackMs
}
