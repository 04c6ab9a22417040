package analyze

import (
	"fmt"

	"tidemark/internal/units"
)

var _ = register(Check{
	Code: "TM401", Cause: "late-records", Title: "Late records are being dropped now",
	Symptom: 4, Severity: Critical, Needs: []string{"two samples", "late counters"},
	Means: "An operator's counter of dropped late records rises between two samples: results are incomplete from now on. The share is of the records that this operator takes in.",
	Why: "A record is late when its timestamp is at or below the watermark; a window drops it once the window has fired (plus the allowed lateness). The bound is smaller than the disorder, or event time ran ahead (future record, idle split that woke up, wrong unit or zone). " +
		"A counter that stands still is history (TM402). Behind a local aggregation the operator counts pre-aggregated rows, so the share is of those.",
	Fix: Fix{
		Text:       "If another finding names a cause (a wrong unit or zone, a record from the future, a split declared idle, a known bug), fix that first. Else measure the disorder (tidemark recommend TOPIC) and raise the bound, or in DataStream allow lateness or send late records to a side output.",
		DataStream: "stream.keyBy(…).window(…)\n    .allowedLateness(Duration.ofMinutes(1)).sideOutputLateData(lateTag)",
		SQL:        "-- a larger delay\nWATERMARK FOR ts AS ts - INTERVAL '30' SECOND",
	},
	Run: runLateRecords,
})

// lateCriticalShare is the share of late records from which on results count as lost.
const lateCriticalShare = 0.01

func runLateRecords(j *Job) []Finding {
	var out []Finding
	for _, v := range j.Vertices {
		for _, c := range v.Late {
			rise, ok := c.Dropped.Rise()
			if !ok || rise <= 0 {
				continue
			}
			f := newFinding("TM401", v)
			f.Operator, f.Subtasks = v.operatorName(c.Operator), c.Worst
			total, _ := c.Dropped.Value()
			f.Summary = fmt.Sprintf("%s dropped %.0f late records in %s (%.1f a second)", quoteName(f.Operator), rise, units.Duration(v.GapMs), rise*1000/float64(max(v.GapMs, 1)))
			f.Severity = Warning
			if in, ok := c.Input.Rise(); ok && in > 0 {
				share := rise / in
				f.Summary += fmt.Sprintf(", %s of its input", percent(share))
				if share >= lateCriticalShare {
					f.Severity = Critical
				}
			} else {
				f.Severity = Critical
				f.Summary += "; its input could not be read, so the share is unknown"
			}
			f.Summary += fmt.Sprintf("; %.0f since its start", total)
			f.proveGauge(v, quoteName(f.Operator), c.Metric, c.Dropped)
			f.proveGauge(v, quoteName(f.Operator), "numRecordsIn", c.Input)
			f.proveReading(v, quoteName(v.Name), "event time", v.EventTime())
			out = append(out, f)
		}
	}
	return out
}

func (v *Vertex) operatorName(metric string) string {
	for _, op := range v.Chain {
		if op.Metric == metric {
			return op.Name
		}
	}
	return metric
}

func percent(share float64) string {
	switch p := share * 100; {
	case p >= 10:
		return fmt.Sprintf("%.0f %%", p)
	case p >= 0.1:
		return fmt.Sprintf("%.1f %%", p)
	default:
		return fmt.Sprintf("%.2g %%", p)
	}
}
