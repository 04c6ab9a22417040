package series

import "tidemark/analyze/catalog"

// Trouble is a time in which the watermark of a place stood still, was missing, or was behind.
type Trouble struct {
	Changes []Change // into such a state, oldest first: it may stand still, be missing after a restart, then be behind
	Ended   Interval // when it was over; zero = it lasts
}

// Lasts reports trouble that has not ended.
func (t Trouble) Lasts() bool { return t.Ended == Interval{} }

// Troubles lists the one that lasts, and those before it that lasted at least BehindMs and longer than all before them:
// the watermark of a place with few records stands still between records.
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
