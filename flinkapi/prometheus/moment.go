package prometheus

import (
	"slices"
	"sort"
	"strconv"
	"time"
)

// usualInterval is used if a series has too few samples to show how often it is scraped.
const usualInterval = time.Minute

// leastGap is the least distance of the two instants that are compared: that of two metric
// fetches of REST.
const leastGap = 15 * time.Second

// target identifies what a series was scraped from.
func target(labels map[string]string) string {
	return labels["tm_id"] + "\x00" + labels["instance"]
}

// interval is how often the slowest target of the series is scraped: the median distance of its
// samples.
func interval(all []Series) time.Duration {
	longest := map[string]Series{}
	for _, s := range all {
		if t := target(s.Labels); len(s.Points) > len(longest[t].Points) {
			longest[t] = s
		}
	}
	var slowest int64
	for _, s := range longest {
		var apart []int64
		for i := 1; i < len(s.Points); i++ {
			apart = append(apart, s.Points[i].T-s.Points[i-1].T)
		}
		if len(apart) > 0 {
			slices.Sort(apart)
			slowest = max(slowest, apart[len(apart)/2])
		}
	}
	if slowest == 0 {
		return usualInterval
	}
	return (time.Duration(slowest) * time.Millisecond).Round(time.Second)
}

// gapOf is how long before the newest sample the other one is taken.
func gapOf(every time.Duration) time.Duration {
	n := max(1, (leastGap+every-1)/every)
	return n * every
}

// patience is how old a sample may be to count for its instant: one scrape may be missed.
func patience(every time.Duration) time.Duration { return every*2 + every/2 }

// moment holds the last scraped values at an instant.
type moment struct {
	at     int64 // the newest of the samples, epoch ms; 0 = none
	oldest int64 // the oldest newest sample of a target, epoch ms
	values []value
}

type value struct {
	labels map[string]string
	p      Point
}

// moments are the newest samples at an instant, and those a gap before each of them. A series
// without a sample within patience is left out: it no longer existed.
func moments(all []Series, at int64, every time.Duration) (before, now moment) {
	old, gap := patience(every).Milliseconds(), gapOf(every).Milliseconds()
	jitter := every.Milliseconds() / 4
	for _, s := range all {
		p, fresh := s.last(at-old, at)
		if fresh {
			now.add(s, p)
		}
		until := at - gap
		if fresh {
			until = p.T - gap + jitter
		}
		if q, ok := s.last(until-old, until); ok {
			before.add(s, q)
		}
	}
	now.settle()
	before.settle()
	return before, now
}

// merge adds the samples of other series at the same instant.
func (m *moment) merge(o moment) {
	switch {
	case o.at == 0:
	case m.at == 0:
		*m = o
	default:
		m.values = append(m.values, o.values...)
		m.at, m.oldest = max(m.at, o.at), min(m.oldest, o.oldest)
	}
}

func (m *moment) add(s Series, p Point) { m.values = append(m.values, value{s.Labels, p}) }

func (m *moment) settle() {
	newest := map[string]int64{}
	for _, v := range m.values {
		t := target(v.labels)
		newest[t] = max(newest[t], v.p.T)
		m.at = max(m.at, v.p.T)
	}
	m.oldest = m.at
	for _, t := range newest {
		m.oldest = min(m.oldest, t)
	}
	// The attempt before a restart may still be within patience: the newest sample of an id is
	// used, so it must come last.
	sort.SliceStable(m.values, func(i, k int) bool {
		a, b := m.values[i], m.values[k]
		if x, y := attempt(a.labels), attempt(b.labels); x != y {
			return x < y
		}
		return a.p.T < b.p.T
	})
}

// attempt is the number of a task's attempt, 0 without such a label.
func attempt(labels map[string]string) int {
	n, _ := strconv.Atoi(labels["task_attempt_num"])
	return n
}
