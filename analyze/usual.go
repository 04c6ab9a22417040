package analyze

import (
	"slices"

	"tidemark/analyze/catalog"
)

// Usual is how a job goes when nothing is wrong, from its past: what limits and timeouts can be taken from.
// Readings in trouble (a verdict of warning or worse, or incomplete) are counted and left out.
type Usual struct {
	FromMs, UntilMs int64     // the stretch that was read, epoch ms
	Readings        int       // of the job in that stretch
	LeftOut         int       // of those, in trouble
	Dropping        int       // readings since whose reading before late records had been dropped
	Silences        []Silence // of each split that is read

	lags     []lagAt // of the latest vertex at the others, in the order of time
	troubles []span  // in which event time stood
	from     int64   // of the trouble that lasts, 0 = none
}

// Silence is how long a split usually sends nothing. A silence is known to a scrape at either end.
type Silence struct {
	Split     string
	Count     int   // silences that ended, of two scrapes or more
	LongestMs int64 // of those in which event time did not stand still for it
	LeftOut   int   // silences in which it did: an outage says nothing of what is usual
}

type lagAt struct{ atMs, ms int64 }

type span struct{ from, until int64 }

// Add takes the next reading of the job.
func (u *Usual) Add(j JobReport, atMs int64) {
	if u.FromMs == 0 {
		u.FromMs = atMs
	}
	u.UntilMs = atMs
	u.Readings++
	held := false
	if slices.ContainsFunc(j.Findings, func(f catalog.Finding) bool { return f.Code == "TM401" }) {
		u.Dropping++
	}
	for _, f := range j.Findings {
		held = held || f.Severity == catalog.Critical
		if f.Severity != catalog.Info && f.SinceMs != nil {
			u.dropSince(atMs - *f.SinceMs)
		}
	}
	switch {
	case held && u.from == 0:
		u.from = atMs
	case !held && u.from > 0:
		u.troubles, u.from = append(u.troubles, span{u.from, atMs}), 0
	}
	if j.Verdict != VerdictHealthy && j.Verdict != VerdictInfo {
		u.LeftOut++
		return
	}
	if v := j.Latest(); v != nil {
		u.lags = append(u.lags, lagAt{atMs, max(0, *v.LagMs)})
	}
}

// dropSince leaves out what was read between the beginning of a trouble and the reading that found it.
func (u *Usual) dropSince(onset int64) {
	for n := len(u.lags); n > 0 && u.lags[n-1].atMs >= onset; n-- {
		u.lags = u.lags[:n-1]
		u.LeftOut++
	}
}

// AddSilences takes when a split sent something, epoch ms in the order of time, as seen at scrapes.
func (u *Usual) AddSilences(split string, movedMs []int64, everyMs int64) {
	troubles := u.troubles
	if u.from > 0 {
		troubles = append(slices.Clone(troubles), span{u.from, u.UntilMs})
	}
	s := Silence{Split: split}
	for i := 1; i < len(movedMs); i++ {
		from, until := movedMs[i-1], movedMs[i]
		if until-from < 2*everyMs-everyMs/4 {
			continue
		}
		if slices.ContainsFunc(troubles, func(t span) bool { return from < t.until && t.from < until }) {
			s.LeftOut++
			continue
		}
		s.Count++
		s.LongestMs = max(s.LongestMs, until-from)
	}
	u.Silences = append(u.Silences, s)
}

// leastReadings must be free of trouble before they say what is usual.
const leastReadings = 20

// Lag is the lag that is not exceeded in 99 of 100 readings without trouble, and the largest; ok is false
// where there are too few of them.
func (u *Usual) Lag() (p99, largest int64, ok bool) {
	n := len(u.lags)
	if n < leastReadings {
		return 0, 0, false
	}
	sorted := make([]int64, n)
	for i, l := range u.lags {
		sorted[i] = l.ms
	}
	slices.Sort(sorted)
	return sorted[(n*99+99)/100-1], sorted[n-1], true
}

// Silent is the longest silence of a split that held nothing up, and of how many; ok is false where no split
// could be followed.
func (u *Usual) Silent() (longest Silence, count, leftOut int, ok bool) {
	for _, s := range u.Silences {
		count, leftOut = count+s.Count, leftOut+s.LeftOut
		if s.LongestMs > longest.LongestMs {
			longest = s
		}
	}
	return longest, count, leftOut, len(u.Silences) > 0
}
