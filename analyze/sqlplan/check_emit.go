package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM621", Cause: "emit-strategy", Title: "Early or late firing does not fit the query or its sink",
	Severity: catalog.Critical, Needs: catalog.Needs(catalog.SQLScript), Script: catalog.ByText,
	Means: "table.exec.emit.early-fire or late-fire is on, and the sink takes only rows that are inserted, the window is a window table function, or a setting that belongs to it is missing. Flink refuses the query.",
	Why: "A window that fires early or late sends its result again, as an update of the first: the sink must take updates, by a primary key. The settings are experimental and belong to group windows (GROUP BY TUMBLE(ts, …)) alone; window table functions refuse them. Each enabled one needs its delay, and late firing table.exec.emit.allow-lateness as well (1.18.1, 1.20.3, 2.3.0). " +
		"allow-lateness alone keeps a window for late rows and changes nothing else.",
	Fix: catalog.Fix{
		Text: "Write into a sink with a primary key that takes updates, or leave early and late firing off.",
		SQL:  upsertSink + "\n-- or: RESET 'table.exec.emit.early-fire.enabled'; RESET 'table.exec.emit.late-fire.enabled';",
	},
})
