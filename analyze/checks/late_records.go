package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM401", Cause: "late-records", Title: "Late records are being dropped now",
	Headline: "{vertex} is dropping late records now",
	Symptom:  4, Severity: catalog.Critical, Needs: catalog.Needs(catalog.TwoSamples, catalog.LateCounters),
	Explains: []catalog.Explains{catalog.Loses()},
	Means:    "An operator's counter of dropped late records rose between two samples: results are incomplete. The share is relative to the records that this operator receives.",
	Why:      "A record is late when its timestamp is at or below the watermark. A window drops it once the window has fired and its allowed lateness has passed. Either the bound is smaller than the disorder, or event time ran ahead (a future record, an idle split that became active, a wrong unit or zone). A counter that does not rise is history (TM402). After a local aggregation the operator counts pre-aggregated rows, and the share is relative to those.",
	Fix: catalog.Fix{
		Text:       "Measure the disorder (tidemark recommend TOPIC) and declare a larger delay. In DataStream a window can also allow lateness, or send late records to a side output.",
		DataStream: "stream.keyBy(…).window(…)\n    .allowedLateness(Duration.ofMinutes(1)).sideOutputLateData(lateTag)",
		SQL:        "-- a larger delay\nWATERMARK FOR ts AS ts - INTERVAL '30' SECOND",
	},
	Run: runLateRecords,
})

// lateCriticalShare is the share of late records from which on results count as lost.
const lateCriticalShare = 0.01

func runLateRecords(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Vertices {
		for _, c := range v.Late {
			f := catalog.NewFinding("TM401", v)
			f.Operator, f.Subtasks = v.OperatorName(c.Operator), c.Worst
			if !droppedNow(v, c, &f) && !droppedBetweenWindows(v, c, &f) {
				continue
			}
			total, _ := c.Dropped.Value()
			f.Summary += "; " + units.Number(total) + " since its start"
			f.ProveGauge(v, model.QuoteName(f.Operator), c.Metric, c.Dropped)
			f.ProveGauge(v, model.QuoteName(f.Operator), "numRecordsIn", c.Input)
			f.ProveReading(v, model.QuoteName(v.Name), "event time", v.EventTime())
			explainLate(j, v, &f)
			out = append(out, f)
		}
	}
	return out
}

// droppedNow tells of a counter that rose between the fetches.
func droppedNow(v *model.Vertex, c model.LateCounter, f *catalog.Finding) bool {
	rise, ok := c.Dropped.Rise()
	if !ok || rise <= 0 {
		return false
	}
	f.Summary = fmt.Sprintf("%s dropped %s in %s (%s a second)", model.QuoteName(f.Operator), lateText(rise), units.Duration(v.GapMs), units.Number(rise*1000/float64(max(v.GapMs, 1))))
	in, ok := c.Input.Rise()
	if !ok || in <= 0 {
		f.Summary += "; its input could not be read, so the share is unknown"
		return true
	}
	f.Summary += ", " + units.Share(rise/in) + " of its input"
	if rise/in < lateCriticalShare {
		f.Severity = catalog.Warning
	}
	return true
}

// droppedBetweenWindows tells of drops in the minute before, where rows come in only when a window ends and none
// did between the fetches.
func droppedBetweenWindows(v *model.Vertex, c model.LateCounter, f *catalog.Finding) bool {
	n, ok := c.LastMinute()
	if !ok || n == 0 || !betweenWindows(v, c) {
		return false
	}
	f.Summary = fmt.Sprintf("%s dropped %s in the last minute (rows reach it only when a window ends: none came in the last %s)", model.QuoteName(f.Operator), lateText(n), units.Duration(v.GapMs))
	f.ProveGauge(v, model.QuoteName(f.Operator), "lateRecordsDroppedRate", c.Rate)
	return true
}

// lateText is a count of late records in words.
func lateText(n float64) string {
	if n == 1 {
		return "1 late record"
	}
	return units.Number(n) + " late records"
}
