package series

import "tidemark/analyze/catalog"

// Trouble is a time in which a place stood, had no watermark, or was behind.
type Trouble struct {
	Changes []Change // into such a state, oldest first: it may stand, lose its watermark in a restart, and be behind
	Ended   Interval // when it was over; zero = it lasts
}

// Lasts reports trouble that the track ends in.
func (t Trouble) Lasts() bool { return t.Ended == Interval{} }

// Troubles are the one that the track ends in, and those before that lasted for BehindMs at least and for longer
// than any before: a place that sends seldom stands between its records.
func (t *Track) Troubles() []Trouble {
	var all []Trouble
	var now *Trouble
	for _, c := range t.Changes {
		switch c.State {
		case catalog.Standing, catalog.Never, Behind:
			if now == nil {
				now = &Trouble{}
			}
			now.Changes = append(now.Changes, c)
		default:
			if now != nil {
				now.Ended = c.Since
				all, now = append(all, *now), nil
			}
		}
	}
	var told []Trouble
	longest := int64(BehindMs)
	for _, one := range all {
		if lasted := one.Ended.UntilMs - one.Changes[0].Since.UntilMs; lasted >= longest {
			told, longest = append(told, one), lasted
		}
	}
	if now != nil && (t.State != catalog.Standing || len(now.Changes) > 1 || t.last.AtMs-t.Since.UntilMs > t.longest) {
		told = append(told, *now)
	}
	return told
}
