package checks

import (
	"fmt"
	"slices"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM203", Cause: "zone-shift", Title: "Event time is off by a time zone",
	Headline: "{vertex} is off by a time zone",
	Symptom:  3, Severity: catalog.Critical, Needs: catalog.Needs(catalog.SourceWatermark, catalog.EmitLag),
	Explains:  []catalog.Explains{catalog.Misreads(catalog.Future), catalog.Delays(catalog.Owed, catalog.Constant, catalog.Unknown)},
	EventTime: true,
	Means:     "Event time is ahead of, or behind, the wall clock by a constant near a multiple of 15 minutes, up to 14 hours, on every active split.",
	Why:       "A local time was read as UTC, or the other way round: a TIMESTAMP column holds a wall-clock reading without a zone, TIMESTAMP_LTZ an instant. If it is ahead, records of other producers are late. If it is behind, results come that many hours later, which looks like a very large bound. A bound moves only the watermark; a zone shift moves the records as well (currentEmitEventTimeLag). Table sources report the connector's timestamp in that gauge, so for SQL only the watermark is evidence, and the confidence is lower.",
	Fix: catalog.Fix{
		Text:       "Fix the conversion where the timestamp is read; do not raise the delay.",
		DataStream: "LocalDateTime.parse(text).atZone(ZoneId.of(\"Asia/Shanghai\")).toInstant().toEpochMilli()",
		SQL:        "ts AS TO_TIMESTAMP_LTZ(epoch_millis, 3)\n-- from local text, with the zone of the producers:\nSET 'table.local-time-zone' = 'Asia/Shanghai';\nts AS CAST(TO_TIMESTAMP(local_text) AS TIMESTAMP_LTZ(3))",
	},
	Hides: []string{"TM202", "TM301", "TM304", "TM306"},
	Run:   runZoneShift,
})

func runZoneShift(j *model.Job) []catalog.Finding { return eachEmitter(j, zoneShift) }

func zoneShift(j *model.Job, e model.Emitter) (catalog.Finding, bool) {
	spots := model.Known(e.Spots())
	byRecord, sure := zoneByRecords(e)
	byMark := zoneByWatermark(j, e, spots)
	k := byRecord
	if k == 0 && (e.Vertex.IsSQLScan() || !sure) {
		k = byMark
	}
	if k == 0 || byMark == 0 && byRecord != 0 && !consistent(j, e, spots, byRecord) {
		return catalog.Finding{}, false
	}
	if n, ok := e.Vertex.Pending(); k > 0 && (ok && n > 0 || !ok && e.Vertex.CatchesUp()) {
		return catalog.Finding{}, false // behind with records waiting is a backlog
	}
	f := catalog.NewFinding("TM203", e.Vertex)
	f.Operator = e.Op.Name
	f.Confidence = catalog.Likely
	shift := int64(k) * model.QuarterMs
	f.Summary = fmt.Sprintf("Event time of %s is %s behind the wall clock on every active split, %s, and results come that much too late", model.QuoteName(e.Op.Name), units.Duration(shift), nearZone(k))
	if !isZone(k) {
		f.Title = "{vertex} is " + units.Duration(shift) + " behind the clock everywhere: a time zone taken wrongly, or old records"
	}
	if k < 0 {
		if !isZone(k) {
			f.Title = "{vertex} is " + units.Duration(-shift) + " ahead of the clock everywhere"
		}
		f.Summary = fmt.Sprintf("Event time of %s is %s ahead of the wall clock on every active split, %s: records with right times are late", model.QuoteName(e.Op.Name), units.Duration(-shift), nearZone(k))
		four := 4
		f.Symptom = &four
	} else if byRecord == 0 {
		f.Severity, f.Confidence = catalog.Warning, catalog.Possible
		f.Summary += "; a declared delay of that size would look the same, the plan does not show it"
	} else {
		f.Severity = catalog.Warning
		f.Summary += ": a wrong time zone, or records that are simply that old when they are read (TM306)"
		if k%2 != 0 { // hardly any zone is a quarter of an hour off
			f.Confidence = catalog.Possible
		}
	}
	for _, p := range spots[:min(len(spots), 6)] {
		f.AddSubtask(p.Subtask.Index)
		f.ProveReading(e.Vertex, p.Label(), "watermark", p.Reading)
		if lag, ok := j.Lag(e.Vertex, p.Reading); ok {
			f.Prove(e.Vertex, p.Label(), "event-time lag", units.Duration(lag))
		}
	}
	if byRecord != 0 {
		lo, hi, _ := e.Vertex.EmitLag()
		f.Prove(e.Vertex, model.SourceLabel(e.Vertex), "currentEmitEventTimeLag (smallest, largest)", fmt.Sprintf("%s, %s", units.Duration(int64(lo)), units.Duration(int64(hi))))
	}
	return f, true
}

// isZone reports whether some present time zone differs from UTC by this many quarters of an hour.
func isZone(k int) bool {
	if k < 0 {
		k = -k
	}
	return k%4 == 0 || slices.Contains([]int{10, 14, 18, 22, 23, 26, 35, 38, 42, 51, 55}, k)
}

func nearZone(k int) string {
	if isZone(k) {
		return "near the offset of a time zone"
	}
	return "which is no time zone's offset, but may be the difference of two"
}

// zoneByRecords asks the newest records; sure is false where they carry the connector's time.
func zoneByRecords(e model.Emitter) (k int, sure bool) {
	if e.Vertex.IsSQLScan() || !e.Vertex.IsSource() {
		return 0, false
	}
	lo, hi, ok := e.Vertex.EmitLag()
	if !ok {
		return 0, false
	}
	if a, b := model.ZoneOf(lo), model.ZoneOf(hi); a == b {
		return a, true
	}
	return 0, true
}

// zoneByWatermark asks the watermarks of all spots, less the delay where the plan declares one.
func zoneByWatermark(j *model.Job, e model.Emitter, spots []model.Spot) int {
	d, declared := j.Declared(e.Vertex)
	k := 0
	for i, p := range spots {
		lag, ok := j.Lag(e.Vertex, p.Reading)
		if moved, known := p.Reading.Moved(); !ok || known && !moved {
			return 0
		}
		if declared && d.DelayKnown {
			lag -= d.DelayMs
		}
		z := model.ZoneOf(float64(lag))
		if z == 0 || i > 0 && z != k {
			return 0
		}
		k = z
	}
	return k
}

// consistent accepts watermarks that trail the shifted records by an ordinary bound.
func consistent(j *model.Job, e model.Emitter, spots []model.Spot, k int) bool {
	lo, hi, ok := j.LagRange(e.Vertex, spots)
	return ok && lo >= int64(k)*model.QuarterMs-model.ZoneSlackMs && hi-lo <= 2*model.ZoneSlackMs
}
