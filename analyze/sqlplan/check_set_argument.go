package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM613", Cause: "window-argument-dropped", Title: "A set operation in a window table function loses its branches",
	Severity: catalog.Critical, Needs: catalog.Needs(catalog.SQLScript, catalog.SQLGateway), Script: catalog.ByPlan,
	Means: "UNION, UNION ALL, INTERSECT or EXCEPT is written directly as the table of TUMBLE, HOP, CUMULATE or SESSION. Flink reads the first branch and drops the others without an error: results miss their rows.",
	Why:   "The syntax tree then has one window function with several inputs, of which the optimizer keeps the first (seen in 1.18.1, 1.20.3 and 2.3.0). Written as a view, a common table expression or a nested SELECT * FROM (…), the same set operation is planned whole.",
	Fix: catalog.Fix{
		Text: "Give the set operation a name, or put a SELECT around it.",
		SQL:  "WITH u AS (SELECT k, ts FROM o UNION ALL SELECT k, ts FROM p)\nSELECT … FROM TABLE(TUMBLE(TABLE u, DESCRIPTOR(ts), INTERVAL '10' SECOND))",
	},
})
