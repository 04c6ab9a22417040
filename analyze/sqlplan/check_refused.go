package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM611", Cause: "sql-refused", Title: "Flink refuses a statement of the script",
	Severity: catalog.Critical, Needs: catalog.Needs(catalog.SQLScript, catalog.SQLGateway), Script: catalog.ByPlan,
	Means: "A statement is not accepted by the planner of the SQL gateway, for a reason that has nothing to do with event time: a table or column that does not exist, a wrong option, a form that this version does not know.",
	Why:   "Every definition is executed in a separate session and every query is explained, so a submission would get the same answer. Flink's own message is quoted; if its meaning is known, it is explained with what to do, and the message is in the evidence. A jar, class or catalog that the gateway lacks is not a fault of the script: the answer is then incomplete. Statements that only miss what an earlier refused statement would have defined are skipped and not reported again.",
	Fix: catalog.Fix{
		Text: "Correct the statement; run the check against a gateway of the version that the job will run on.",
		SQL:  "EXPLAIN INSERT INTO …",
	},
})
