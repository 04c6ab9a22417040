package analyze

import (
	"fmt"
	"maps"
	"slices"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/analyze/series"
	"tidemark/flinkapi"
)

// noteStarts notes restarts, new attempts, another parallelism and failed checkpoints.
func (p *past) noteStarts(s *flinkapi.Sample, between series.Interval, first bool) {
	t := p.timeline
	if started := s.Job.Timestamps["RUNNING"]; started > 0 {
		if !first && started > p.startedMs {
			t.Note(series.Event{At: series.Exactly(started), Kind: series.Restart, Text: "the job is running again"})
		}
		p.startedMs = started
	}
	for _, v := range s.Job.Vertices {
		if was := p.parallelism[v.ID]; was > 0 && was != v.Parallelism {
			t.Note(series.Event{At: between, Kind: series.Deployment, Of: &model.Point{Vertex: &model.Ref{ID: v.ID, Name: v.Name}}, Text: fmt.Sprintf("parallelism %d -> %d", was, v.Parallelism)})
		}
		p.parallelism[v.ID] = v.Parallelism
		if vs := s.Vertices[v.ID]; vs != nil && vs.Details != nil {
			p.noteAttempts(v, vs.Details)
		}
	}
	p.noteMachines(s, between)
	if c := s.Checkpoints; c != nil {
		if n := c.Counts.Failed - p.failed; n > 0 && !first {
			t.Note(series.Event{At: between, Kind: series.Checkpoint, Text: fmt.Sprintf("%d failed", n)})
		}
		p.failed = c.Counts.Failed
	}
}

// machine is a TaskManager that subtasks run on. Times are epoch ms.
type machine struct {
	seenMs   int64 // its newest reading
	silentMs int64 // the first sample without a newer reading, 0 = none yet
}

// noteMachines notes TaskManagers on which no subtask runs any more, and new ones. While no subtask runs anywhere it
// notes nothing: the TaskManagers may come back.
func (p *past) noteMachines(s *flinkapi.Sample, between series.Interval) {
	seen := map[string]int64{}
	for _, id := range s.SortedVertexIDs() {
		v := s.Vertices[id]
		if v.Details == nil {
			continue
		}
		for _, sub := range v.Details.Subtasks {
			at := between.UntilMs
			if own, ok := v.SubtaskAt[sub.Index]; ok {
				at = own
			}
			if tm := sub.TaskManagerID; tm != "" {
				seen[tm] = max(seen[tm], at)
			}
		}
	}
	for tm, m := range p.machines {
		if at := seen[tm]; at > m.seenMs {
			m.seenMs, m.silentMs = at, 0
		} else if m.silentMs == 0 {
			m.silentMs = between.UntilMs
		}
	}
	if len(seen) == 0 {
		return
	}
	first := len(p.machines) == 0
	for _, tm := range slices.Sorted(maps.Keys(p.machines)) {
		if m := p.machines[tm]; seen[tm] == 0 {
			p.timeline.Note(series.Event{At: series.Interval{AfterMs: m.seenMs, UntilMs: m.silentMs}, Kind: series.TaskManager, Text: "no subtask runs on " + tm + " any more"})
			delete(p.machines, tm)
		}
	}
	for _, tm := range slices.Sorted(maps.Keys(seen)) {
		if p.machines[tm] != nil {
			continue
		}
		if p.machines[tm] = (&machine{seenMs: seen[tm]}); !first {
			p.timeline.Note(series.Event{At: between, Kind: series.TaskManager, Text: "subtasks run on " + tm})
		}
	}
}

func (p *past) noteAttempts(v flinkapi.JobVertex, d *flinkapi.VertexDetails) {
	begun, at := 0, int64(0)
	for _, sub := range d.Subtasks {
		key := fmt.Sprintf("%s %d", v.ID, sub.Index)
		if was, known := p.attempts[key]; known && sub.Attempt > was {
			begun, at = begun+1, max(at, sub.StartTime.V)
		}
		p.attempts[key] = sub.Attempt
	}
	if begun > 0 && at > 0 {
		p.timeline.Note(series.Event{At: series.Exactly(at), Kind: series.Attempt, Of: &model.Point{Vertex: &model.Ref{ID: v.ID, Name: v.Name}}, Text: fmt.Sprintf("%d of %d subtasks restarted", begun, v.Parallelism)})
	}
}

// noteJudgement notes a changed verdict, and findings that appeared or are gone, once two samples have been compared.
func (p *past) noteJudgement(j *JobReport, between series.Interval, first bool) {
	var codes []string
	for _, f := range j.Findings {
		if f.Severity != catalog.Info && !slices.Contains(codes, f.Code) {
			codes = append(codes, f.Code)
		}
	}
	if !first && p.codes != nil {
		if j.Verdict != p.verdict {
			p.timeline.Note(series.Event{At: between, Kind: series.Verdict, Text: string(p.verdict) + " -> " + string(j.Verdict)})
		}
	}
	if j.Samples < 2 && j.State == "RUNNING" {
		return // one sample cannot show that a finding that needs two has gone
	}
	if !first && p.codes != nil {
		for _, code := range codes {
			if !slices.Contains(p.codes, code) {
				p.timeline.Note(series.Event{At: between, Kind: series.Finding, Text: code + " appeared"})
			}
		}
		for _, code := range p.codes {
			if !slices.Contains(codes, code) {
				p.timeline.Note(series.Event{At: between, Kind: series.Finding, Text: code + " is gone"})
			}
		}
	}
	p.codes = append([]string{}, codes...)
}
