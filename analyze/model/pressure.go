package model

// QueueMinMs is the least age of records, or wait in a queue, that counts as one, ms.
const QueueMinMs = 10_000

// Slowest follows back-pressured vertices downstream from v to the busy one; nil where none is busy enough to explain a
// queue.
func Slowest(v *Vertex) *Vertex {
	for steps := 0; steps < 1000; steps++ {
		var next *Vertex
		if WorstBackpressure(v) >= 500 {
			for _, e := range v.Out {
				if next == nil || load(e.To) > load(next) {
					next = e.To
				}
			}
		}
		if next == nil {
			break
		}
		v = next
	}
	if WorstBusy(v) >= 500 {
		return v
	}
	for _, e := range v.In {
		if WorstBackpressure(e.From) >= 100 {
			return v
		}
	}
	return nil
}

// load is the time in which a vertex does not wait for input, busy or back-pressured, ms per second.
func load(v *Vertex) float64 { return max(WorstBusy(v), WorstBackpressure(v)) }

// WorstBusy is the busy time of the busiest subtask, ms per second.
func WorstBusy(v *Vertex) float64 { return worst(v, func(s *Subtask) Gauge { return s.Busy }) }

// WorstBackpressure is the back-pressured time of the most back-pressured subtask, ms per second.
func WorstBackpressure(v *Vertex) float64 {
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
