package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM618", Cause: "changelog-source", Title: "A changelog source feeds an event-time operator",
	Severity: catalog.Warning, Needs: catalog.Needs(catalog.SQLScript), Script: catalog.ByText,
	Means: "A table of a CDC connector, a CDC format (debezium-json, canal-json, …) or upsert-kafka is read by a window, OVER, an interval join or MATCH_RECOGNIZE. Such tables send updates and deletes, not only new rows.",
	Why: "Window table functions refuse updates to 1.18 and take them from 1.19 on (FLINK-20281); group windows take them in all versions. OVER by event time, interval joins and MATCH_RECOGNIZE are planned for rows that are only inserted: where a version refuses them, Flink says that the operator doesn't support consuming update and delete changes. " +
		"Where updates are taken, the retraction of an old row carries that row's event time: behind the watermark it is dropped as late, and the result stays wrong.",
	Fix: catalog.Fix{
		Text: "Window over the inserts alone: let the CDC connector read changes as rows (scan.read-changelog-as-append-only.enabled, where it has that), read the topic with the plain format and filter on the operation, or use a join or aggregation without a window. For window table functions alone, Flink 1.19 or newer will do if updates come within the delay.",
		SQL:  "-- Debezium topic read as plain rows: inserts and updates are each one new row\n'format' = 'json' … WHERE op IN ('c', 'r')\n-- to 1.18: GROUP BY TUMBLE(ts, INTERVAL '1' DAY)",
	},
})
