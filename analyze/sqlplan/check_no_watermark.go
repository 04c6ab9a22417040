package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM605", Cause: "watermark-missing", Title: "A table without WATERMARK is asked for event time",
	Symptom: 2, Severity: catalog.Warning, Needs: catalog.Needs(catalog.SQLScript, catalog.SQLGateway), Script: catalog.ByPlan,
	Means: "A window, a join on a time range, OVER or MATCH_RECOGNIZE asks for the event time of a table that declares no WATERMARK. For a window Flink refuses the query; a join on a time range becomes a regular join silently; and a branch of a UNION ALL or join without WATERMARK is planned, too.",
	Why:   "A column is a time attribute only through WATERMARK FOR. Without it the planner has no rowtime: window table functions and group windows are refused (the timecol is no time attribute), and a join whose range an interval join would bound is planned as a regular join that keeps every row forever. Behind UNION ALL and joins event time is the minimum over all inputs: a table that emits no watermark holds it back forever, and no idle timeout helps, since that belongs to a watermark.",
	Fix: catalog.Fix{
		Text: "Declare the watermark in CREATE TABLE, on the column that the queries use, with a delay measured on the topic.",
		SQL:  "ts AS TO_TIMESTAMP_LTZ(event_time, 3),\nWATERMARK FOR ts AS ts - INTERVAL '5' SECOND",
	},
})
