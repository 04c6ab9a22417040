package model

// MinIn is the smallest input watermark over the subtasks that anybody waits for; absent for a source.
func (v *Vertex) MinIn() Reading {
	if v.minIn == nil {
		var min Reading
		for _, s := range v.living() {
			min = MinReading(min, s.In)
		}
		v.minIn = &min
	}
	return *v.minIn
}

// MinOut is the smallest output watermark over the subtasks that anybody waits for.
func (v *Vertex) MinOut() Reading {
	if v.minOut == nil {
		min := v.foldOut()
		v.minOut = &min
	}
	return *v.minOut
}

func (v *Vertex) foldOut() Reading {
	var min Reading
	for _, s := range v.living() {
		min = MinReading(min, s.Out())
	}
	if !min.Now.Readable() {
		for _, op := range v.Chain {
			if v.feedsEdge(op) {
				min = MinReading(min, op.Out)
			}
		}
	}
	return min
}

// Records is the vertex's record counter, summed over the subtasks; the job's own totals where the
// subtasks' counters were not read.
func (v *Vertex) Records() Gauge {
	sum := NoGauge()
	for _, s := range v.Subtasks {
		if _, ok := s.Records.Value(); !ok {
			return v.Totals
		}
		sum = AddGauges(sum, s.Records)
	}
	return sum
}

// Sent is the number of records that left the vertex, summed over the subtasks; absent where one does not tell.
func (v *Vertex) Sent() Gauge {
	sum := NoGauge()
	for _, s := range v.Subtasks {
		if _, ok := s.Sent.Value(); !ok {
			return NoGauge()
		}
		sum = AddGauges(sum, s.Sent)
	}
	return sum
}

// Flows reports whether records passed between the fetches; known is false with one fetch.
func (v *Vertex) Flows() (flows, known bool) {
	rise, ok := v.Records().Rise()
	return rise > 0, ok
}

// EventTime is the event time a vertex acts on: its input, or for several inputs the head
// operator's output, since the task gauge is a plain minimum that ignores idle inputs
// (MinWatermarkGauge, 1.17 to 2.3).
func (v *Vertex) EventTime() Reading {
	head := v.Head()
	if len(v.In) < 2 || head == nil || head.Kind.Holds() {
		return v.MinIn()
	}
	return actsOn(v.MinIn(), head.Out)
}

// actsOn is the event time of an operator of several inputs, given its gauges. Where its output is not answered any
// more its input alone does not tell: it may be that of an idle one.
func actsOn(in, out Reading) Reading {
	lost := out.Before.Readable() && !out.Now.Readable()
	if lost || out.Now.Readable() && !out.Now.Before(in.Now) {
		return out
	}
	return in
}
