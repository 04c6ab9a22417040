package crosscheck

// Misreading is how a job's event time can differ from the field's by more than an offset. The zero
// value is the field as it is.
type Misreading struct {
	Num, Den int64 // the job's event time is the field's times Num / Den, rounded down; 0 = 1
	Coarse   int64 // then cut to a multiple of this many ms; 0 = not
}

// misreadings are tried in order: the field as given, cut to whole seconds, and in other units.
var misreadings = []Misreading{
	{}, {Coarse: 1000},
	{Num: 1, Den: 1000}, {Num: 1000, Den: 1},
	{Num: 1, Den: 1_000_000}, {Num: 1_000_000, Den: 1},
}

// Apply gives the job's event time of a field's, ms.
func (m Misreading) Apply(ms int64) int64 { return m.apply(ms) }

func (m Misreading) apply(ms int64) int64 {
	if m.Num > 1 {
		if ms > 1<<62/m.Num || ms < -(1<<62)/m.Num {
			return 1 << 62
		}
		ms *= m.Num
	}
	if m.Den > 1 {
		ms = floorTo(ms, m.Den) / m.Den
	}
	if m.Coarse > 0 {
		ms = floorTo(ms, m.Coarse)
	}
	return ms
}

func floorTo(ms, unit int64) int64 {
	r := ms % unit
	if r < 0 {
		r += unit
	}
	return ms - r
}

// Scaled reports another unit, not only a coarser resolution.
func (m Misreading) Scaled() bool { return m.Num > 0 }

func (m Misreading) String() string {
	switch m {
	case Misreading{Coarse: 1000}:
		return "cut to whole seconds"
	case Misreading{Num: 1, Den: 1000}:
		return "divided by 1000: seconds taken for milliseconds"
	case Misreading{Num: 1000, Den: 1}:
		return "times 1000: microseconds taken for milliseconds, or seconds made of milliseconds"
	case Misreading{Num: 1, Den: 1_000_000}:
		return "divided by 1000000"
	case Misreading{Num: 1_000_000, Den: 1}:
		return "times 1000000: nanoseconds taken for milliseconds"
	}
	return "as given"
}

// fits reports by size alone whether a watermark can come from an event time read this way: within a factor of 20. No
// reasonable delay exceeds it, and every wrong unit does.
func (m Misreading) fits(event, watermark int64) bool {
	const small = 100_000_000 // below, sizes tell nothing
	if event < small || watermark < 0 {
		return !m.Scaled()
	}
	x := float64(m.apply(event))
	w := float64(watermark)
	return w > x/20 && w < x*20
}
