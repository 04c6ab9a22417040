package model

const QueueMinMs = 10_000

// Slowest walks downstream from v through backpressured vertices to the busy one; nil where nobody
// is busy enough to explain a queue.
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

// load is what keeps a vertex from waiting for work: its own, or a task behind it.
func load(v *Vertex) float64 { return max(WorstBusy(v), WorstBackpressure(v)) }

func WorstBusy(v *Vertex) float64 { return worst(v, func(s *Subtask) Gauge { return s.Busy }) }

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
