package lag

import (
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// QueueLag is how far a vertex's input watermark is behind the output of its slowest input, ms of event time.
func QueueLag(v *model.Vertex) (ms int64, from *model.Vertex, ok bool) {
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

// TrailOf is input minus output of an operator, ms of event time.
func TrailOf(op *model.Operator) (int64, bool) {
	in, okIn := op.In.Now.Millis()
	out, okOut := op.Out.Now.Millis()
	return in - out, okIn && okOut
}
