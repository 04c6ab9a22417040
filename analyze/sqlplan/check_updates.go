package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM606", Cause: "updates-before-event-time", Title: "Retractions (updates) enter an event-time operator",
	Severity: catalog.Warning, Needs: catalog.Needs(catalog.SQLScript, catalog.SQLGateway), Script: catalog.ByPlan,
	Means: "Top-N, ORDER BY … LIMIT or a deduplication that keeps the last row feeds a window or another event-time operator. Its result is updated: a retraction for a window that has already fired comes too late.",
	Why:   "Such operators pass the time attribute on, but their result is updated: a retraction carries the event time of the row it retracts, which may be far behind the watermark, and the window drops it as late; its counts are then wrong. 1.18.1 refuses updates before a window table function, 1.20.3 and 2.3.0 plan retracting aggregates; group windows take them in all three.",
	Fix: catalog.Fix{
		Text: "Aggregate in the window first and rank its result, which is a window Top-N; or keep the first row by event time, which is append-only from 2.1 on.",
		SQL:  "SELECT * FROM (\n  SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY c DESC) AS rn\n  FROM (SELECT k, window_start, window_end, COUNT(*) AS c\n        FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND))\n        GROUP BY k, window_start, window_end)\n) WHERE rn <= 3",
	},
})
