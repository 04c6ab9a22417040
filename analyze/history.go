package analyze

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/analyze/series"
	"tidemark/flinkapi"
)

// History builds the timeline of every job from consecutive reports, each made from the two newest samples of its time.
type History struct {
	Keep int // readings kept for each place, 0 = all; see series.Timeline
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
	machines    map[string]*machine // TaskManagers that its subtasks run on, by id
}

// Add takes a capture and its report.
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

// Timeline is the timeline of a job so far, nil where nothing was read of it.
func (h *History) Timeline(job string) *series.Timeline {
	if p := h.jobs[job]; p != nil {
		return p.timeline
	}
	return nil
}

// Note adds an event that samples do not show to the timeline of a job.
func (h *History) Note(job string, e series.Event) {
	if p := h.jobs[job]; p != nil {
		p.timeline.Note(e)
	}
}

// Mark is a digest of states, verdicts, findings and movement: if it is the same in two reports, nothing changed.
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

// Attach adds the timelines of more than one reading to the jobs of a report.
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

// mostPlaces bounds the tracks of a source.
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

// movement is the state of a vertex in its account, "" where it has none.
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
		return "" // the watermark is known, its movement is not: one sample
	}
	return state
}
