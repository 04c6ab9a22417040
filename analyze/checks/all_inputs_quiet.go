package checks

import (
	"fmt"
	"sort"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM106", Cause: "all-inputs-quiet", Title: "Every source is silent; the last window waits for the next record",
	Severity: catalog.Info, Needs: []string{"two samples", "numRecordsOut"},
	Explains:  []catalog.Explains{catalog.Stalls(catalog.Standing, catalog.Never)},
	Settled:   true,
	EventTime: true,
	Means:     "No source of this part of the job gives records and none has any pending. Event time rests at the newest record minus the bound; the last windows stay open.",
	Why: "Idleness removes an input from the minimum, and with every input idle there is nothing to advance to; so an idle timeout cannot help. " +
		"This is healthy behaviour: it looks like a stall and is none.",
	Fix: catalog.Fix{
		Text:       "Nothing is wrong with the strategy. To close the last window: send a later record or a heartbeat, or let the window fire early on processing time (a trigger on event time cannot: nothing moves it).",
		DataStream: "stream.keyBy(…).window(…).trigger(\n    ProcessingTimeoutTrigger.of(EventTimeTrigger.create(), Duration.ofMinutes(1)))",
		SQL:        "-- experimental, for group windows (GROUP BY TUMBLE(…)), not for window table functions\nSET 'table.exec.emit.early-fire.enabled' = 'true';\nSET 'table.exec.emit.early-fire.delay' = '10 s'",
	},
	Run: runAllInputsQuiet,
})

func runAllInputsQuiet(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, part := range components(j) {
		var sources []*model.Vertex
		silent := true
		for _, v := range part {
			if !v.IsSource() || v.Status == "FINISHED" {
				continue
			}
			sources = append(sources, v)
			silent = silent && model.QuietSource(v) && !model.MovedCertainly(v.MinOut()) // else no window waits: TM204
		}
		if len(sources) == 0 || !silent || !sources[0].NeedsEventTime() {
			continue
		}
		if f, ok := allInputsQuiet(j, part, sources); ok {
			out = append(out, f)
		}
	}
	return out
}

func allInputsQuiet(j *model.Job, part, sources []*model.Vertex) (catalog.Finding, bool) {
	silence := int64(-1)
	for _, v := range sources {
		if ms, ok := v.LongestSilence(); ok && (silence < 0 || ms < silence) {
			silence = ms
		}
	}
	if silence >= 0 && silence < model.FrozenMs {
		return catalog.Finding{}, false
	}
	f := catalog.NewFinding("TM106", sources[0])
	var names []string
	never := true
	for _, v := range sources {
		names = append(names, model.SourceLabel(v))
		never = never && v.NeverSpoke()
		f.ProveGauge(v, model.SourceLabel(v), "numRecordsOut", v.Records())
		f.ProveReading(v, model.SourceLabel(v), "currentOutputWatermark (minimum)", v.MinOut())
	}
	since := ""
	if silence >= 0 {
		f.Since(silence)
		since = " for " + units.Duration(silence)
	}
	what := "no record came" + since
	if never {
		what = "no record came since the start"
	}
	f.Summary = fmt.Sprintf("Every source of this part is silent (%s): %s, and none is known to be pending. %s", strings.Join(names, ", "), what, nextWindow(j, part))
	return f, true
}

// nextWindow says which window waits, where the plan tells its size.
func nextWindow(j *model.Job, part []*model.Vertex) string {
	for _, v := range part {
		for _, op := range v.Chain {
			size, ok := model.WindowStepOf(op.Text)
			ms, known := v.EventTime().Now.Millis()
			if !ok || !known || ms < 0 || !op.Kind.UsesEventTime() {
				continue
			}
			end := (ms/size + 1) * size
			return fmt.Sprintf("The window that ends at %s is %s above the watermark; a record of that time plus the bound closes it", units.Time(end), units.Duration(end-ms))
		}
	}
	return "The last windows wait for the next record"
}

// components splits the job into parts that no edge joins, each in topological order.
func components(j *model.Job) [][]*model.Vertex {
	part := map[*model.Vertex]int{}
	n := 0
	var paint func(*model.Vertex, int)
	paint = func(v *model.Vertex, c int) {
		if _, done := part[v]; done {
			return
		}
		part[v] = c
		for _, e := range v.In {
			paint(e.From, c)
		}
		for _, e := range v.Out {
			paint(e.To, c)
		}
	}
	for _, v := range j.Vertices {
		if _, done := part[v]; !done {
			paint(v, n)
			n++
		}
	}
	out := make([][]*model.Vertex, n)
	for _, v := range j.Vertices {
		out[part[v]] = append(out[part[v]], v)
	}
	sort.SliceStable(out, func(i, k int) bool { return out[i][0].ID < out[k][0].ID })
	return out
}
