package checks

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM106", Cause: "all-inputs-quiet", Title: "Every source is silent; the last window waits for the next record",
	Severity: catalog.Info, Needs: catalog.Needs(catalog.TwoSamples, catalog.RecordsOut),
	Explains:  []catalog.Explains{catalog.Stalls(catalog.Standing, catalog.Never)},
	Settled:   true,
	EventTime: true,
	Means:     "No source of this part of the job reads records, and none has records pending. Event time stays at the newest record minus the bound, and the last windows stay open.",
	Why:       "Idleness removes an input from the minimum. With every input idle there is nothing to advance to, so an idle timeout does not help. This is normal: it only looks like a stall.",
	Fix: catalog.Fix{
		Text:       "Nothing is wrong with the strategy. To close the last window: send a later record or a heartbeat, or let the window fire early on processing time. A trigger on event time does not help, because event time does not advance.",
		DataStream: "stream.keyBy(…).window(…).trigger(\n    ProcessingTimeoutTrigger.of(EventTimeTrigger.create(), Duration.ofMinutes(1)))",
		SQL:        "-- experimental, for group windows (GROUP BY TUMBLE(…)), not for window table functions\nSET 'table.exec.emit.early-fire.enabled' = 'true';\nSET 'table.exec.emit.early-fire.delay' = '10 s'",
	},
	Run: runAllInputsQuiet,
})

func runAllInputsQuiet(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, part := range components(j) {
		var sources, ended []*model.Vertex
		silent := true
		for _, v := range part {
			if !v.IsSource() {
				continue
			}
			if v.Status == "FINISHED" {
				ended = append(ended, v)
				continue
			}
			sources = append(sources, v)
			silent = silent && model.QuietSource(v) && !model.MovedCertainly(v.MinOut()) // else no window waits: TM204
		}
		if len(sources) == 0 || !silent || !sources[0].NeedsEventTime() {
			continue
		}
		if f, ok := allInputsQuiet(j, part, sources, ended); ok {
			out = append(out, f)
		}
	}
	return out
}

// allInputsQuiet judges a part of the job that is silent as a whole. Its last window only waits for the
// next record where no place holds event time below what the others have sent; else that place is the fault.
func allInputsQuiet(j *model.Job, part, sources, ended []*model.Vertex) (catalog.Finding, bool) {
	silence, never := partSilence(sources)
	if silence >= 0 && silence < model.FrozenMs {
		return catalog.Finding{}, false
	}
	if behind := lag.BehindOthers(j, append(ended, sources...)); len(behind) > 0 {
		return leftBehind(j, behind, len(ended)+len(sources), silence), true
	}
	if lag.MayHide(j, sources) {
		return catalog.Finding{}, false
	}
	f := catalog.NewFinding("TM106", sources[0])
	var names, unread []string
	for _, v := range sources {
		names = append(names, model.SourceLabel(v))
		f.ProveGauge(v, model.SourceLabel(v), "numRecordsOut", v.Records())
		f.ProveReading(v, model.SourceLabel(v), "currentOutputWatermark (minimum)", v.MinOut())
		if _, ok := v.Pending(); !ok && !never {
			unread = append(unread, model.SourceLabel(v))
		}
	}
	for _, v := range part {
		if v != sources[0] {
			f.HeldBack = append(f.HeldBack, *v.Ref())
		}
	}
	verb := map[bool]string{true: "has", false: "have"}[len(names) == 1]
	what := verb + " not sent a record since the start"
	switch {
	case !never && silence < 0:
		what = verb + " sent no record between the samples (since when is not shown)"
	case !never:
		what = verb + " been silent for " + units.Duration(silence)
	}
	if silence >= 0 {
		f.Began(j.Clock(sources[0])-silence, j.Clock(sources[0]))
	}
	pending := "no records are waiting"
	if len(unread) > 0 {
		f.Confidence = catalog.Likely
		pending = "whether records wait for " + strings.Join(unread, ", ") + " is not shown by this connector"
	}
	f.Summary = fmt.Sprintf("%s %s, and %s. %s", strings.Join(names, ", "), what, pending, nextWindow(j, part))
	for _, v := range sources {
		if s, newest, ok := keptBelow(j, v); ok && j.Version.Known() && !j.Version.AtLeast(2, 2, 0) {
			f.Summary = fmt.Sprintf("%s %s, and %s. Windows that end up to %s are due, and stay open: subtask %d of source %s emitted %s when its last split turned idle (FLINK-38454)",
				strings.Join(names, ", "), what, pending, newest, s.Index, model.SourceLabel(v), s.Out().Now)
			f.Fix = catalog.Fix{Text: "Send a later record, which closes them too. From 2.2.0 on a source whose splits are all idle emits the largest of their watermarks."}
		}
	}
	return f, true
}

// partSilence is for how long no source of the part has given a record, ms of wall clock, -1 where none
// tells; never says that none ever did.
func partSilence(sources []*model.Vertex) (silence int64, never bool) {
	silence, never = -1, true
	for _, v := range sources {
		for _, s := range v.Subtasks {
			if ms, ok := s.SourceIdle.Value(); ok && (silence < 0 || int64(ms) < silence) {
				silence = int64(ms)
			}
		}
		never = never && v.NeverSpoke()
	}
	return silence, never
}

// leftBehind is the finding about the place that went silent before the others of its part did: it keeps
// windows open that the others' records have passed.
func leftBehind(j *model.Job, behind []lag.Behind, sources int, silence int64) catalog.Finding {
	worst := behind[0]
	for _, b := range behind[1:] {
		if b.Never && !worst.Never || b.Never == worst.Never && b.Ms > worst.Ms {
			worst = b
		}
	}
	v := worst.Subtask.Vertex
	if splits := worst.Subtask.ActiveSplits(); worst.Split == nil && len(splits) == 1 {
		worst.Split = splits[0]
	}
	code := "TM103"
	switch {
	case sources > 1 && v.NeverSpoke():
		code, worst.Split = "TM105", nil
	case worst.Split != nil || len(worst.Subtask.ActiveSplits()) > 1:
		code = "TM102"
	}
	f := catalog.NewFinding(code, v)
	f.Confidence = catalog.Likely // all are silent now, so that a timeout set too long looks the same
	f.HeldBack = j.HeldBack(v, v.MinOut())
	f.Operator = model.HeadName(v)
	who := "subtask " + strconv.Itoa(worst.Subtask.Index)
	switch n := len(worst.Subtask.ActiveSplits()); {
	case worst.Split != nil:
		f.Split = worst.Split.ID
		who = "split " + f.Split
	case code == "TM102":
		who = fmt.Sprintf("one of the %d splits of subtask %d (this version does not show which)", n, worst.Subtask.Index)
	}
	state := "has never given a record"
	if !worst.Never {
		f.Since(max(silence, 0) + worst.Ms)
		state = "was silent " + units.Duration(worst.Ms) + " of event time before the others"
	}
	f.Summary = fmt.Sprintf("Every source of this part is silent or has finished, but %s of source %s %s and holds the windows that the others' records have passed: no later record of theirs closes them",
		who, model.SourceLabel(v), state)
	for _, b := range behind {
		f.AddSubtask(b.Subtask.Index)
	}
	f.ProveReading(v, model.SubtaskLabel(worst.Subtask), "currentOutputWatermark", worst.Subtask.Out())
	if worst.Split != nil {
		proveSplit(&f, v, worst.Split)
	}
	if newest := v.NewestSplit(); newest.IsKnown() {
		f.Prove(v, model.SourceLabel(v), "newest event time of its siblings", newest)
	}
	return f
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
