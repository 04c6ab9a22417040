package topic

// ranges adds the pre-roll. A topic that is still whole needs none: there is nothing before it.
func ranges(f Facts, from, to map[int32]int64) []Range {
	var out []Range
	for _, p := range f.Partitions() {
		r := Range{Partition: p, From: from[p], To: max(from[p], to[p]), Primed: PrimedByPreRoll}
		r.PreRoll = max(f.Start[p], r.From-PreRoll)
		switch {
		case r.From > f.Start[p]:
		case f.Start[p] == 0:
			r.Primed = PrimedByStart
		case r.To-r.From > 10*PreRoll:
			// Retention cut the topic here: the first records only teach the maximum.
			r.From += PreRoll
		default:
			r.Primed = NotPrimed
		}
		if r.From == r.To {
			r.PreRoll, r.Primed = r.From, PrimedByStart
		}
		out = append(out, r)
	}
	return out
}

// lastOf spreads the last n records evenly, giving what a short partition lacks to the others.
func lastOf(f Facts, from, to map[int32]int64, n int64) map[int32]int64 {
	out := map[int32]int64{}
	left := f.Partitions()
	for len(left) > 0 {
		share, rest := n/int64(len(left)), []int32{}
		for _, p := range left {
			if to[p]-from[p] <= share {
				out[p] = from[p]
				n -= to[p] - from[p]
			} else {
				rest = append(rest, p)
			}
		}
		if len(rest) == len(left) {
			for i, p := range rest {
				extra := int64(0)
				if int64(i) < n%int64(len(rest)) {
					extra = 1
				}
				out[p] = to[p] - share - extra
			}
			break
		}
		left = rest
	}
	return out
}
