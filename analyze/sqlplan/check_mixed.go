package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM620", Cause: "time-attributes-mixed", Title: "Time attributes of different kinds meet",
	Symptom: 2, Severity: catalog.Critical, Needs: catalog.Needs(catalog.SQLScript, catalog.SQLGateway), Script: catalog.ByPlan,
	Means: "A PROCTIME() column meets an event-time column in a join on a time range or in UNION ALL, a TIMESTAMP meets a TIMESTAMP_LTZ, or two time attributes go into one sink. Flink refuses some of these and plans others, which then keep all rows or wait forever.",
	Why: "A join on a time range of PROCTIME() and event time is planned as a regular join: it ignores watermarks and keeps every row. UNION ALL of the two makes event time of the column (CAST(PROCTIME() AS … *ROWTIME*) in the plan), but the branch with PROCTIME() emits no watermark, and event time is the minimum over both: it never starts. " +
		"UNION ALL of TIMESTAMP and TIMESTAMP_LTZ casts the one to the other in the session's zone, while its watermark stays in UTC: apart from UTC its rows are late or ahead by the offset. An interval join of the two types is refused, and so is a sink that gets two time attributes (1.18.1, 1.20.3, 2.3.0).",
	Fix: catalog.Fix{
		Text: "Declare event time of the same type, TIMESTAMP_LTZ(3), with a WATERMARK in each table, and use that column on both sides.",
		SQL:  "CREATE TABLE payments (…, paid_at TIMESTAMP_LTZ(3),\n  WATERMARK FOR paid_at AS paid_at - INTERVAL '5' SECOND)",
	},
})
