package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM612", Cause: "sql-unparsed", Title: "The script does not parse",
	Severity: catalog.Critical, Needs: catalog.Needs(catalog.SQLScript), Script: catalog.ByText,
	Means: "A quote or comment is never closed, a statement set has no END, a ${variable} is still in the text, the text is not UTF-8, or Flink's parser refuses a statement. Without a SQL gateway only the brackets, columns and clauses of a CREATE TABLE are parsed.",
	Why:   "Statements end at a semicolon outside of quotes and comments, as in Flink's SQL client. Variables are replaced by whatever runs the script; tidemark does not guess their values. Inside a quoted string they are left as they are, as Flink does.",
	Fix: catalog.Fix{
		Text: "Correct the text at the place given; replace variables first.",
		SQL:  "envsubst < job.sql > job.resolved.sql",
	},
})
