package fix

import (
	"fmt"

	"tidemark/analyze/catalog"
)

// The fixes for a time field in another unit than milliseconds. Times in the past need a factor, times in the future must
// not get one.
var (
	Seconds = catalog.Fix{
		Text:       "The field is in seconds: convert it to milliseconds.",
		DataStream: "strategy.withTimestampAssigner((r, t) -> r.epochSeconds() * 1000L)",
		SQL:        "ts AS TO_TIMESTAMP_LTZ(epoch_seconds, 0)",
	}
	TimesThousand = catalog.Fix{
		Text:       "Drop the factor if the field is in milliseconds already; divide by 1,000 if it is in microseconds.",
		DataStream: "strategy.withTimestampAssigner((r, t) -> r.epochMillis())\n// a field in microseconds: r.epochMicros() / 1000L",
		SQL:        "ts AS TO_TIMESTAMP_LTZ(epoch_millis, 3)\n-- a field in microseconds: TO_TIMESTAMP_LTZ(epoch_micros / 1000, 3)",
	}
	Nanoseconds = catalog.Fix{
		Text:       "The field is in nanoseconds: convert it to milliseconds.",
		DataStream: "strategy.withTimestampAssigner((r, t) -> r.epochNanos() / 1_000_000L)",
		SQL:        "ts AS TO_TIMESTAMP_LTZ(epoch_nanos / 1000000, 3)",
	}
)

// Unit is the fix for an event time in another unit, by the time seen, read as epoch ms.
func Unit(ms, now int64) catalog.Fix {
	switch {
	case ms < now:
		return Seconds
	case ms/2000 < now:
		return TimesThousand
	}
	return Nanoseconds
}

// UnitOfSome is the fix where only some splits are in another unit; which names them. A conversion of every record would
// break the other splits, so the code decides by the size of each number.
func UnitOfSome(which string, several bool, ms, now int64) catalog.Fix {
	wrong, better, unit := "< 100_000_000_000L", "x * 1000L", "in seconds"
	wrongSQL, betterSQL := "< 100000000000", "x * 1000"
	switch {
	case ms < now:
	case ms/2000 < now:
		wrong, better, unit = "> 100_000_000_000_000L", "x / 1000L", "in microseconds, or multiplied by 1,000"
		wrongSQL, betterSQL = "> 100000000000000", "x / 1000"
	default:
		wrong, better, unit = "> 100_000_000_000_000_000L", "x / 1_000_000L", "in nanoseconds"
		wrongSQL, betterSQL = "> 100000000000000000", "x / 1000000"
	}
	verb := "is"
	if several {
		verb = "are"
	}
	return catalog.Fix{
		Text:       fmt.Sprintf("Only %s %s %s: fix the producer. Until then convert by magnitude, record by record; a conversion of the whole source would break the other splits.", which, verb, unit),
		DataStream: fmt.Sprintf("// x: the time as it is read now; milliseconds stay as they are\nstrategy.withTimestampAssigner((r, t) -> {\n    long x = r.timestamp();\n    return x %s ? %s : x;\n})", wrong, better),
		SQL:        fmt.Sprintf("-- x: the number that is read now; milliseconds stay as they are\nts AS TO_TIMESTAMP_LTZ(CASE WHEN x %s THEN %s ELSE x END, 3)", wrongSQL, betterSQL),
	}
}
