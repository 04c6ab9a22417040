package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM609", Cause: "watermark-column", Title: "The watermark is on another column than the one that is asked for",
	Symptom: 2, Severity: catalog.Warning, Needs: catalog.Needs(catalog.SQLScript, catalog.SQLGateway), Script: catalog.ByPlan,
	Means: "A window names a column in DESCRIPTOR, or the policy names one, and the table declares its watermark on another.",
	Why:   "A table has one time attribute, the column of WATERMARK FOR; any other timestamp is an ordinary column, and an event-time operator on it is refused.",
	Fix: catalog.Fix{
		Text: "Name the column of the watermark in the query, or move the watermark to the column that the results are about.",
		SQL:  "WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND\n… TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '10' SECOND)",
	},
})
