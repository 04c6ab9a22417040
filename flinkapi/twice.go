package flinkapi

// SameFetch reports two readings that were answered from one metric fetch.
func (c *Capture) SameFetch(as *Capture) bool {
	x, okX := c.fetchedAt()
	y, okY := as.fetchedAt()
	return okX && okY && x == y
}

func (c *Capture) fetchedAt() (int64, bool) {
	for _, j := range c.Jobs {
		for _, s := range j.Samples {
			for _, id := range s.SortedVertexIDs() {
				if at, ok := s.Vertices[id].FetchedAt(); ok {
					return at, true
				}
			}
		}
	}
	return 0, false
}

// After inserts the last sample of every job of an earlier reading before its newest one, so that two separate readings
// are compared; before may be nil.
func (c *Capture) After(before *Capture) *Capture {
	if before == nil {
		return c
	}
	old := map[string]JobCapture{}
	for _, j := range before.Jobs {
		old[j.ID] = j
	}
	joined := *c
	joined.Jobs = nil
	for _, j := range c.Jobs {
		if o := old[j.ID]; len(o.Samples) > 0 {
			j.Samples = append([]*Sample{o.Samples[len(o.Samples)-1]}, j.Samples...)
		}
		joined.Jobs = append(joined.Jobs, j)
	}
	return &joined
}
