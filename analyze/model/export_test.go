package model

// Forget drops the answers that were worked out for all vertices at once: each is asked for by its own walk then.
func (j *Job) Forget() {
	for _, v := range j.Vertices {
		v.use, v.onward, v.sources, v.end, v.holder = nil, nil, nil, nil, nil
	}
}
