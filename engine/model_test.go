package engine

// The models here are written from the rules, not from the engine: plain lists,
// no shared code, no cleverness.

// modelSource says what one source subtask of fixed splits emitted, by looking
// at the whole history each time. It knows no idleness.
type modelSource struct {
	bound    int64
	interval int64
	splits   int
	history  []modelRecord
}

type modelRecord struct {
	at, ts int64
	split  int
}

// watermarkAt is the watermark in force just before clock now's records.
func (m *modelSource) watermarkAt(now int64) int64 {
	best := None
	for tick := m.interval; tick <= now; tick += m.interval {
		lowest := End
		for split := range m.splits {
			newest := None + m.bound + 1
			for _, r := range m.history {
				if r.split == split && r.at < tick && r.ts > newest {
					newest = r.ts
				}
			}
			lowest = min(lowest, newest-m.bound-1)
		}
		best = max(best, lowest)
	}
	return best
}

// modelWindow says what a tumbling window with allowed lateness dropped.
func modelDropped(ts, size, lateness, watermark int64) bool {
	end := ts - ((ts%size)+size)%size + size
	return end-1+lateness <= watermark
}
