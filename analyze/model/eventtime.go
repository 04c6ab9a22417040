package model

// MinIn is the smallest input watermark over the subtasks that are not idle (Passed); absent for a source.
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

// MinOut is the smallest output watermark over the subtasks that are not idle (Passed).
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

// Records is the record counter of the vertex: the sum over its subtasks, or Totals where one of them was not read.
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

// Sent is the number of records that left the vertex, summed over the subtasks; absent where one of them was not read.
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

// EventTime is the watermark that a vertex acts on: its input, or for several inputs the output of the head operator,
// since the task's input gauge is a plain minimum that does not leave out idle inputs (MinWatermarkGauge, 1.17 to 2.3).
func (v *Vertex) EventTime() Reading {
	head := v.Head()
	if len(v.In) < 2 || head == nil || head.Kind.Holds() {
		return v.MinIn()
	}
	return actsOn(v.MinIn(), head.Out)
}

// Watermark is the watermark that claims about a vertex are made of: the output of a source, what any other vertex acts
// on.
func (v *Vertex) Watermark() Reading {
	if v.IsSource() {
		return v.MinOut()
	}
	return v.EventTime()
}

// actsOn is the watermark that an operator of several inputs acts on, given its gauges. Where the output can no longer be
// read the result is unreadable as well: the input gauge may be that of an idle input.
func actsOn(in, out Reading) Reading {
	lost := out.Before.Readable() && !out.Now.Readable()
	if lost || out.Now.Readable() && !out.Now.Before(in.Now) {
		return out
	}
	return in
}
