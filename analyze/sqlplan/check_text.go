package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM612", Cause: "sql-unparsed", Title: "The script does not parse",
	Severity: catalog.Critical, Needs: catalog.Needs(catalog.SQLScript), Script: catalog.ByText,
	Means: "A quote or comment is never closed, a statement set has no END, a ${variable} is still in the text, the text is not UTF-8, or Flink's parser refuses a statement. Without a SQL gateway a CREATE TABLE is taken apart as far as its brackets, columns and clauses go.",
	Why:   "Statements end at a semicolon outside of quotes and comments, as in Flink's SQL client. Variables are the business of whatever runs the script: tidemark does not guess their values. Inside a quoted string they are left alone, since Flink takes them as they are.",
	Fix: catalog.Fix{
		Text: "Correct the text at the place named; have variables replaced first.",
		SQL:  "envsubst < job.sql > job.resolved.sql",
	},
})
