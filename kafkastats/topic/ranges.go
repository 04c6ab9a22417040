package topic

import "tidemark/kafkastats/record"

// ranges adds the pre-roll. A complete topic needs none: there is nothing before it.
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
			// Retention cut the topic here: the first records only raise the maximum.
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

// lastOf is where the last n records begin.
func lastOf(from, to map[int32]int64, n int64) map[int32]int64 {
	held, out := map[int32]int64{}, map[int32]int64{}
	for p := range to {
		held[p] = max(0, to[p]-from[p])
	}
	for p, take := range record.Spread(held, n) {
		out[p] = to[p] - take
	}
	return out
}
