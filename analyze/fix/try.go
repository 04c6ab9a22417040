package fix

import (
	"strings"

	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// try is the fix as a setting of whatif, "" where the source cannot be played again: it shows no Kafka offsets.
func (s site) try(setting, value string) string {
	if s.source == nil || !showsOffsets(s.source) {
		return ""
	}
	return s.label() + "." + setting + "=" + value
}

// flag is a duration as it stands in a setting of whatif.
func flag(ms int64) string {
	if ms == 60_000 {
		return "1min" // an option of Flink says 60 s
	}
	return strings.ReplaceAll(units.Option(ms), " ", "")
}

func showsOffsets(v *model.Vertex) bool {
	return v.AnySplit(func(s *model.Split) bool { _, shown := s.Offset.Value(); return shown })
}
