package analyze

// Job is the model that checks read.
type Job struct{}
