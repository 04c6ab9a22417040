package analyze

import (
	"regexp"
	"strconv"

	"tidemark/flinkapi"
)

var (
	humanSize  = regexp.MustCompile(`\b(slide|step|size)=\[([^\]]*)\]`)
	humanPart  = regexp.MustCompile(`(\d+) (ms|s|min|h|d|days?)\b`)
	groupSize  = regexp.MustCompile(`(?:Tumbling|Sliding)GroupWindow\('[^']*, [^,]+, (\d+)(?:, (\d+))?\)`)
	streamSize = regexp.MustCompile(`(?:Tumbling|Sliding)EventTimeWindows\((\d+)(?:, (\d+))?\)`)
)

// WindowStepOf is the distance between window ends in ms of event time, from the text of a window
// operator: DataStream's assigner (ms), a SQL window table function ("10 s") or group window (ms).
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
		if n := parseHuman(m[2]); n > 0 && (best == 0 || n < best) {
			best = n
		}
	}
	return best, best > 0
}

func parseHuman(s string) int64 {
	sum := int64(0)
	for _, m := range humanPart.FindAllStringSubmatch(s, -1) {
		n, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			return 0
		}
		unit := map[string]int64{"ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000, "day": 86_400_000, "days": 86_400_000}[m[2]]
		sum += n * unit
	}
	return sum
}

func readingOf(ms int64) string { return flinkapi.FormatMillis(ms) }
