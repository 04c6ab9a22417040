package engine

// PauseSplit stops a split's idleness clock, as alignment does when it pauses
// the split. The caller holds back the split's records.
func (s *Source) PauseSplit(split int) error {
	if err := s.check(split); err != nil {
		return err
	}
	s.busy = true
	s.splits[split].clock.Pause(s.now)
	return nil
}

// ResumeSplit undoes PauseSplit.
func (s *Source) ResumeSplit(split int) error {
	if err := s.check(split); err != nil {
		return err
	}
	s.busy = true
	return s.splits[split].clock.Resume(s.now)
}

// PauseMain stops the idleness clock of the main output: alignment pauses the whole source.
func (s *Source) PauseMain() {
	s.busy = true
	s.mainClock.Pause(s.now)
}

// ResumeMain undoes PauseMain.
func (s *Source) ResumeMain() error {
	s.busy = true
	return s.mainClock.Resume(s.now)
}

// SetBackpressured stops or starts every idleness clock of the subtask. Do not add
// splits while the subtask is back-pressured: their clocks would run.
func (s *Source) SetBackpressured(on bool) error {
	s.busy = true
	clocks := []*ActivityClock{&s.mainClock}
	for _, split := range s.splits {
		if split.live {
			clocks = append(clocks, &split.clock)
		}
	}
	for _, c := range clocks {
		if on {
			c.Pause(s.now)
		} else if err := c.Resume(s.now); err != nil {
			return err
		}
	}
	return nil
}
