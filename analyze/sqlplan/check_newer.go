package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM623", Cause: "newer-flink", Title: "The statement needs a newer Flink",
	Severity: catalog.Critical, Needs: catalog.Needs(catalog.SQLScript, catalog.SQLGateway), Script: catalog.ByPlan,
	Means: "The gateway's Flink refuses a statement that newer versions take.",
	Why:   "SESSION as a window table function in streaming mode came with Flink 1.19. 1.18 takes SESSION(…) in GROUP BY only, and says of the other that no function matches.",
	Fix: catalog.Fix{
		Text: "Run on the version that has it, check against a gateway of that version, or write the query in the older form.",
		SQL:  "SELECT id, COUNT(*) FROM orders\nGROUP BY id, SESSION(ts, INTERVAL '10' MINUTE)",
	},
})
