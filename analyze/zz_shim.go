package analyze

import (
	"fmt"
	"sort"
	"time"

	"tidemark/flinkapi"
)

// Options of Triage.
type Options struct {
	Tool        Tool
	MinSeverity Severity
}

var shimIdle = Check{Code: "TM102", Cause: "idle-split", Title: "A quiet split holds event time", Symptom: 1, Severity: Critical, Since: "",
	Needs: []string{"two samples"}, Means: "One split never moves while its siblings do.", Why: "A source emits the minimum over its splits. A split without records never moves it.",
	Fix: Fix{Text: "Set withIdleness(…) or send a heartbeat.", DataStream: "WatermarkStrategy\n  .<Order>forBoundedOutOfOrderness(Duration.ofSeconds(5))\n  .withIdleness(Duration.ofMinutes(1))", SQL: "'scan.watermark.idle-timeout' = '1 min'"}}
var shimNever = Check{Code: "TM101", Cause: "never-emitted", Title: "No watermark is ever emitted", Symptom: 2, Severity: Critical,
	Means: "Records leave the source, event time does not.", Why: "No strategy.", Fix: Fix{Text: "Give the source a strategy."}}
var shimQuiet = Check{Code: "TM105", Cause: "quiet-input", Title: "A quiet input", Symptom: 6, Severity: Critical,
	Means: "One input of a join is quiet.", Why: "An operator follows its slowest input.", Fix: Fix{Text: "Set an idle timeout."}}
var _ = register(shimIdle) && register(shimNever) && register(shimQuiet)

// Triage placeholder.
func Triage(c *flinkapi.Capture, opts Options) *Report {
	r := &Report{Schema: SchemaReport, Tool: opts.Tool, CapturedAt: time.UnixMilli(c.ReadAt).UTC().Format(time.RFC3339), Cluster: Cluster{URL: c.URL, FlinkVersion: c.FlinkVersion()}}
	for _, f := range c.Failures {
		r.NotChecked = append(r.NotChecked, NotChecked{"TM901", f.Path + ": " + f.Reason})
	}
	for _, j := range c.Jobs {
		r.Jobs = append(r.Jobs, shimJob(c, j))
	}
	return r
}

func shimJob(c *flinkapi.Capture, j flinkapi.JobCapture) JobReport {
	last, first := j.Samples[len(j.Samples)-1], j.Samples[0]
	jr := JobReport{ID: j.ID, Name: j.Name, State: last.Job.State, Verdict: VerdictHealthy, Headline: "event time advances", Samples: len(j.Samples),
		SampleGapMs: last.ReadAt - first.ReadAt, Findings: []Finding{}, NotChecked: []NotChecked{}}
	for _, n := range last.Plan.Nodes {
		v := last.Vertices[n.ID]
		vr := VertexReport{ID: n.ID, Kind: "operator", Name: n.Description, Parallelism: n.Parallelism, Inputs: []string{}, Budget: []BudgetPart{}}
		if v != nil && v.Details != nil {
			vr.Name = v.Details.Name
		}
		if len(n.Inputs) == 0 {
			vr.Kind = "source"
		}
		for _, in := range n.Inputs {
			vr.Inputs = append(vr.Inputs, in.ID)
		}
		if v == nil {
			jr.Vertices = append(jr.Vertices, vr)
			continue
		}
		vr.Subtasks = shimSubtasks(v)
		before := flinkapi.Watermark{}
		if p := first.Vertices[n.ID]; p != nil && len(j.Samples) > 1 {
			for _, s := range shimSubtasks(p) {
				before = flinkapi.MinWatermark(before, s.In, s.Out)
			}
		}
		for _, s := range vr.Subtasks {
			vr.Min = flinkapi.MinWatermark(vr.Min, s.In, s.Out)
			known, none := 0, ""
			for _, sp := range s.Splits {
				if sp.Watermark.IsKnown() {
					known++
				} else {
					none = sp.ID
				}
			}
			if none != "" {
				shimFind(&jr, shimIdle, vr, none)
			}
		}
		if lag, ok := vr.Min.Lag(c.ReadAt); ok {
			vr.LagMs = &lag
		}
		if len(j.Samples) > 1 {
			m := before != vr.Min
			vr.Moving = &m
		}
		jr.Vertices = append(jr.Vertices, vr)
	}
	if len(jr.Findings) == 0 {
		for _, v := range jr.Vertices {
			if v.Min.State() == flinkapi.None {
				shimFind(&jr, shimNever, v, "")
				break
			}
		}
	}
	if !last.HasJob {
		jr.Verdict = VerdictIncomplete
	}
	return jr
}

func shimFind(jr *JobReport, c Check, v VertexReport, split string) {
	jr.Verdict, jr.Headline = VerdictCritical, "event time stands still"
	sym := c.Symptom
	jr.Findings = append(jr.Findings, Finding{Code: c.Code, Cause: c.Cause, Severity: c.Severity, Confidence: Likely, Title: c.Title,
		Summary: fmt.Sprintf("%s gives no event time: it waits for split %q.", v.Name, split), Symptom: &sym, Vertex: &Ref{v.ID, v.Name}, Split: split,
		Evidence: []Evidence{{Subject: v.Name, Metric: "currentWatermark", Value: "none"}}, Fix: c.Fix})
}

func shimSubtasks(v *flinkapi.VertexSample) []SubtaskReport {
	byIndex := map[int]*SubtaskReport{}
	splits := map[string]*SplitReport{}
	var order []string
	for id, val := range v.Metrics {
		m, ok := flinkapi.ParseMetricID(id)
		if !ok || m.Subtask < 0 {
			continue
		}
		s := byIndex[m.Subtask]
		if s == nil {
			s = &SubtaskReport{Index: m.Subtask}
			byIndex[m.Subtask] = s
		}
		w := flinkapi.ParseWatermark(val)
		switch {
		case m.Name == "currentInputWatermark" && m.Operator == "":
			s.In = w
		case m.Name == "currentOutputWatermark":
			s.Out = w
		case m.Name == "currentWatermark":
			if sp, ok := m.Split(); ok {
				splits[sp] = &SplitReport{ID: sp, Watermark: w}
				order = append(order, fmt.Sprintf("%06d %s", m.Subtask, sp))
			}
		}
	}
	sort.Strings(order)
	for _, o := range order {
		var idx int
		var sp string
		fmt.Sscanf(o, "%d %s", &idx, &sp)
		byIndex[idx].Splits = append(byIndex[idx].Splits, *splits[sp])
	}
	var out []SubtaskReport
	for _, s := range byIndex {
		out = append(out, *s)
	}
	sort.Slice(out, func(i, k int) bool { return out[i].Index < out[k].Index })
	return out
}
