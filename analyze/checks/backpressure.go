package checks

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM303", Cause: "backpressure", Title: "Watermarks wait in the queue of a slow task",
	Headline: "{vertex} is slow: watermarks wait in the queue before it",
	Severity: catalog.Warning, Needs: catalog.Needs(catalog.Plan, catalog.BusyTime),
	Explains:  []catalog.Explains{catalog.Chokes(catalog.Movement, catalog.Standing, catalog.Never), catalog.Chokes(catalog.Lag, catalog.Owed, catalog.Constant, catalog.Unknown)},
	EventTime: true,
	Means:     "A task is busy and its input waits: its input watermark is behind what was sent to it, or the sources are backpressured and read old records.",
	Why:       "Watermarks travel in the data stream and wait behind the records in front of them. The cause is the first vertex downstream that is busy and not backpressured itself. Under full backpressure the source cannot read, so its own watermark stands; the queue may then hold only seconds. One busy subtask among idle ones behind a keyed exchange is a hot key: more parallelism does not split a key. A stalled operator (TM307) has the gap between its own input and output; here the gap is between two vertices.",
	Fix: catalog.Fix{
		Text:       "Give the slow operator more parallelism or make it faster (asynchronous I/O, batching). Unaligned checkpoints and buffer debloating shorten the queue, not the work.",
		DataStream: "stream.keyBy(…).process(lookup).setParallelism(8)\n// or AsyncDataStream.unorderedWait(…)",
		SQL:        "SET 'parallelism.default' = '8'",
	},
	Run: runBackpressure,
})

func runBackpressure(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	reported := map[*model.Vertex]bool{}
	for _, find := range []func(*model.Job, *model.Vertex) (jam, bool){queued, jamBehind, flooded} {
		for _, v := range j.Vertices {
			if jm, ok := find(j, v); ok && !reported[jm.slow] {
				reported[jm.slow] = true
				out = append(out, jm.finding(j))
			}
		}
	}
	return out
}

// jam is a slow task, who sends to it, and for how long event time has waited, ms.
type jam struct {
	slow, from *model.Vertex
	ms         int64
	says       string
	confidence catalog.Confidence // "" = certain, or likely with one fetch
}

func (m jam) finding(j *model.Job) catalog.Finding {
	f := catalog.NewFinding("TM303", m.slow)
	f.Operator = model.HeadName(m.slow)
	f.HeldBack = j.HeldBack(m.slow, m.slow.EventTime())
	f.Since(m.ms)
	if !j.Compared() {
		f.Confidence = catalog.Likely // an operator that blocks on its timers looks the same in one fetch
	}
	if m.confidence != "" {
		f.Confidence = m.confidence
	}
	busy, back := model.WorstBusy(m.slow), model.WorstBackpressure(m.from)
	f.Summary = m.says
	if back >= 100 && !strings.Contains(m.says, "backpressured") {
		f.Summary += fmt.Sprintf("; %s is backpressured %s", model.QuoteName(m.from.Name), units.Share(back/1000))
	}
	if s, ok := unevenLoad(m.slow); ok {
		s.tell(&f, m.slow)
	}
	f.ProveReading(m.from, model.QuoteName(m.from.Name), "currentOutputWatermark (minimum)", m.from.MinOut())
	f.ProveReading(m.slow, model.QuoteName(m.slow.Name), "currentInputWatermark (minimum)", m.slow.MinIn())
	f.Prove(m.slow, model.QuoteName(m.slow.Name), "busyTimeMsPerSecond (largest)", units.Number(busy))
	f.Prove(m.from, model.QuoteName(m.from.Name), "backPressuredTimeMsPerSecond (largest)", units.Number(back))
	return f
}

// queued finds event time that waits between two vertices.
func queued(j *model.Job, v *model.Vertex) (jam, bool) {
	trail, from, ok := lag.QueueLag(v)
	if !ok {
		trail, from, ok = neverArrived(j, v)
	}
	if !ok || trail < model.QueueMinMs {
		return jam{}, false
	}
	slow := model.Slowest(v)
	if slow == nil {
		return jam{}, false
	}
	busy := units.Share(model.WorstBusy(slow) / 1000)
	says := fmt.Sprintf("%s gets event time %s later than %s sends it: it is busy %s of the time, and watermarks wait behind its records",
		model.QuoteName(slow.Name), units.Duration(trail), model.QuoteName(from.Name), busy)
	if v.MinIn().IsNone() {
		says = fmt.Sprintf("%s has not received any event time in %s, though %s sends it: %s is busy %s of the time, and watermarks wait behind the records in front of them",
			model.QuoteName(v.Name), units.Duration(trail), model.QuoteName(from.Name), model.QuoteName(slow.Name), busy)
	}
	return jam{slow: slow, from: from, ms: trail, says: says}, true
}

// jammed is the backpressure from which on a vertex is held up, ms per second; slowBusy is the load of
// the task that does it.
const (
	jammed   = 500
	slowBusy = 800
)

// jamBehind finds what holds up a backpressured vertex, however little event time its queue holds: the
// records wait in the source as well, and its watermark stands where its records do.
func jamBehind(j *model.Job, v *model.Vertex) (jam, bool) {
	if j.WarmingUp() || model.WorstBackpressure(v) < jammed {
		return jam{}, false
	}
	slow := model.Slowest(v)
	if slow == nil || slow == v || model.WorstBusy(slow) < slowBusy || slow.GapMs == 0 && keepsWatermark(slow) {
		return jam{}, false
	}
	age, old := readAge(v)
	et := slow.EventTime()
	says := fmt.Sprintf("%s is busy %s of the time and holds up what is before it: %s is backpressured %s",
		model.QuoteName(slow.Name), units.Share(model.WorstBusy(slow)/1000), model.QuoteName(v.Name), units.Share(model.WorstBackpressure(v)/1000))
	if old {
		says += fmt.Sprintf(", and records are %s old when they are read", units.Duration(age))
	}
	switch _, compared := et.Advance(); {
	case et.IsNone():
		says += ". It has no watermark yet: the first one waits behind the records in front of it"
		age = max(age, j.UptimeMs)
	case et.Frozen():
		says += fmt.Sprintf(". Its event time stands at %s", et.Now)
	case !old, gains(et, slow) && gains(v.MinOut(), v) && !fallsBehind(v):
		return jam{}, false // on time, or catching up: TM304
	case !compared:
		// a job that is catching up looks the same in one fetch
		return jam{slow: slow, from: v, ms: age, says: says, confidence: catalog.Possible}, age >= model.FrozenMs
	}
	return jam{slow: slow, from: v, ms: age, says: says}, true
}

// gains reports a watermark of v that advances faster than the clock.
func gains(r model.Reading, v *model.Vertex) bool {
	advance, ok := r.Advance()
	return ok && float64(advance) > 1.05*float64(v.GapMs)
}

// fallsBehind reports a source before v of which ever more records wait.
func fallsBehind(v *model.Vertex) bool {
	return slices.ContainsFunc(v.SourcesOf(), (*model.Vertex).FallsBehind)
}

// keepsWatermark reports an operator that passes on less than it gets: with one fetch it may be one that
// is stuck (TM307), and busy for that.
func keepsWatermark(v *model.Vertex) bool {
	for _, op := range v.Chain {
		trail, ok := lag.TrailOf(op)
		if !op.Kind.Holds() && (ok && trail > model.QueueMinMs || op.In.Now.IsKnown() && op.Out.IsNone()) {
			return true
		}
	}
	return false
}

// readAge is the age of the oldest record that the sources before v read last, where it is more than
// a hop through the job takes.
func readAge(v *model.Vertex) (ms int64, old bool) {
	for _, src := range v.SourcesOf() {
		if _, hi, ok := src.EmitLag(); ok {
			ms = max(ms, int64(hi))
		}
	}
	return ms, ms >= model.QueueMinMs
}

// flooded finds a busy task that takes in less than it is sent, before its queue is full: nothing is
// backpressured yet, and event time is late or has not come through.
func flooded(j *model.Job, v *model.Vertex) (jam, bool) {
	if j.WarmingUp() || model.WorstBusy(v) < 900 || len(v.In) == 0 {
		return jam{}, false
	}
	received, known := v.Records().Rise()
	sent := 0.0
	for _, e := range v.In {
		rise, ok := e.From.Sent().Rise()
		if known = known && ok && len(e.From.Out) == 1 && e.Ship != "BROADCAST"; !known {
			return jam{}, false
		}
		sent += rise
	}
	lagMs, late := j.Lag(v, v.EventTime())
	if v.EventTime().IsNone() {
		lagMs, late = j.UptimeMs, true
	}
	if !late || lagMs < model.FrozenMs || sent-received < 100 || received > 0.8*sent {
		return jam{}, false
	}
	from := v.In[0].From
	says := fmt.Sprintf("%s is busy %s of the time and processed %s of the %s records that it was sent in %s: its queue grows, and watermarks wait in it",
		model.QuoteName(v.Name), units.Share(model.WorstBusy(v)/1000), units.Number(received), units.Number(sent), units.Duration(v.GapMs))
	m := jam{slow: v, from: from, ms: lagMs, says: says}
	if from.MinOut().IsNone() {
		m.confidence = catalog.Likely // a part of the source without event time holds it as well
	}
	return m, true
}

// neverArrived finds a busy task without event time though every input has sent some and moves on:
// what was sent still waits behind the records of the first minutes.
func neverArrived(j *model.Job, v *model.Vertex) (ms int64, from *model.Vertex, ok bool) {
	if !v.MinIn().IsNone() || model.WorstBusy(v) < 900 && model.WorstBackpressure(v) < 500 || j.WarmingUp() {
		return 0, nil, false
	}
	if flows, known := v.Flows(); !known || !flows {
		return 0, nil, false
	}
	for _, e := range v.In {
		if out := e.From.MinOut(); !out.Now.IsKnown() || !model.MovedCertainly(out) {
			return 0, nil, false
		}
		from = e.From
	}
	return j.UptimeMs, from, from != nil
}
