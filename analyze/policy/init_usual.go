package policy

import (
	"fmt"

	"tidemark/internal/units"
)

// usualLag takes a limit from the lag of ordinary times, never from an outage.
func (j *Job) usualLag() part {
	u := j.Usual
	p99, largest, ok := u.Lag()
	read := fmt.Sprintf("%s readings from %s to %s", units.Count(u.Readings), units.Time(u.FromMs), units.Time(u.UntilMs))
	if u.LeftOut > 0 {
		read += fmt.Sprintf(", %s of them in trouble and left out", units.Count(u.LeftOut))
	}
	var p part
	if ok {
		p.ms = roundUp(max(2*largest, 30_000))
		p.lines = append(p.lines, filled("max-lag: "+units.Exact(p.ms), fmt.Sprintf("twice the largest ordinary lag: %s, 99 of 100 below %s; %s", units.Duration(largest), units.Duration(p99), read)))
	} else {
		p.lines = append(p.lines, comment("max-lag: 1m", "too few readings without trouble to say what is usual: "+read))
	}
	if u.Dropping > 0 {
		p.lines = append(p.lines, comment("late:", fmt.Sprintf("late records had been dropped at %s of the readings, in %s stretches", units.Count(u.Dropping), units.Count(u.DroppingTimes))))
	}
	return p
}

// usualTimeout is the idle timeout that the silences of the past call for, as a key, where it comes from, and in ms; ""
// and 0 where none was seen.
func (j *Job) usualTimeout() (key, from string, ms int64) {
	if j.Usual == nil {
		return "", "", 0
	}
	longest, ms, ok := j.Usual.Silent()
	if !ok {
		return "", "", 0
	}
	from = fmt.Sprintf("by the silences of %s: %s seen, the longest %s, twice that at least", longest.Split, units.Count(longest.Count), units.Duration(longest.LongestMs))
	if longest.LeftOut > 0 {
		from += fmt.Sprintf("; %s that held event time are left out", units.Count(longest.LeftOut))
	}
	return ", min: " + units.Exact(ms), from, ms
}

func joined(a, b string) string {
	if b == "" {
		return a
	}
	return a + "; min is " + b
}
