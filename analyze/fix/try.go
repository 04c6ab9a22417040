package fix

import (
	"strings"

	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// try is the fix as a setting of whatif, "" for a source without Kafka offsets, whose records whatif cannot read.
func (s site) try(setting, value string) string {
	if s.source == nil || !showsOffsets(s.source) {
		return ""
	}
	return s.label() + "." + setting + "=" + value
}

// flag writes a duration for a setting of whatif.
func flag(ms int64) string {
	if ms == 60_000 {
		return "1min" // units.Option writes 60 s
	}
	return strings.ReplaceAll(units.Option(ms), " ", "")
}

func showsOffsets(v *model.Vertex) bool {
	return v.AnySplit(func(s *model.Split) bool { _, shown := s.Offset.Value(); return shown })
}
