package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM608", Cause: "rowtime-precision", Title: "The time attribute has more than 3 digits of a second",
	Severity: catalog.Critical, Needs: catalog.Needs(catalog.SQLScript), Script: catalog.ByText,
	Means: "WATERMARK FOR names a column of type TIMESTAMP(4) to TIMESTAMP(9), or of a TIMESTAMP without digits, which has 6. Flink refuses such a table.",
	Why:   "Watermarks are milliseconds: the planner takes time attributes of a precision from 0 to 3 only (1.17 to 2.3), and says so when the table is created.",
	Fix: catalog.Fix{
		Text: "Keep the column as it is and declare the watermark on a computed column of precision 3.",
		SQL:  "event_time TIMESTAMP_LTZ(6),\nts AS CAST(event_time AS TIMESTAMP_LTZ(3)),\nWATERMARK FOR ts AS ts - INTERVAL '5' SECOND",
	},
})
