package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM607", Cause: "rowtime-without-zone", Title: "The time attribute is a TIMESTAMP without a zone",
	Symptom: 3, Severity: catalog.Info, Needs: catalog.Needs(catalog.SQLScript), Script: catalog.ByText,
	Means: "The watermark is on a column of type TIMESTAMP, which is a reading of some clock, not a point in time. Flink treats it as UTC. If the data is written in another zone, watermarks are hours ahead of or behind the wall clock.",
	Why:   "Event times and watermarks are epoch milliseconds. A TIMESTAMP is turned into them as if its clock were UTC; TIMESTAMP_LTZ is a point in time from the start. Conversions such as TO_TIMESTAMP(FROM_UNIXTIME(…)), CAST of a TIMESTAMP_LTZ and Kafka's METADATA timestamp read as TIMESTAMP use table.local-time-zone, by default the zone of the machine: the same script then gives another event time on another machine. Such a conversion is a warning; a TIMESTAMP that comes as one is only noted, since no script says how its producer writes it.",
	Fix: catalog.Fix{
		Text: "Use TIMESTAMP_LTZ(3), made from epoch milliseconds; where the data holds local time, convert it with the zone it is written in.",
		SQL:  "ts AS TO_TIMESTAMP_LTZ(event_time, 3)\n-- local time in the data: ts AS TO_TIMESTAMP(CONVERT_TZ(local_time, 'Asia/Shanghai', 'UTC'))",
	},
})
