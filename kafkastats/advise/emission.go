package advise

// emission estimates what a job with periodic watermarks would find late at a delay. nil: the
// arrival of some record is unknown, or the delay is none whose count was kept.
func (s *summary) emission(delayMs int64) *Emission {
	p := s.m.Periodic
	if p == nil || s.n == 0 || p.Records != s.n {
		return nil
	}
	expected, least, most, ok := p.Late(delayMs)
	if !ok {
		return nil
	}
	onEvent := s.topic.Merged
	if s.m.IdleMs > 0 {
		onEvent = s.topic.MergedIdle
	}
	return &Emission{EmitMs: p.EmitMs, DelayMs: delayMs, LateRecords: expected, LeastRecords: least, MostRecords: most,
		Late: expected / float64(s.n), OnEvent: float64(onEvent.Above(delayMs)) / float64(s.n)}
}
