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
		d.gap("late:", fmt.Sprintf("late records had been dropped at %s of the readings, in %s stretches", units.Count(u.Dropping), units.Count(u.DroppingTimes)))
	}
	if !ok {
		d.gap("max-lag: 1m", "too few readings without trouble to say what is usual: "+read)
		return
	}
	d.key("max-lag: "+units.Exact(roundUp(max(2*largest, 30_000))), fmt.Sprintf("twice the largest ordinary lag: %s, 99 of 100 below %s; %s", units.Duration(largest), units.Duration(p99), read))
}

// usualTimeout is the idle timeout that the silences of the past call for, as a key and where it comes from; "" where
// none was seen.
func (j *Job) usualTimeout() (key, from string) {
	if j.Usual == nil {
		return "", ""
	}
	longest, ms, ok := j.Usual.Silent()
	if !ok {
		return "", ""
	}
	from = fmt.Sprintf("by the silences of %s: %s seen, the longest %s, twice that at least", longest.Split, units.Count(longest.Count), units.Duration(longest.LongestMs))
	if longest.LeftOut > 0 {
		from += fmt.Sprintf("; %s that held event time are left out", units.Count(longest.LeftOut))
	}
	return ", min: " + units.Exact(ms), from
}

func joined(a, b string) string {
	if b == "" {
		return a
	}
	return a + "; min is " + b
}
