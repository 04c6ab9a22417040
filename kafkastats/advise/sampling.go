package advise

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Sampling says which part of a topic was read and how the running maximum at the start of each
// segment was known. null: the records did not come from a topic.
type Sampling struct {
	By       string    `json:"by"`             // time or offset; empty: one contiguous range
	Note     string    `json:"note,omitempty"` // why the segments are not spread over time
	Planned  int       `json:"planned"`        // segments
	Segments []Segment `json:"segments"`       // those that were started
}

// Segment counts partitions by how their running maximum was primed: start (nothing comes
// before), lookup (exact, from the broker's time index), append-time (pre-roll, raised by the
// append time), pre-roll, none.
type Segment struct {
	Primed map[string]int `json:"primed"`
}

// String is one line for a report: 12 segments spread over time; running maximum at their starts known by
// pre-roll (88), start (8).
func (s Sampling) String() string {
	total := map[string]int{}
	for _, at := range s.Segments {
		for how, n := range at.Primed {
			total[how] += n
		}
	}
	var hows []string
	for _, how := range slices.Sorted(maps.Keys(total)) {
		hows = append(hows, fmt.Sprintf("%s (%d)", how, total[how]))
	}
	text := "one contiguous range"
	if s.By != "" {
		text = fmt.Sprintf("%d of %d segments spread over %s", len(s.Segments), s.Planned, s.By)
	}
	if s.Note != "" {
		text += ", because " + s.Note
	}
	if len(hows) > 0 {
		text += "; running maximum at the start of each partition known by " + strings.Join(hows, ", ")
	}
	return text
}
