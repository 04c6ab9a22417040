package analyze

import (
	"slices"
	"strconv"

	"tidemark/analyze/account"
	"tidemark/analyze/catalog"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// vertexReports describes every vertex, and the subtasks that subtaskReports selects.
func vertexReports(j *model.Job, fs []catalog.Finding, acc account.Account) []VertexReport {
	out := make([]VertexReport, 0, len(j.Vertices))
	held := heldBy(j, fs)
	for _, v := range j.Vertices {
		r := VertexReport{ID: v.ID, Name: v.Name, Kind: vertexKind(v), Parallelism: v.Parallelism, Inputs: []string{}, Budget: []model.LagPart{}, Subtasks: []SubtaskReport{}}
		for _, e := range v.In {
			r.Inputs = append(r.Inputs, e.From.ID)
		}
		r.Use = v.OwnUse().String()
		et := v.Watermark()
		r.Min, r.Out = orFailed(v, et.Now), orFailed(v, v.MinOut().Now)
		if j.Running() && !j.Batch {
			if moved, known := et.Moved(); known {
				r.Moving = &moved
			}
			addLag(j, v, et, &r)
			r.Holder = holderOf(v, acc.Claims[v.ID], fs, held)
			r.HeldBy = r.Holder.text(j, v)
			r.Account = acc.Claims[v.ID]
		}
		for _, op := range v.Chain {
			r.Operators = append(r.Operators, OperatorReport{op.Name, op.In.Now, op.Out.Now})
		}
		r.Subtasks = subtaskReports(j, v)
		out = append(out, r)
	}
	return out
}

// orFailed turns an absent watermark into a failed one where metrics of the vertex could not be read: it may exist.
func orFailed(v *model.Vertex, w flinkapi.Watermark) flinkapi.Watermark {
	if w.State() != flinkapi.Absent || v.Sample == nil {
		return w
	}
	for _, f := range v.Sample.Missing {
		if f.Endpoint == flinkapi.MetricValues {
			return flinkapi.FailedWatermark()
		}
	}
	return w
}

func vertexKind(v *model.Vertex) string {
	switch {
	case v.IsSource():
		return "source"
	case len(v.Out) == 0:
		return "sink"
	}
	return "operator"
}

func addLag(j *model.Job, v *model.Vertex, et model.Reading, r *VertexReport) {
	lagMs, ok := j.Lag(v, et)
	if !ok || v.Status == "FINISHED" {
		return
	}
	r.LagMs = &lagMs
	local := int64(0)
	if q, _, ok := lag.QueueLag(v); ok && q > 0 {
		local = q
	}
	inherited := lagMs - local
	if v.IsSource() {
		local, inherited = lagMs, 0
	}
	r.LocalLagMs, r.InheritedLagMs = &local, &inherited
	r.Budget = lag.Budget(j, v, lagMs)
	if n := len(r.Budget); n > 0 && r.Budget[n-1].Kind == model.PartRest {
		r.UnexplainedMs, r.CountedTwiceMs = max(r.Budget[n-1].Ms, 0), max(-r.Budget[n-1].Ms, 0)
	}
}

// holderOf is what holds a vertex whose watermark does not advance: the place of the finding that accounts for it (one
// at the vertex itself first), or else the end of the walk upstream.
func holderOf(v *model.Vertex, claims []account.Claim, fs []catalog.Finding, held []reach) *Holder {
	for _, c := range claims {
		if c.Claim != catalog.Movement || c.Good || c.Holder == nil {
			continue
		}
		h := Holder{*c.Holder, c.By}
		own := func(f catalog.Finding) bool { return f.Code == c.By && f.Vertex != nil && f.Vertex.ID == v.ID }
		at := slices.IndexFunc(fs, own)
		for i, f := range fs {
			if at < 0 && f.Code == c.By && f.Vertex != nil && (f.Vertex.ID == h.Vertex.ID || held[i].back[v.ID] && held[i].above[h.Vertex.ID]) {
				at = i
			}
		}
		if at >= 0 {
			h.Point = fs[at].Point()
		}
		return &h
	}
	return nil
}

// reach holds ids of vertices: those that a finding holds back, and those upstream of its vertex. A holder that is not
// upstream belongs to another finding.
type reach struct{ back, above map[string]bool }

func heldBy(j *model.Job, fs []catalog.Finding) []reach {
	out := make([]reach, len(fs))
	for i, f := range fs {
		if len(f.HeldBack) == 0 || f.Vertex == nil {
			continue
		}
		out[i] = reach{map[string]bool{}, map[string]bool{}}
		for _, r := range f.HeldBack {
			out[i].back[r.ID] = true
		}
		if v := j.Vertex(f.Vertex.ID); v != nil {
			for _, above := range v.Ancestors() {
				out[i].above[above.ID] = true
			}
		}
	}
	return out
}

// text writes the holder, "" where the vertex holds itself.
func (h *Holder) text(j *model.Job, v *model.Vertex) string {
	switch {
	case h == nil:
		return ""
	case h.Vertex.ID == v.ID && h.Code == "":
		return ""
	case h.Vertex.ID == v.ID:
		return "[" + h.Code + "]"
	}
	text := model.SourceLabel(j.Vertex(h.Vertex.ID))
	if h.Subtask != nil {
		text += " subtask " + strconv.Itoa(*h.Subtask)
	}
	if h.Split != "" {
		text += " split " + h.Split
	}
	if h.Code != "" {
		text += " [" + h.Code + "]"
	}
	return text
}

// mostSubtasks bounds the list of a vertex's subtasks; one without a watermark is always listed where others have one.
const mostSubtasks = 64

func subtaskReports(j *model.Job, v *model.Vertex) []SubtaskReport {
	out := []SubtaskReport{}
	least := v.MinIn().Now
	if v.IsSource() {
		least = v.MinOut().Now
	}
	bare := least.State() == flinkapi.None && newestInput(v).IsKnown() // some have no watermark while others do
	for _, s := range v.Subtasks {
		r := SubtaskReport{Index: s.Index, In: s.In.Now, Out: s.Out().Now}
		if !r.In.Readable() && !r.Out.Readable() && len(s.Splits) == 0 {
			continue
		}
		own := r.In
		if v.IsSource() {
			own = r.Out
		}
		if len(out) >= mostSubtasks && !(bare && own.State() == flinkapi.None) {
			continue
		}
		for _, sp := range s.Splits {
			if !sp.Leftover {
				r.Splits = append(r.Splits, splitReport(sp))
			}
		}
		out = append(out, r)
	}
	return out
}

func newestInput(v *model.Vertex) flinkapi.Watermark {
	var newest flinkapi.Watermark
	for _, s := range v.Subtasks {
		newest = flinkapi.MaxWatermark(newest, s.In.Now, s.Out().Now)
	}
	return newest
}

func splitReport(sp *model.Split) SplitReport {
	r := SplitReport{ID: sp.ID, Watermark: sp.Watermark.Now}
	if idle, known := sp.Idle(); known {
		r.Idle = &idle
	}
	if paused, known := sp.Paused(); known {
		r.Paused = &paused
	}
	if off, ok := sp.Offset.Value(); ok {
		n := int64(off)
		r.Offset = &n
	}
	return r
}
