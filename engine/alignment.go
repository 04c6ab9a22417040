package engine

// Alignment placeholder replaced in the next step.
type Alignment struct{ finished bool }

func (a *Alignment) splitFinished(int)         {}
func (a *Alignment) splitWatermark(int, int64) {}
func (a *Alignment) splitIdle(int, bool)       {}
