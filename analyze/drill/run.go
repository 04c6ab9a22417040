// Package drill measures a replay from an old offset while it is watched: how fast event time catches up and how long that
// takes, how far splits and sources are apart, how checkpoints grow, what is dropped. A Run is filled from captures of a
// job: samples of REST, or a walk through Prometheus.
package drill

import (
	"math"
	"slices"

	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// Run is one job while it was watched. Times are epoch ms of the cluster's clock.
type Run struct {
	FromMs, UntilMs int64
	Readings        int // at which the job was running
	Sources         []*Source
	Apart           []Point // watermark of the newest source minus the oldest, ms; where two could be read
	Checkpoints     Checkpoints
	Droppers        []*Dropper

	startedMs int64
}

// Source is a source whose event time is used.
type Source struct {
	Of     model.Ref
	Event  []Point // its watermark, epoch ms; after a restart from an older offset only since then
	Apart  []Point // watermark of its newest split minus the oldest that is not idle, ms
	Sent   []Point // records since the first reading, over restarts
	HoldMs int64   // the delay of its strategy
	Splits int     // the largest number seen
	Merged bool    // splits have no watermark metric, and a subtask reads several
	Ahead  bool    // its watermark was ahead of the clock
	Ended  bool    // its input has ended

	sent counter
}

// Checkpoints are the completed checkpoints, and the number of failed ones.
type Checkpoints struct {
	Size, Duration []Point // bytes of the whole state; ms from trigger to completion
	Failed         int64
	Read           bool // some reading had checkpoint statistics

	failed counter
	last   int64 // id
}

// Dropper is an operator that drops late records.
type Dropper struct {
	Of       model.Ref
	Operator string
	Dropped  float64 // records, since the first reading
	Input    float64 // records that it read meanwhile
	Fed      bool    // the input could be read
	Unread   string  // why its drops are unknown, "" where the counter was read

	dropped, input counter
}

// counter sums up the rises of a counter over restarts, which set it to 0.
type counter struct {
	sum, last float64
	read      bool
}

func (c *counter) add(g model.Gauge) bool {
	now, ok := g.Value()
	if !ok {
		return false
	}
	switch {
	case !c.read:
	case now < c.last:
		c.sum += now
	default:
		c.sum += now - c.last
	}
	c.last, c.read = now, true
	return true
}

// Watch collects the runs of jobs, by id.
type Watch struct{ runs map[string]*Run }

// Of is the run of a job, nil where it was never read.
func (w *Watch) Of(id string) *Run { return w.runs[id] }

// Add takes the newest sample of every job of a capture; captures come in the order of time.
func (w *Watch) Add(c *flinkapi.Capture) {
	if w.runs == nil {
		w.runs = map[string]*Run{}
	}
	for _, jc := range c.Jobs {
		j := model.BuildJob(c, jc)
		if w.runs[j.ID] == nil {
			w.runs[j.ID] = &Run{}
		}
		w.runs[j.ID].Add(j)
	}
}

// startJitter is how far apart the start times in two readings of one run may be, ms.
const startJitter = 2000

// Add takes the next reading of the job; one that is not newer than the last is ignored.
func (r *Run) Add(j *model.Job) {
	if !j.Running() || j.Batch || j.NowMs <= r.UntilMs {
		return
	}
	if r.FromMs == 0 {
		r.FromMs = j.NowMs
	}
	r.UntilMs = j.NowMs
	r.Readings++
	started := j.NowMs - j.UptimeMs
	anew := r.startedMs > 0 && (started-r.startedMs > startJitter)
	r.startedMs = started
	oldest, newest, read := math.Inf(1), math.Inf(-1), 0
	for _, v := range j.Sources() {
		if v.EventTimeUse() == model.UseNo {
			continue
		}
		s := r.source(v)
		if event, ok := s.add(j, v, anew); ok {
			oldest, newest, read = min(oldest, event), max(newest, event), read+1
		}
	}
	if read > 1 {
		r.Apart = append(r.Apart, Point{j.NowMs, newest - oldest})
	}
	r.Checkpoints.add(j)
	r.addDroppers(j)
}

func (r *Run) source(v *model.Vertex) *Source {
	at := slices.IndexFunc(r.Sources, func(s *Source) bool { return s.Of.ID == v.ID })
	if at < 0 {
		at = len(r.Sources)
		r.Sources = append(r.Sources, &Source{Of: model.Ref{ID: v.ID, Name: model.SourceName(v)}})
	}
	return r.Sources[at]
}

// add takes the watermarks of a source and returns its own, epoch ms; again says that the job has restarted.
func (s *Source) add(j *model.Job, v *model.Vertex, anew bool) (event float64, ok bool) {
	if b, known := lag.BoundOf(j, v); known {
		s.HoldMs = b.Ms
	}
	at := j.Clock(v)
	if s.sent.add(v.Records()) {
		s.Sent = append(s.Sent, Point{at, s.sent.sum})
	}
	s.Ended = v.MinOut().Now.State() == flinkapi.End || v.Status == "FINISHED"
	s.Splits = max(s.Splits, v.TotalSplits())
	from, spots := assigned(j, v)
	out, known := from.MinOut().Now.Millis()
	if s.Ended || !known || model.UnitOf(out, at) != "" {
		return 0, false
	}
	event = float64(out)
	oldest, newest, n := event, event, 0
	for _, p := range spots {
		ms, known := p.Reading.Now.Millis()
		if !known || model.UnitOf(ms, at) != "" || p.Split != nil && isIdle(p.Split) {
			continue
		}
		s.Merged = s.Merged || p.Split == nil && len(p.Subtask.ActiveSplits()) > 1
		oldest, newest, n = min(oldest, float64(ms)), max(newest, float64(ms)), n+1
	}
	ahead := newest > float64(at+model.AheadMs)
	if k := len(s.Event); k > 0 && anew && event < s.Event[k-1].V {
		s.Event, s.Apart, s.Ahead = nil, nil, false
	}
	s.Ahead = s.Ahead || ahead
	s.Event = append(s.Event, Point{at, event})
	if n > 1 {
		s.Apart = append(s.Apart, Point{at, newest - oldest})
	}
	return event, true
}

// assigned is the vertex that generates the watermarks of a source, itself or one downstream, and its spots there.
func assigned(j *model.Job, v *model.Vertex) (at *model.Vertex, spots []model.Spot) {
	for _, at := range append([]*model.Vertex{v}, v.Descendants()...) {
		for _, e := range j.EmittersOf(at) {
			spots = append(spots, e.Spots()...)
		}
		if len(spots) > 0 {
			return at, spots
		}
	}
	return v, nil
}

func isIdle(s *model.Split) bool {
	idle, known := s.Idle()
	return known && idle
}
