package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM616", Cause: "unit-argument", Title: "The time attribute reads a number in another unit than its name says",
	Symptom: 4, Severity: catalog.Critical, Needs: catalog.Needs(catalog.SQLScript), Script: catalog.ByText,
	Means: "The column of the watermark is made by TO_TIMESTAMP_LTZ or FROM_UNIXTIME from a number whose name ends in a unit (_ms, _sec, _us, …), and the call reads another unit: event time is in 1970 or thousands of years ahead.",
	Why: "TO_TIMESTAMP_LTZ(x, 0) reads seconds, TO_TIMESTAMP_LTZ(x, 3) milliseconds, FROM_UNIXTIME(x) seconds; a factor of 1000 in the expression is counted. Microseconds and nanoseconds must be divided first. " +
		"A name is a hint, not a proof. event-time.unit of the policy says which unit the records have, and is compared with the call as well (TM864).",
	Fix: catalog.Fix{
		Text: "Give the call the unit of the number, or divide the number first.",
		SQL:  "ts AS TO_TIMESTAMP_LTZ(event_ms, 3)\n-- seconds: TO_TIMESTAMP_LTZ(event_sec, 0); microseconds: TO_TIMESTAMP_LTZ(event_us / 1000, 3)",
	},
})
