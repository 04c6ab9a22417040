package analyze

import (
	"cmp"
	"slices"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

// Usual is what is normal for a job, from readings of its past; limits and timeouts are derived from it. Readings with
// a verdict of warning, critical or incomplete are counted and left out.
type Usual struct {
	FromMs, UntilMs int64     // the period that was read, epoch ms
	Readings        int       // of the job in that period
	LeftOut         int       // of those, for their verdict or a backlog
	Dropping        int       // readings that show drops of late records since the reading before
	DroppingTimes   int       // runs of consecutive such readings
	Silences        []Silence // of each split that is read

	dropped bool // at the reading before

	lags     []lagAt // of the latest vertex at the other readings, in the order of time
	troubles []span  // in which event time stood still
	from     int64   // start of the trouble that still lasts, epoch ms; 0 = none
}

// Silence is how long a split usually sends nothing. Both ends of a silence are accurate to one scrape.
type Silence struct {
	Split     string `json:"split"`
	Count     int    `json:"count"`      // silences that ended, of two scrapes or more, while event time did not stand still
	HalfMs    int64  `json:"half_ms"`    // median of the silences
	P90Ms     int64  `json:"p90_ms"`     // 90 % quantile of the silences
	P99Ms     int64  `json:"p99_ms"`     // 99 % quantile of the silences
	LongestMs int64  `json:"longest_ms"` // longest silence
	UsualMs   int64  `json:"usual_ms"`   // 99.99 % quantile of all times between two records, short ones included
	LeftOut   int    `json:"left_out"`   // silences while event time stood still: an outage does not show what is usual
}

type lagAt struct{ atMs, ms int64 }

type span struct{ from, until int64 } // epoch ms

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
		held = held || f.Severity == catalog.Critical || f.Code == "TM106"
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
	backlog := slices.ContainsFunc(j.Findings, func(f catalog.Finding) bool { return f.Code == "TM304" })
	if j.Verdict != VerdictHealthy && j.Verdict != VerdictInfo || backlog {
		u.LeftOut++
		return
	}
	if v := j.Latest(); v != nil {
		u.lags = append(u.lags, lagAt{atMs, max(0, *v.LagMs)})
	}
}

// dropSince leaves out what was read between the onset of a trouble (epoch ms) and the reading that found it.
func (u *Usual) dropSince(onset int64) {
	for n := len(u.lags); n > 0 && u.lags[n-1].atMs >= onset; n-- {
		u.lags = u.lags[:n-1]
		u.LeftOut++
	}
}

// AddSilences takes the times of the scrapes at which a split had sent something new, epoch ms in ascending order, in
// runs between which nothing is known; everyMs is the scrape interval.
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

// quantile is the smallest of the sorted numbers that at least p/q of them do not exceed.
func quantile(sorted []int64, p, q int) int64 { return sorted[(len(sorted)*p+q-1)/q-1] }

// leastReadings is how many readings without trouble are needed to say what is usual.
const leastReadings = 20

// Lag is the 99 % quantile of the lag in readings without trouble, and the largest, ms; ok is false where there are
// fewer than leastReadings.
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

// Silent is the split with the largest UsualMs, and the idle timeout for it, which recommend derives from the gaps in a
// topic in the same way; ok is false where no split was silent.
func (u *Usual) Silent() (longest Silence, idleTimeoutMs int64, ok bool) {
	for _, s := range u.Silences {
		if s.UsualMs > longest.UsualMs {
			longest = s
		}
	}
	return longest, model.IdleTimeoutFor(longest.UsualMs), longest.Count > 0
}

// UsualReport is what is normal for a job, from readings of its past; those in trouble do not count.
type UsualReport struct {
	FromMs        int64     `json:"from_ms"`
	UntilMs       int64     `json:"until_ms"`
	Readings      int       `json:"readings"`
	LeftOut       int       `json:"left_out"`        // readings that do not count, for their verdict or a backlog
	LagP99Ms      *int64    `json:"lag_p99_ms"`      // 99 % quantile of the largest watermark lag; null = too few readings
	LagLargestMs  *int64    `json:"lag_largest_ms"`  // largest watermark lag; null = too few readings
	Dropping      int       `json:"dropping"`        // readings that show drops of late records since the reading before
	DroppingTimes int       `json:"dropping_times"`  // runs of consecutive readings that show drops
	Silences      []Silence `json:"silences"`        // the longest first
	IdleTimeoutMs *int64    `json:"idle_timeout_ms"` // idle timeout that fits the silences; null = no silence was seen
}

// Report is the JSON form; nil where too little was read.
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
