package figure

import (
	"fmt"
	"math"
	"strings"

	"tidemark/internal/units"
	"tidemark/kafkastats/advise"
)

var blocks = []rune("▁▂▃▄▅▆▇█")

// hourSpark draws the p99.9 of disorder by hour of the day, one character per hour from 00:00 UTC, and its range. An hour
// without records is a dot, one with too few of them a question mark; neither is a low bar.
func hourSpark(r advise.Recommendation) []string {
	if len(r.Hours) == 0 {
		return nil
	}
	line := []rune(strings.Repeat("·", 24))
	lo, hi, worst := int64(math.MaxInt64), int64(0), 0
	few := ""
	for _, h := range r.Hours {
		if h.Thin {
			few = ", ? too few records"
			continue
		}
		if h.P999 > hi || hi == 0 {
			worst = h.Hour
		}
		lo, hi = min(lo, h.P999), max(hi, h.P999)
	}
	for _, h := range r.Hours {
		if line[h.Hour] = blocks[step(h.P999, hi)]; h.Thin {
			line[h.Hour] = '?'
		}
	}
	if lo > hi {
		return []string{string(line), "(· no data" + few + ")"}
	}
	return []string{string(line), fmt.Sprintf("p99.9 of disorder: %s to %s, most at %02d:00 UTC (· no data%s)", units.Exact(lo), units.Exact(hi), worst, few)}
}

// step is the block for v of hi.
func step(v, hi int64) int {
	if hi <= 0 || v <= 0 {
		return 0
	}
	return min(len(blocks)-1, int(float64(v)/float64(hi)*float64(len(blocks))))
}

// stripWidth is how many characters a strip of partitions takes; more partitions share one.
const stripWidth = 48

// partitionStrip draws the delay that each partition needs, by number, followed by the largest.
func partitionStrip(r advise.Recommendation) []string {
	n := len(r.Partitions)
	if n < 2 {
		return nil
	}
	each := (n + stripWidth - 1) / stripWidth
	var hi int64
	worst := r.Partitions[0]
	for _, p := range r.Partitions {
		if p.NeedMs > worst.NeedMs {
			worst = p
		}
		hi = max(hi, p.NeedMs)
	}
	var b strings.Builder
	for i := 0; i < n; i += each {
		most, any := int64(0), false
		for _, p := range r.Partitions[i:min(n, i+each)] {
			if p.Records > 0 {
				most, any = max(most, p.NeedMs), true
			}
		}
		if !any {
			b.WriteRune('·')
			continue
		}
		b.WriteRune(blocks[step(most, hi)])
	}
	if each > 1 {
		fmt.Fprintf(&b, " (%d partitions per character)", each)
	}
	strip := b.String()
	b.Reset()
	fmt.Fprintf(&b, "partitions %d to %d, most: %d needs %s", r.Partitions[0].ID, r.Partitions[n-1].ID, worst.ID, units.Exact(worst.NeedMs))
	if r.Advice.DataStreamMs > 0 {
		fmt.Fprintf(&b, ", %s the topic's", ratioText(worst, r))
	}
	return []string{strip, b.String()}
}

// TransportRule says what a rule on transport delay would declare; empty where arrival says nothing.
func TransportRule(r advise.Recommendation) string {
	if r.Transport == nil || r.Advice.TransportMs == nil {
		return ""
	}
	return fmt.Sprintf("the transport-delay rule would say %s (%s of records are no older)", units.Exact(*r.Advice.TransportMs), units.Share(1-r.TargetLate))
}
