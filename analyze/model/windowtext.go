package model

import (
	"regexp"
	"strconv"

	"tidemark/internal/units"
)

var (
	humanSize  = regexp.MustCompile(`\b(slide|step|size)=\[([^\]]*)\]`)
	groupSize  = regexp.MustCompile(`(?:Tumbling|Sliding)GroupWindow\('[^']*, [^,]+, (\d+)(?:, (\d+))?\)`)
	streamSize = regexp.MustCompile(`(?:Tumbling|Sliding)EventTimeWindows\((\d+)(?:, (\d+))?\)`)
)

// WindowStepOf is the distance between window ends, ms of event time, from the text of a window operator: DataStream's
// assigner (ms), a SQL window table function ("10 s") or group window (ms).
func WindowStepOf(text string) (ms int64, ok bool) {
	for _, re := range []*regexp.Regexp{streamSize, groupSize} {
		if m := re.FindStringSubmatch(text); m != nil {
			s := m[1]
			if m[2] != "" {
				s = m[2]
			}
			n, err := strconv.ParseInt(s, 10, 64)
			return n, err == nil && n > 0
		}
	}
	best := int64(0)
	for _, m := range humanSize.FindAllStringSubmatch(text, -1) {
		if d, err := units.ParseDuration(m[2]); err == nil && d > 0 && (best == 0 || d.Milliseconds() < best) {
			best = d.Milliseconds()
		}
	}
	return best, best > 0
}
