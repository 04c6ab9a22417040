package analyze

import (
	"cmp"
	"slices"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

// Usual is how a job goes when nothing is wrong, from its past: what limits and timeouts can be taken from.
// Readings in trouble (a verdict of warning or worse, or incomplete) are counted and left out.
type Usual struct {
	FromMs, UntilMs int64     // the stretch that was read, epoch ms
	Readings        int       // of the job in that stretch
	LeftOut         int       // of those, in trouble
	Dropping        int       // readings since whose reading before late records had been dropped
	DroppingTimes   int       // stretches of such readings
	Silences        []Silence // of each split that is read

	dropped bool // at the reading before

	lags     []lagAt // of the latest vertex at the others, in the order of time
	troubles []span  // in which event time stood
	from     int64   // of the trouble that lasts, 0 = none
}

// Silence is how long a split usually sends nothing. A silence is known to a scrape at either end.
type Silence struct {
	Split     string `json:"split"`
	Count     int    `json:"count"`      // silences that ended, of two scrapes or more
	HalfMs    int64  `json:"half_ms"`    // half of them were not longer
	P90Ms     int64  `json:"p90_ms"`     // nine of ten
	P99Ms     int64  `json:"p99_ms"`     // 99 of 100
	LongestMs int64  `json:"longest_ms"` // of those in which event time did not stand still for it
	UsualMs   int64  `json:"usual_ms"`   // of all times between two records, short ones as well, 9,999 of 10,000 were not longer
	LeftOut   int    `json:"left_out"`   // silences in which it did: an outage says nothing of what is usual
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
	dropping := slices.ContainsFunc(j.Findings, func(f catalog.Finding) bool { return f.Code == "TM401" })
	if dropping {
		u.Dropping++
	}
	if dropping && !u.dropped {
		u.DroppingTimes++
	}
	u.dropped = dropping
	for _, f := range j.Findings {
		held = held || f.Severity == catalog.Critical || f.Code == "TM106" // nothing came at all
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
	backlog := slices.ContainsFunc(j.Findings, func(f catalog.Finding) bool { return f.Code == "TM304" }) // its lag is not that of other days
	if j.Verdict != VerdictHealthy && j.Verdict != VerdictInfo || backlog {
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

// AddSilences takes when a split sent something, epoch ms in the order of time, as seen at scrapes, in runs between
// which nothing is known.
func (u *Usual) AddSilences(split string, runs [][]int64, everyMs int64) {
	troubles := u.troubles
	if u.from > 0 {
		troubles = append(slices.Clone(troubles), span{u.from, u.UntilMs})
	}
	s := Silence{Split: split}
	var all, silent []int64
	for _, movedMs := range runs {
		for i := 1; i < len(movedMs); i++ {
			from, until := movedMs[i-1], movedMs[i]
			long := until-from >= 2*everyMs-everyMs/4
			if slices.ContainsFunc(troubles, func(t span) bool { return from < t.until && t.from < until }) {
				if long {
					s.LeftOut++
				}
				continue
			}
			if all = append(all, until-from); long {
				silent = append(silent, until-from)
			}
		}
	}
	slices.Sort(all)
	slices.Sort(silent)
	if s.Count = len(silent); s.Count > 0 {
		s.HalfMs, s.P90Ms, s.P99Ms, s.LongestMs = quantile(silent, 50, 100), quantile(silent, 90, 100), quantile(silent, 99, 100), silent[s.Count-1]
		s.UsualMs = quantile(all, 9999, 10_000)
	}
	u.Silences = append(u.Silences, s)
}

// quantile is the smallest of sorted numbers that p of q are not above.
func quantile(sorted []int64, p, q int) int64 { return sorted[(len(sorted)*p+q-1)/q-1] }

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
	return quantile(sorted, 99, 100), sorted[n-1], true
}

// Silent is the split that was silent for longest without holding anything up, and the idle timeout that its
// silences call for, as recommend has it from the gaps in a topic; ok is false where none was.
func (u *Usual) Silent() (longest Silence, idleTimeoutMs int64, ok bool) {
	for _, s := range u.Silences {
		if s.UsualMs > longest.UsualMs {
			longest = s
		}
	}
	return longest, model.IdleTimeoutFor(longest.UsualMs), longest.Count > 0
}

// UsualReport is what is usual of a job, in a report.
type UsualReport struct {
	FromMs        int64     `json:"from_ms"`
	UntilMs       int64     `json:"until_ms"`
	Readings      int       `json:"readings"`
	LeftOut       int       `json:"left_out"`        // of those, in trouble
	LagP99Ms      *int64    `json:"lag_p99_ms"`      // null = too few readings without trouble
	LagLargestMs  *int64    `json:"lag_largest_ms"`  // likewise
	Dropping      int       `json:"dropping"`        // readings since whose reading before late records had been dropped
	DroppingTimes int       `json:"dropping_times"`  // stretches of such readings
	Silences      []Silence `json:"silences"`        // the longest first
	IdleTimeoutMs *int64    `json:"idle_timeout_ms"` // that the silences call for; null = none was seen
}

// Report is what is usual; nil where too little was read.
func (u *Usual) Report() *UsualReport {
	if u == nil || u.Readings < leastReadings {
		return nil
	}
	r := &UsualReport{FromMs: u.FromMs, UntilMs: u.UntilMs, Readings: u.Readings, LeftOut: u.LeftOut, Dropping: u.Dropping, DroppingTimes: u.DroppingTimes,
		Silences: slices.SortedStableFunc(slices.Values(u.Silences), func(a, b Silence) int { return cmp.Compare(b.UsualMs, a.UsualMs) })}
	if p99, largest, ok := u.Lag(); ok {
		r.LagP99Ms, r.LagLargestMs = &p99, &largest
	}
	if _, ms, ok := u.Silent(); ok {
		r.IdleTimeoutMs = &ms
	}
	return r
}
