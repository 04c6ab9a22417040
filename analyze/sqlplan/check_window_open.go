package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM614", Cause: "window-never-closed", Title: "A window function feeds an operator that does not wait for the window",
	Severity: catalog.Warning, Needs: catalog.Needs(catalog.SQLScript, catalog.SQLGateway), Script: catalog.ByPlan,
	Means: "A query reads TUMBLE, HOP, CUMULATE or SESSION, but groups, joins or ranks its rows without both window_start and window_end. It runs without waiting for a watermark: results change with every row, and state is never dropped.",
	Why:   "The planner makes a window aggregation, window join or window Top-N only where both window columns are among the keys. Otherwise the window function only adds columns to each row, and a plain GroupAggregate, Join or Rank follows it (1.18.1, 1.20.3 and 2.3.0).",
	Fix: catalog.Fix{
		Text: "Add the missing window column to GROUP BY, to the join condition or to PARTITION BY.",
		SQL:  "GROUP BY k, window_start, window_end\n-- ON l.k = r.k AND l.window_start = r.window_start AND l.window_end = r.window_end\n-- ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY n DESC)",
	},
})
