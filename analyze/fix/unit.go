package fix

import "tidemark/analyze/catalog"

// What a time field in another unit than milliseconds wants. A time behind wants a factor, a time ahead must
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

// Unit is what mends an event time in another unit, by the time that was seen, epoch ms.
func Unit(ms, now int64) catalog.Fix {
	switch {
	case ms < now:
		return Seconds
	case ms/2000 < now:
		return TimesThousand
	}
	return Nanoseconds
}
