package policy

import (
	"fmt"

	"tidemark/analyze"
	"tidemark/internal/units"
)

// usualLag takes a limit from the lag of ordinary times, never from an outage.
func (d *draft) usualLag(u *analyze.Usual) {
	p99, largest, ok := u.Lag()
	read := fmt.Sprintf("%s readings from %s to %s", units.Count(u.Readings), units.Time(u.FromMs), units.Time(u.UntilMs))
	if u.LeftOut > 0 {
		read += fmt.Sprintf(", %s of them in trouble and left out", units.Count(u.LeftOut))
	}
	if u.Dropping > 0 {
		d.gap("late:", fmt.Sprintf("late records had been dropped at %s of the readings", units.Count(u.Dropping)))
	}
	if !ok {
		d.gap("max-lag: 1m", "too few readings without trouble to say what is usual: "+read)
		return
	}
	d.key("max-lag: "+units.Exact(roundUp(max(2*largest, 30_000))), fmt.Sprintf("twice the largest ordinary lag: %s, 99 of 100 below %s; %s", units.Duration(largest), units.Duration(p99), read))
}

// usualSilence is the longest ordinary silence of a split; ok is false where none was followed.
func (j *Job) usualSilence() (longest analyze.Silence, count, leftOut int, ok bool) {
	if j.Usual == nil {
		return longest, 0, 0, false
	}
	return j.Usual.Silent()
}

func joined(a, b string) string {
	if b == "" {
		return a
	}
	return a + "; min is " + b
}
