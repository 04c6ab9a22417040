package analyze

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/analyze/series"
	"tidemark/flinkapi"
)

// History collects what the reports of the same jobs say one after the other, each of the last two
// samples that were read then. It gives every job its timeline.
type History struct {
	Keep int // readings that are kept of a place, 0 = all; see series.Timeline
	jobs map[string]*past
}

// past is a job up to its newest report.
type past struct {
	timeline    *series.Timeline
	verdict     Verdict
	readMs      int64 // JobManager time of the newest sample
	startedMs   int64 // when the job last began to run
	failed      int64 // checkpoints
	codes       []string
	attempts    map[string]int      // by vertex and subtask
	parallelism map[string]int      // by vertex
	machines    map[string]*machine // that its subtasks run on
}

// Add takes a capture and the report that was made of it.
func (h *History) Add(c *flinkapi.Capture, r *Report) {
	if h.jobs == nil {
		h.jobs = map[string]*past{}
	}
	for _, j := range r.Jobs {
		at := slices.IndexFunc(c.Jobs, func(jc flinkapi.JobCapture) bool { return jc.ID == j.ID })
		if at < 0 || len(c.Jobs[at].Samples) == 0 {
			continue
		}
		p := h.jobs[j.ID]
		if p == nil {
			p = &past{timeline: &series.Timeline{EveryMs: model.FetchInterval(c), Keep: h.Keep, Tracks: []*series.Track{}, Events: []series.Event{}}, machines: map[string]*machine{}, attempts: map[string]int{}, parallelism: map[string]int{}}
			h.jobs[j.ID] = p
		}
		samples := c.Jobs[at].Samples
		p.add(&j, samples[len(samples)-1], c.ReadAt)
	}
}

// Forget drops the jobs that a report no longer has.
func (h *History) Forget(r *Report) {
	for id := range h.jobs {
		if !slices.ContainsFunc(r.Jobs, func(j JobReport) bool { return j.ID == id }) {
			delete(h.jobs, id)
		}
	}
}

// Timeline is how the job went so far, nil where nothing was read of it.
func (h *History) Timeline(job string) *series.Timeline {
	if p := h.jobs[job]; p != nil {
		return p.timeline
	}
	return nil
}

// Note adds to the timeline of a job what its samples do not tell.
func (h *History) Note(job string, e series.Event) {
	if p := h.jobs[job]; p != nil {
		p.timeline.Note(e)
	}
}

// Mark is what a report says of its jobs, in short: two that differ have something between them.
func Mark(r *Report) string {
	var b strings.Builder
	for _, j := range r.Jobs {
		fmt.Fprint(&b, j.State, j.Verdict)
		for _, f := range j.Findings {
			fmt.Fprint(&b, f.Code, f.Severity, vertexID(f), f.Split, f.Subtasks)
		}
		for _, v := range j.Vertices {
			fmt.Fprint(&b, v.movement(), v.Parallelism)
		}
	}
	return b.String()
}

// Attach puts into a report how each of its jobs went; a single reading is no history.
func (h *History) Attach(r *Report) {
	for i := range r.Jobs {
		if t := h.Timeline(r.Jobs[i].ID); t != nil && t.UntilMs > t.FromMs {
			r.Jobs[i].Timeline = t
		}
	}
}

func (p *past) add(j *JobReport, s *flinkapi.Sample, readAt int64) {
	now := s.Job.Now
	if now == 0 {
		now = readAt
	}
	between := series.Interval{AfterMs: p.readMs, UntilMs: now}
	first := p.readMs == 0
	p.noteStarts(s, between, first)
	p.noteJudgement(j, between, first)
	p.readMs, p.verdict = now, j.Verdict
	for i := range j.Vertices {
		v := &j.Vertices[i]
		at := now
		if ms, ok := s.Vertices[v.ID].FetchedAt(); ok {
			at = ms
		}
		p.timeline.Read(model.Point{Vertex: &model.Ref{ID: v.ID, Name: v.Name}}, series.Reading{AtMs: at, Watermark: v.Min, LagMs: v.LagMs, State: v.movement()})
		if v.Kind == "source" {
			p.readSplits(v, at, s.Vertices[v.ID])
		}
	}
}

// mostPlaces bounds the tracks of a vertex: the report lists those subtasks first that hold event time.
const mostPlaces = 64

// readSplits reads the splits of a source, or its subtasks where no split is known.
func (p *past) readSplits(v *VertexReport, fetched int64, sample *flinkapi.VertexSample) {
	left := mostPlaces
	for _, sub := range v.Subtasks {
		place, at := model.Point{Vertex: &model.Ref{ID: v.ID, Name: v.Name}, Subtask: &sub.Index}, fetched
		if sample != nil {
			if own, ok := sample.SubtaskAt[sub.Index]; ok {
				at = own
			}
		}
		if len(sub.Splits) == 0 && v.Parallelism > 1 && left > 0 {
			p.timeline.Read(place, series.Reading{AtMs: at, Watermark: sub.Out})
			left--
		}
		for _, sp := range sub.Splits {
			if left--; left < 0 {
				return
			}
			place.Split = sp.ID
			r := series.Reading{AtMs: at, Watermark: sp.Watermark, Offset: sp.Offset}
			if sp.Idle != nil && *sp.Idle {
				r.State = series.Idle
			}
			p.timeline.Read(place, r)
		}
	}
}

// movement is what the account says of a vertex, "" where it says nothing.
func (v VertexReport) movement() catalog.State {
	state := catalog.State("")
	for _, c := range v.Account {
		switch {
		case c.Claim == catalog.Movement:
			state = c.State
		case c.Claim == catalog.Lag && (!c.Good || c.By != "") && state == catalog.Advancing:
			state = series.Behind
		}
	}
	if state == catalog.Unreadable {
		return "" // one sample tells no movement, and yet where the watermark stands
	}
	return state
}

// noteStarts notes restarts, new attempts, another parallelism and failed checkpoints.
func (p *past) noteStarts(s *flinkapi.Sample, between series.Interval, first bool) {
	t := p.timeline
	if started := s.Job.Timestamps["RUNNING"]; started > 0 {
		if !first && started > p.startedMs {
			t.Note(series.Event{At: series.Exactly(started), Kind: series.Restart, Text: "the job began to run again"})
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

// machine is a TaskManager that subtasks run on.
type machine struct {
	seenMs   int64 // its newest reading
	silentMs int64 // the first time since that there was no newer one, 0 = none yet
}

// noteMachines notes TaskManagers that subtasks no longer run on, from when they were not heard of any more, and
// new ones. Where nothing runs it waits: they may come back.
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
		p.timeline.Note(series.Event{At: series.Exactly(at), Kind: series.Attempt, Of: &model.Point{Vertex: &model.Ref{ID: v.ID, Name: v.Name}}, Text: fmt.Sprintf("%d of %d subtasks began again", begun, v.Parallelism)})
	}
}

// noteJudgement notes a verdict that changed, and findings that came or went. Before two samples have been
// compared there is no verdict to change.
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
		return // what takes two samples to see can neither come nor go
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
