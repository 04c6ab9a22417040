package checks

import (
	"fmt"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// uneven is a slow task of which few subtasks are busy while the others wait for work.
type uneven struct {
	busy         []int
	most, rest   float64 // busy time of the busiest one, and of the busiest among the others, ms per second
	share        float64 // of the records that came in, taken by the busy ones
	told         bool
	keyed, heavy bool // heavy: they take clearly more than their part
}

// unevenLoad requires that at most half of the subtasks are busy, and that each of the others is at most half as busy.
func unevenLoad(v *model.Vertex) (uneven, bool) {
	u := uneven{keyed: keyed(v)}
	taken, all := 0.0, 0.0
	for _, s := range v.Subtasks {
		load, ok := s.Busy.Value()
		if !ok {
			return uneven{}, false
		}
		records, told := s.Records.Rise()
		u.told = told && (u.told || s.Index == 0)
		all += records
		if load >= slowBusy {
			u.busy, u.most, taken = append(u.busy, s.Index), max(u.most, load), taken+records
		} else {
			u.rest = max(u.rest, load)
		}
	}
	if len(u.busy) == 0 || 2*len(u.busy) > len(v.Subtasks) || 2*u.rest > u.most {
		return uneven{}, false
	}
	if u.told = u.told && all > 0; u.told {
		u.share = taken / all
		u.heavy = u.share > 1.5*float64(len(u.busy))/float64(len(v.Subtasks))
	}
	return u, true
}

func keyed(v *model.Vertex) bool {
	for _, e := range v.In {
		if e.Ship == "HASH" || e.Ship == "CUSTOM" || strings.HasPrefix(e.Ship, "HASH[") {
			return true
		}
	}
	return false
}

// tell names the busy subtasks in the finding, and gives it the fix that reaches them.
func (u uneven) tell(f *catalog.Finding, v *model.Vertex) {
	f.Subtasks = u.busy
	who, is := "subtask "+catalog.SomeInts(u.busy), "is"
	if len(u.busy) > 1 {
		who, is = "subtasks "+catalog.SomeInts(u.busy), "are"
	}
	f.Summary += fmt.Sprintf(". Only %s of %d %s busy (%s), the others at most %s", who, len(v.Subtasks), is, units.Share(u.most/1000), units.Share(u.rest/1000))
	if u.told {
		f.Summary += fmt.Sprintf(", with %s of the records that come in", units.Share(u.share))
	}
	switch {
	case u.keyed && (u.heavy || !u.told):
		f.Summary += ": key skew, one key or a few have most of the work"
		f.Fix = hotKeyFix
	case u.keyed:
		f.Summary += ": its keys cost more than the others, or its machine is slow"
		f.Fix = hotKeyFix
	default:
		f.Summary += ": its input is not keyed, so look at that subtask's machine and its records"
		f.Fix = catalog.Fix{Text: "Look at the TaskManager of that subtask (CPU, disk, garbage collection) and at what its records ask for; REBALANCE before it spreads them evenly.",
			DataStream: "stream.rebalance().process(lookup)"}
	}
	for _, i := range u.busy[:min(len(u.busy), 4)] {
		f.ProveGauge(v, fmt.Sprintf("%s subtask %d", model.QuoteName(v.Name), i), "numRecordsIn", v.Subtasks[i].Records)
	}
}

var hotKeyFix = catalog.Fix{
	Text: "Find the hot key (count by key over a minute of the topic). Higher parallelism does not split a key: aggregate before the exchange, or in two stages with a salt; make the work per record cheaper (asynchronous I/O, a cache); or send a default or null key another way.",
	DataStream: "// two stages: by key and a salt that each record carries, then by key\n" +
		"stream.map(r -> r.withSalt(ThreadLocalRandom.current().nextInt(8)))\n" +
		"    .keyBy(r -> r.key() + \"#\" + r.salt()).window(…).aggregate(partial)\n    .keyBy(p -> p.key()).window(…).aggregate(merge)",
	SQL: "SET 'table.optimizer.agg-phase-strategy' = 'TWO_PHASE';\nSET 'table.optimizer.distinct-agg.split.enabled' = 'true'",
}
