package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM622", Cause: "temporal-join-refused", Title: "A temporal join misses what it needs",
	Symptom: 2, Severity: catalog.Critical, Needs: catalog.Needs(catalog.SQLScript, catalog.SQLGateway), Script: catalog.ByPlan,
	Means: "JOIN … FOR SYSTEM_TIME AS OF is refused: the right table has no PRIMARY KEY or no WATERMARK, or the join is as of PROCTIME() and the right table cannot be looked up.",
	Why: "An event-time temporal join takes for each left row the version that was valid at its event time. It needs event time on both sides, a WATERMARK each, and on the right side the key that identifies a version. Its results wait for the watermarks of both sides, so the right table needs an idle timeout too if it changes rarely. " +
		"As of PROCTIME() Flink asks the right table for the key at that moment, which only lookup connectors answer (1.18.1, 1.20.3, 2.3.0).",
	Fix: catalog.Fix{
		Text: "Declare PRIMARY KEY and WATERMARK in the right table, and join as of the event time of the left one.",
		SQL:  "CREATE TABLE rates (currency STRING, rate DECIMAL(10, 4), valid_from TIMESTAMP_LTZ(3),\n  WATERMARK FOR valid_from AS valid_from - INTERVAL '5' SECOND,\n  PRIMARY KEY (currency) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', …);\n… FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.currency = r.currency",
	},
})
