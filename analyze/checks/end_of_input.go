package checks

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM108", Cause: "end-of-input-max", Title: "Event time is at end of input in a job that still reads",
	Headline: "{vertex} is at end of input although the job still reads",
	Symptom:  4, Severity: catalog.Critical, Needs: catalog.Needs(catalog.SourceWatermark),
	Explains:  []catalog.Explains{catalog.Stalls(catalog.End)},
	EventTime: true,
	Means:     "A watermark of Long.MAX_VALUE (end of input) was emitted although a source still reads records. All windows have fired, and every later record is late.",
	Why:       "Either a running source emits MAX itself (a bug of the connector), or finished inputs count as MAX while all remaining inputs are idle (FLINK-38477, open in all releases to 2.3.0). A bounded source that finished next to an unbounded one shows MAX at its own output only; that is healthy.",
	Fix: catalog.Fix{
		Text:       "Restart from before the jump. Do not mix bounded and unbounded sources under an idle timeout that lets all live inputs go idle; upgrade the connector if the source itself emits MAX.",
		DataStream: "// keep at least one live input active: a longer withIdleness(…) on the unbounded source",
		SQL:        "-- raise 'scan.watermark.idle-timeout' on the unbounded table",
	},
	Run: runEndOfInput,
})

func runEndOfInput(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	if draining(j) {
		return nil // event time ends on purpose: TM703
	}
	for _, v := range j.Vertices {
		if strings.HasPrefix(strings.TrimPrefix(v.Name, "Source: "), "IterationSource-") {
			continue // the head of a DataStream iteration (1.x) emits it by design, so that its loop holds nothing
		}
		if v.IsSource() {
			if f, ok := endAhead(j, v); ok {
				out = append(out, f)
			}
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

// draining reports a job that is being stopped with a savepoint, which may drain it: sources emit end of input.
func draining(j *model.Job) bool {
	s := j.Now.Checkpoints.Stopping()
	return s != nil && s.Status == "IN_PROGRESS"
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
	if anyFinished(v) {
		f.Issue = "FLINK-38477"
		f.Summary = fmt.Sprintf("%s is at the end-of-input watermark although an input still runs: what has finished counts as MAX while the others are idle", model.QuoteName(v.Name))
	} else {
		f.Confidence = catalog.Possible
		f.Summary = fmt.Sprintf("%s is at the end-of-input watermark although its inputs still run and none shows that watermark or has finished: where it came from is not seen. "+
			"An operator or generator before it may emit it, or an input that has restarted since", model.QuoteName(v.Name))
	}
	f.ProveReading(v, model.QuoteName(v.Name), "event time", v.EventTime())
	for _, e := range v.In {
		f.ProveReading(e.From, model.QuoteName(e.From.Name), "currentOutputWatermark (minimum), vertex "+e.From.Status, e.From.MinOut())
	}
	return f, true
}

// anyFinished reports an input of v, or a subtask of one, that has finished.
func anyFinished(v *model.Vertex) bool {
	for _, e := range v.In {
		if e.From.Status == "FINISHED" || finishedSubtasks(e.From) > 0 {
			return true
		}
	}
	return false
}

func finishedSubtasks(v *model.Vertex) int {
	n := 0
	for _, s := range v.Subtasks {
		if s.Status == "FINISHED" {
			n++
		}
	}
	return n
}

// endAhead finds a running source some of whose subtasks have finished while splits of the others have been
// idle before, or may be: the day all of them are idle at once, only the finished ones count, and those count as MAX.
func endAhead(j *model.Job, v *model.Vertex) (catalog.Finding, bool) {
	n := finishedSubtasks(v)
	if n == 0 || n == len(v.Subtasks) || len(v.Out) == 0 || !v.NeedsEventTime() {
		return catalog.Finding{}, false
	}
	f := catalog.NewFinding("TM108", v)
	f.Severity, f.Latent, f.Issue, f.Operator = catalog.Warning, true, "FLINK-38477", model.HeadName(v)
	f.Title = "{vertex} will jump to end of input once its other splits are idle"
	others := "the splits of the others have been idle before"
	switch d, declared := j.Declared(v); {
	case v.HasBeenIdle() || idleInEffect(v):
	case declared && d.IdleMs > 0:
		f.Confidence = catalog.Likely
		others = "an idle timeout of " + units.Duration(d.IdleMs) + " is declared for the others"
	case tellsIdle(v) || declared && d.IdleKnown:
		return catalog.Finding{}, false // none has been idle so far, or none ever is
	default:
		f.Severity, f.Confidence = catalog.Info, catalog.Possible
		f.Title = "{vertex} would jump to end of input if its other splits were idle"
		others = "whether an idle timeout is set for the others is not shown"
	}
	f.Summary = fmt.Sprintf("%d of %d subtasks of source %s have finished and count as end of input, and %s. No harm yet: once all of them are idle at the same time, the watermark jumps to Long.MAX_VALUE and every later record is dropped", n, len(v.Subtasks), model.SourceLabel(v), others)
	for _, s := range v.Subtasks {
		if s.Status == "FINISHED" && len(f.Subtasks) < 8 {
			f.AddSubtask(s.Index)
			f.Prove(v, model.SubtaskLabel(s), "status", s.Status)
		}
		for _, sp := range s.ActiveSplits() {
			if ms, ok := sp.IdleMs.Value(); ok && ms > 0 {
				f.ProveGauge(v, "split "+sp.ID, "accumulatedIdleTimeMs", sp.IdleMs)
			}
		}
	}
	return f, true
}

// idleInEffect reports a living subtask that its consumers do not wait for.
func idleInEffect(v *model.Vertex) bool {
	return slices.ContainsFunc(v.Subtasks, func(s *model.Subtask) bool {
		return s.Status != "FINISHED" && s.Out().Now.Readable() && s.Passed()
	})
}

// tellsIdle reports a source whose splits show for how long they have been idle (2.1+).
func tellsIdle(v *model.Vertex) bool {
	return v.AnySplit(func(s *model.Split) bool { _, told := s.IdleMs.Value(); return told })
}
