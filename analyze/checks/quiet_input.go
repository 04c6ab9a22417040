package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM105", Cause: "quiet-input", Title: "One input of a join, union or connect is silent",
	Headline: "Input {vertex} is silent: {behind} gets no watermark",
	Symptom:  6, Severity: catalog.Critical, Needs: catalog.Needs(catalog.Plan, catalog.SourceWatermark, catalog.TwoSamples),
	Explains:  []catalog.Explains{catalog.Stalls(catalog.Standing, catalog.Never), catalog.Delays(catalog.Owed)},
	Settled:   true,
	EventTime: true,
	Means:     "An operator with several inputs takes the minimum over them. All sources of one input are silent, so event time stands still although the other input advances.",
	Why:       "The inputs are found in the job graph, not in gauges: a union has one logical input, and 2.0 removed the gauges of each input. A silent control stream without a strategy looks the same as one with a strategy, since both never had a record. An input marked idle does not hold the watermark and is not reported; if it later has records with older times, they are late.",
	Fix: catalog.Fix{
		Text:       "Set an idle timeout on the silent input, or send heartbeats. If its times do not matter (rules, control data): mark it idle, or emit Watermark.MAX_WATERMARK.",
		DataStream: "strategyOfSilentInput.withIdleness(Duration.ofMinutes(1))\n// a control stream, whose times do not matter:\nWatermarkStrategy.<Rule>forMonotonousTimestamps()\n    .withIdleness(Duration.ofSeconds(10))",
		SQL:        "-- on the silent table (1.18+; before: SET 'table.exec.source.idle-timeout')\nWITH ('scan.watermark.idle-timeout' = '60 s')\n-- a dimension that rarely changes: join it by processing-time lookup",
	},
	Hides: []string{"TM604"},
	Run:   runQuietInput,
})

func runQuietInput(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	reported := map[*model.Vertex]bool{}
	for _, v := range j.Vertices {
		if len(v.In) < 2 || multiInputIgnores(v) || !v.NeedsEventTime() {
			continue
		}
		for _, e := range v.In {
			for _, src := range e.From.SourcesOf() {
				if reported[src] || !model.QuietSource(src) || !otherInputMoves(v, e) || !inputHolds(j, v, e) {
					continue
				}
				if f, ok := quietInput(j, v, src); ok {
					reported[src] = true
					out = append(out, f)
				}
			}
		}
	}
	return out
}

// multiInputIgnores reports a vertex whose head makes its own watermarks.
func multiInputIgnores(v *model.Vertex) bool {
	h := v.Head()
	return h != nil && (h.Kind == model.KindAssigner || h.Kind == model.KindMiniBatchProc)
}

func otherInputMoves(v *model.Vertex, not *model.Edge) bool {
	if flows, known := v.Flows(); known && flows {
		return true // what comes in does not come from the silent side
	}
	for _, e := range v.In {
		if e.From == not.From {
			continue
		}
		for _, src := range e.From.SourcesOf() {
			if flows, known := src.Flows(); known && flows {
				return true
			}
			if _, known := src.Flows(); !known && readsNow(src) {
				return true
			}
		}
	}
	return false
}

// readsNow reports, from one fetch, a source that has emitted a watermark and of which a reader gave a record a
// moment ago. One that alignment holds back waits for others.
func readsNow(src *model.Vertex) bool {
	for _, s := range src.Subtasks {
		n, _ := s.Records.Value()
		idle, told := s.SourceIdle.Value()
		if n > 0 && told && idle < model.FrozenMs/3 && src.MinOut().Now.IsKnown() && !model.PausedByAlignment(s) {
			return true
		}
	}
	return false
}

// inputHolds reports that what comes over the edge is what the vertex's event time is stuck at.
func inputHolds(j *model.Job, v *model.Vertex, e *model.Edge) bool {
	et := v.EventTime()
	from := e.From.MinOut()
	if from.Now.State() == flinkapi.None {
		return et.IsNone()
	}
	if !from.Now.IsKnown() || !et.Now.Readable() {
		return false
	}
	return !from.Now.Before(et.Now) && !model.MovedCertainly(et)
}

func quietInput(j *model.Job, v, src *model.Vertex) (catalog.Finding, bool) {
	silence, ok := src.LongestSilence()
	if !ok {
		silence = j.UptimeMs
	}
	never := src.NeverSpoke()
	if !never && (ordinarySilence(src, silence) || !j.LongEnough(src, silence)) || silence < model.FrozenMs {
		return catalog.Finding{}, false
	}
	f := catalog.NewFinding("TM105", src)
	f.Operator = model.HeadName(src)
	f.HeldBack = j.HeldBack(src, src.MinOut())
	f.Began(j.Clock(src)-silence, j.Clock(src))
	state := fmt.Sprintf("no record for %s, event time stands at %s", units.Duration(silence), src.MinOut().Now)
	if never {
		state = fmt.Sprintf("no record since start, %s ago", units.Duration(silence))
	}
	if ms, known := src.MinOut().Now.Millis(); known && model.NearEpochZero(ms) {
		state += " (1970: its rows carry time 0, see TM205)"
		f.Severity, f.Confidence = catalog.Info, catalog.Likely // any record would release it only if it carried a time
	} else if !never && silence < 2*model.QuietMs {
		f.Severity, f.Confidence = catalog.Warning, catalog.Likely
	}
	if !j.Compared() {
		f.Confidence = catalog.Likely
	}
	f.Summary = fmt.Sprintf("%s: its input %s is silent (%s) while records come from another input", catalog.Without([]model.Ref{*v.Ref()}, v, v.EventTime()), model.SourceLabel(src), state)
	for _, s := range src.Subtasks[:min(len(src.Subtasks), 4)] {
		f.ProveReading(src, model.SubtaskLabel(s), "currentOutputWatermark", s.Out())
		f.ProveGauge(src, model.SubtaskLabel(s), "numRecordsOut", s.Records)
	}
	f.ProveReading(v, model.QuoteName(v.Name), "event time", v.EventTime())
	for _, e := range v.In {
		f.ProveReading(e.From, model.QuoteName(e.From.Name), "currentOutputWatermark (minimum)", e.From.MinOut())
	}
	return f, true
}

// ordinarySilence reports a silence that every subtask of the source knows from its low traffic.
func ordinarySilence(v *model.Vertex, silenceMs int64) bool {
	for _, s := range v.Subtasks {
		if !s.Never() && !s.OrdinarySilence(silenceMs) {
			return false
		}
	}
	return true
}
