package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM108", Cause: "end-of-input-max", Title: "Event time is at end of input in a job that still reads",
	Symptom: 4, Severity: catalog.Critical, Needs: []string{"source output watermark"},
	Explains:  []catalog.Explains{catalog.Stalls(catalog.End)},
	EventTime: true,
	Means:     "A watermark of Long.MAX_VALUE was passed on although a source still gives records. Every later record is late, and all windows have fired.",
	Why: "Either a running source emits MAX itself (a connector or runner bug), or finished inputs count as MAX while all remaining inputs are idle (FLINK-38477, open in all releases to 2.3.0). " +
		"A bounded source that finished beside an endless one shows MAX at its own output only, and is healthy.",
	Fix: catalog.Fix{
		Text:       "Restart from before the jump. Do not mix bounded and unbounded sources under an idle timeout that lets all live inputs go idle; upgrade the connector if the source itself emits MAX.",
		DataStream: "// keep at least one live input active: a longer withIdleness(…) on the unbounded source",
		SQL:        "-- raise 'scan.watermark.idle-timeout' on the unbounded table",
	},
	Run: runEndOfInput,
})

func runEndOfInput(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Vertices {
		if v.IsSource() {
			for _, s := range v.Subtasks {
				rise, ok := s.Records.Rise()
				if s.Out().Now.State() == flinkapi.End && s.Status != "FINISHED" && ok && rise > 0 && v.Status == "RUNNING" {
					f := catalog.NewFinding("TM108", v)
					f.Subtasks, f.Operator = []int{s.Index}, model.HeadName(v)
					f.HeldBack = j.HeldBack(v, v.MinOut())
					f.Summary = fmt.Sprintf("Source %s subtask %d emits the end-of-input watermark while it still reads: everything after it is late", model.SourceLabel(v), s.Index)
					f.ProveReading(v, model.SubtaskLabel(s), "currentOutputWatermark", s.Out())
					f.ProveGauge(v, model.SubtaskLabel(s), "numRecordsOut", s.Records)
					out = append(out, f)
					break
				}
			}
			continue
		}
		if f, ok := endDownstream(j, v); ok {
			out = append(out, f)
		}
	}
	return out
}

// endDownstream finds the first vertex whose input is at MAX although something upstream is not.
func endDownstream(j *model.Job, v *model.Vertex) (catalog.Finding, bool) {
	if v.EventTime().Now.State() != flinkapi.End || v.Status != "RUNNING" {
		return catalog.Finding{}, false
	}
	live := false
	for _, e := range v.In {
		out := e.From.MinOut()
		if out.Now.State() == flinkapi.End && !e.From.IsSource() && e.From.EventTime().Now.State() == flinkapi.End {
			return catalog.Finding{}, false // inherited, reported further up
		}
		live = live || e.From.Status == "RUNNING" && out.Now.Readable() && out.Now.State() != flinkapi.End
	}
	if !live {
		return catalog.Finding{}, false
	}
	f := catalog.NewFinding("TM108", v)
	f.Issue = "FLINK-38477"
	f.Summary = fmt.Sprintf("%s is at the end-of-input watermark although an input still runs: a finished input counts as MAX while the others are idle", model.QuoteName(v.Name))
	f.ProveReading(v, model.QuoteName(v.Name), "event time", v.EventTime())
	for _, e := range v.In {
		f.ProveReading(e.From, model.QuoteName(e.From.Name), "currentOutputWatermark (minimum), vertex "+e.From.Status, e.From.MinOut())
	}
	return f, true
}
