package screen

import (
	"strings"

	"tidemark/analyze"
	"tidemark/analyze/model"
	"tidemark/analyze/series"
	"tidemark/render/figure"
)

// keep is how many readings of a place the view keeps.
const keep = 160

// past is the timelines of the jobs since the watch began.
type past struct {
	analyze.History
	highest map[string]int64 // by job, as of the newest reading: what the highest block of its strips represents
}

// take adds a reading that did not fail.
func (p *past) take(r Reading) {
	p.Keep, p.highest = keep, map[string]int64{}
	p.Add(r.Capture, r.Report)
	p.Forget(r.Report)
}

// track is the track of a vertex or split, with its timeline; nil if it was never read.
func (p *past) track(job, vertex, split string) (*series.Timeline, *series.Track) {
	t := p.Timeline(job)
	if t == nil {
		return nil, nil
	}
	return t, t.Of(model.Point{Vertex: &model.Ref{ID: vertex}, Split: split})
}

// strip is the state of a place since the watch began, in n characters, newest right.
func (p *past) strip(job, vertex, split string, n int) []figure.StripMark {
	t, track := p.track(job, vertex, split)
	if track == nil || n < 1 {
		return nil
	}
	highest, known := p.highest[job]
	if !known {
		highest = figure.HighestLag(t.Tracks)
		p.highest[job] = highest
	}
	from := min(t.FromMs, t.UntilMs-int64(n)*t.EveryMs) // a strip fills from the right
	marks := figure.Strip(track, from, t.UntilMs, n, highest)
	for i := range marks { // before the watch began
		if from+int64(i+1)*(t.UntilMs-from)/int64(n) < t.FromMs {
			marks[i].Char = ' '
		}
	}
	return marks
}

// worstVertex is the vertex whose strip represents the job: one that waits, else the one with the largest lag.
func worstVertex(j *analyze.JobReport) string {
	for _, v := range j.Vertices {
		if v.HeldBy != "" {
			return v.ID
		}
	}
	if v := j.Latest(); v != nil {
		return v.ID
	}
	return ""
}

// paintStrip colours a strip; it has no colours while the cluster does not answer.
func (m *Model) paintStrip(marks []figure.StripMark, n int) string {
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", max(0, n-len(marks))))
	_, silent := m.s.Silent(m.o.Now(), m.o.Every)
	for i := 0; i < len(marks); {
		k := i
		var run strings.Builder
		for ; k < len(marks) && marks[k].Tone == marks[i].Tone; k++ {
			run.WriteRune(marks[k].Char)
		}
		if silent {
			b.WriteString(m.t.Dim.Render(run.String()))
		} else {
			b.WriteString(m.t.Paint(marks[i].Tone, run.String()))
		}
		i = k
	}
	return b.String()
}
