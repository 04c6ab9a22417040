package engine

// Watermark is the last watermark emitted, None before the first.
func (s *Source) Watermark() int64 { return s.forward.max }

// Idle reports whether the subtask last announced idle downstream.
func (s *Source) Idle() bool { return s.forward.idle }

// SplitWatermark is a split's own watermark, None before its first.
func (s *Source) SplitWatermark(split int) int64 { return s.splits[split].part.watermark }

// SplitIdle reports whether a split is left out of the minimum.
func (s *Source) SplitIdle(split int) bool { return s.splits[split].part.idle }

func (s *Source) partialWatermark(id int, ts int64) {
	if s.cfg.OnSplit != nil {
		s.cfg.OnSplit(id, ts, false)
	}
	if s.alignment != nil {
		s.alignment.splitWatermark(id, ts)
	}
}

func (s *Source) partialIdle(id int, idle bool) {
	split := s.splits[id]
	if changed := split.shownIdle != idle; changed && s.cfg.OnSplit != nil {
		s.cfg.OnSplit(id, split.part.watermark, idle)
	}
	split.shownIdle = idle
	if s.alignment != nil {
		s.alignment.splitIdle(id, idle)
	}
}
