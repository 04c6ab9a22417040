package analyze

import (
	"fmt"

	"tidemark/flinkapi"
	"tidemark/internal/units"
)

var _ = register(Check{
	Code: "TM303", Cause: "backpressure", Title: "Watermarks wait in the queue of a slow task",
	Severity: Warning, Needs: []string{"plan", "busy and backpressured time"},
	Means: "A vertex's input watermark trails the output of the vertex before it, and the time is spent in the buffers between: this task is busy, or those before it are backpressured.",
	Why: "Watermarks travel in the data stream; they wait behind the records in front of them. The culprit is the first vertex downstream that is busy and not backpressured itself. " +
		"Told from a stalled operator (TM307) by where the gap is: between two vertices, not between input and output of one operator.",
	Fix: Fix{
		Text:       "Give the slow operator more parallelism or make it faster (asynchronous I/O, batching); unaligned checkpoints and buffer debloating shorten the queue but not the work.",
		DataStream: "stream.keyBy(…).process(lookup).setParallelism(8)\n// or AsyncDataStream.unorderedWait(…)",
		SQL:        "SET 'parallelism.default' = '8'",
	},
	Run: runBackpressure,
})

const queueMinMs = 10_000

func runBackpressure(j *Job) []Finding {
	var out []Finding
	reported := map[*Vertex]bool{}
	for _, v := range j.Vertices {
		trail, from, ok := queueLag(v)
		if !ok {
			trail, from, ok = j.neverArrived(v)
		}
		if !ok || trail < queueMinMs {
			continue
		}
		culprit := slowest(v)
		if culprit == nil || reported[culprit] {
			continue
		}
		reported[culprit] = true
		f := newFinding("TM303", culprit)
		f.Operator = headName(culprit)
		f.HeldBack = j.heldBack(culprit, culprit.EventTime())
		f.since(trail)
		if !j.Compared() {
			f.Confidence = Likely // an operator that blocks on its timers looks the same in one fetch
		}
		busy, back := worstBusy(culprit), worstBackpressure(from)
		f.Summary = fmt.Sprintf("%s gets event time %s later than %s sends it: it is busy %.0f %% of the time, and watermarks wait behind its records",
			quoteName(culprit.Name), units.Duration(trail), quoteName(from.Name), busy/10)
		if v.MinIn().IsNone() {
			f.Summary = fmt.Sprintf("%s has not received any event time in %s, though %s sends it: %s is busy %.0f %% of the time, and watermarks wait behind the records in front of them",
				quoteName(v.Name), units.Duration(trail), quoteName(from.Name), quoteName(culprit.Name), busy/10)
		}
		if back >= 100 {
			f.Summary += fmt.Sprintf("; %s is backpressured %.0f %%", quoteName(from.Name), back/10)
		}
		f.proveReading(from, quoteName(from.Name), "currentOutputWatermark (minimum)", from.MinOut())
		f.proveReading(v, quoteName(v.Name), "currentInputWatermark (minimum)", v.MinIn())
		f.prove(culprit, quoteName(culprit.Name), "busyTimeMsPerSecond (largest)", formatNumber(busy))
		f.prove(from, quoteName(from.Name), "backPressuredTimeMsPerSecond (largest)", formatNumber(back))
		out = append(out, f)
	}
	return out
}

// queueLag is how far a vertex's input trails what its slowest input has sent, ms of event time.
func queueLag(v *Vertex) (ms int64, from *Vertex, ok bool) {
	in, known := v.MinIn().Now.Millis()
	if !known || len(v.In) == 0 {
		return 0, nil, false
	}
	for _, e := range v.In {
		out := e.From.MinOut().Now
		if out.State() == flinkapi.End {
			continue
		}
		sent, told := out.Millis()
		if !told {
			return 0, nil, false
		}
		if from == nil || sent-in < ms {
			ms, from, ok = sent-in, e.From, true
		}
	}
	return ms, from, ok
}

// neverArrived finds a busy task without event time though every input has sent some and moves on:
// what was sent still waits behind the records of the first minutes.
func (j *Job) neverArrived(v *Vertex) (ms int64, from *Vertex, ok bool) {
	if !v.MinIn().IsNone() || worstBusy(v) < 900 && worstBackpressure(v) < 500 || j.WarmingUp() {
		return 0, nil, false
	}
	if flows, known := v.Flows(); !known || !flows {
		return 0, nil, false
	}
	for _, e := range v.In {
		if out := e.From.MinOut(); !out.Now.IsKnown() || !movedCertainly(out) {
			return 0, nil, false
		}
		from = e.From
	}
	return j.UptimeMs, from, from != nil
}

// slowest walks downstream from v through backpressured vertices to the busy one; nil where nobody
// is busy enough to explain a queue.
func slowest(v *Vertex) *Vertex {
	for steps := 0; steps < 1000; steps++ {
		var next *Vertex
		if worstBackpressure(v) >= 500 {
			for _, e := range v.Out {
				if next == nil || worstBusy(e.To) > worstBusy(next) {
					next = e.To
				}
			}
		}
		if next == nil {
			break
		}
		v = next
	}
	if worstBusy(v) >= 500 {
		return v
	}
	for _, e := range v.In {
		if worstBackpressure(e.From) >= 100 {
			return v
		}
	}
	return nil
}

func worstBusy(v *Vertex) float64 { return worst(v, func(s *Subtask) Gauge { return s.Busy }) }

func worstBackpressure(v *Vertex) float64 {
	return worst(v, func(s *Subtask) Gauge { return s.Backpressured })
}

func worst(v *Vertex, of func(*Subtask) Gauge) float64 {
	most := 0.0
	for _, s := range v.Subtasks {
		if x, ok := of(s).Value(); ok && x > most {
			most = x
		}
	}
	return most
}
