package fix

import (
	"fmt"

	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// strategy is DataStream code that adds a call to the strategy of the source and keeps the delay in force. REST does not
// show the delay of a DataStream job; where it cannot be inferred either, the code refers to the strategy by name.
func (s site) strategy(call string) string {
	whose := ""
	if len(s.job.Sources()) > 1 {
		whose = " of " + model.QuoteName(s.label())
	}
	code := s.assigned()
	if code == "strategy" {
		return fmt.Sprintf("// added to the strategy%s\nstrategy.%s", whose, call)
	}
	b, _ := s.delay()
	how := "inferred"
	if b.Declared {
		how = "declared"
	}
	return fmt.Sprintf("// the strategy%s, with the delay now in force (%s)\n%s\n    .%s", whose, how, code, call)
}

// assigned is code for the strategy with the delay in force, "strategy" where that is unknown.
func (s site) assigned() string {
	b, ok := s.delay()
	ms := declarable(b.Ms)
	switch {
	case !ok:
		return "strategy"
	case b.Declared:
		ms = b.Ms
	}
	return bounded(ms)
}

func bounded(ms int64) string {
	if ms == 0 {
		return "WatermarkStrategy.<T>forMonotonousTimestamps()"
	}
	return "WatermarkStrategy.<T>forBoundedOutOfOrderness(" + units.Java(ms) + ")"
}

// beamDelay is the delay in seconds, as text.
func (s site) beamDelay() string {
	if b, ok := s.delay(); ok {
		return fmt.Sprint(max(declarable(b.Ms)/1000, 1))
	}
	return "5"
}

// clause is the WATERMARK clause in the plan, "" where the plan shows none or no column.
func (s site) clause() string {
	b, ok := s.delay()
	col := s.column()
	if !ok || !b.Declared || col == "" {
		return ""
	}
	return units.Watermark(col, b.Ms)
}

// watermark is a WATERMARK clause for the table with a delay, ms.
func (s site) watermark(ms int64) string {
	col := s.column()
	if col == "" {
		col = "ts"
	}
	clause := units.Watermark(col, ms)
	if t := table(s.source); t != "" {
		return "-- in CREATE TABLE " + t + "\n" + clause
	}
	return clause
}

// declarable rounds a delay up to a round value, ms.
func declarable(ms int64) int64 {
	for _, x := range []int64{0, 1, 2, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1200, 1800, 2700, 3600} {
		if ms <= x*1000+100 { // gauges are read up to 100 ms after the record
			return x * 1000
		}
	}
	const hour = 3_600_000
	return (ms + hour - 1) / hour * hour
}

// delayOr is the delay in force, or another where it is not known, ms.
func (s site) delayOr(ms int64) int64 {
	switch b, ok := s.delay(); {
	case !ok:
		return ms
	case b.Declared:
		return b.Ms
	default:
		return declarable(b.Ms)
	}
}
