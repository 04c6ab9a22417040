package engine

import "fmt"

// AlignmentGroup is the JobManager's view of an alignment group: the minimum over the subtasks of
// each source, then over source names. It corresponds to SourceCoordinator and its
// WatermarkAggregator. Reports of failed or removed subtasks are never removed (FLINK-40505), and
// sources with the same name overwrite each other.
type AlignmentGroup struct {
	b       Behaviour
	sources map[string]map[int]int64
	group   map[string]int64
	noMore  map[string]map[int]bool
}

// NewAlignmentGroup returns an empty group; its watermark is None.
func NewAlignmentGroup(b Behaviour) *AlignmentGroup {
	return &AlignmentGroup{
		b: b, sources: map[string]map[int]int64{}, group: map[string]int64{}, noMore: map[string]map[int]bool{},
	}
}

// Report stores the watermark that a subtask reported (Alignment.Report).
func (g *AlignmentGroup) Report(source string, subtask int, watermark int64) {
	subtasks, known := g.sources[source]
	if !known {
		subtasks = map[int]int64{}
		g.sources[source] = subtasks
	}
	before := lowest(subtasks)
	subtasks[subtask] = watermark
	if after := lowest(subtasks); after != before {
		g.group[source] = after
	}
}

// NoMoreSplits notes that a subtask was told that there are no more splits. In releases with
// FLINK-37670 it then gets no further announcements.
func (g *AlignmentGroup) NoMoreSplits(source string, subtask int) {
	if g.noMore[source] == nil {
		g.noMore[source] = map[int]bool{}
	}
	g.noMore[source][subtask] = true
}

// Announce returns the maximum allowed watermark of the group, given one source's drift (ms).
// reached tells whether a subtask receives it: only subtasks that have reported do.
func (g *AlignmentGroup) Announce(source string, driftMs int64) (allowed int64, reached func(subtask int) bool, err error) {
	if driftMs < 0 {
		return None, nil, fmt.Errorf("alignment: max drift %d ms is negative", driftMs)
	}
	allowed = lowest(g.group) + driftMs
	if g.b.AlignmentSaturates && allowed < lowest(g.group) {
		allowed = End
	}
	return allowed, func(subtask int) bool {
		if g.b.NoMoreSplitsBlocksAnnounce && g.noMore[source][subtask] {
			return false
		}
		_, reported := g.sources[source][subtask]
		return reported
	}, nil
}

// Watermark is the group's minimum; None before the first report.
func (g *AlignmentGroup) Watermark() int64 { return lowest(g.group) }

func lowest[K comparable](watermarks map[K]int64) int64 {
	if len(watermarks) == 0 {
		return None
	}
	least := End
	for _, w := range watermarks {
		least = min(least, w)
	}
	return least
}
