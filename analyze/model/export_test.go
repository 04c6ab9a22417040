package model

// Forget drops the answers that were computed for all vertices in one pass, so that each is computed by its own walk.
func (j *Job) Forget() {
	for _, v := range j.Vertices {
		v.use, v.onward, v.sources, v.end, v.holder = nil, nil, nil, nil, nil
	}
}
