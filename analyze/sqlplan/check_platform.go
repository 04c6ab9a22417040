package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM615", Cause: "managed-platform", Title: "The statement is written for Confluent Cloud, not for open-source Flink",
	Severity: catalog.Warning, Needs: catalog.Needs(catalog.SQLScript), Script: catalog.ByText,
	Means: "The script uses $rowtime, late-handling.mode, a $late table, the connector confluent or a setting sql.…: parts of Confluent Cloud for Apache Flink that open-source Flink does not have. Such a statement runs there, is refused elsewhere, and is not judged here.",
	Why: "On Confluent Cloud every table has the system column $rowtime, which is the timestamp of the Kafka record and by default carries the watermark: SOURCE_WATERMARK() on it is computed by the platform for each partition, from the disorder it has seen. late-handling.mode = 'filter' drops late records at the source and keeps them in <table>$late. " +
		"Open-source Flink has neither: the record timestamp is a METADATA column, the watermark an expression with a delay, and late records are dropped by each operator. ALTER TABLE … MODIFY WATERMARK exists in both (open source from 1.17 on, where the catalog can alter tables).",
	Fix: catalog.Fix{
		Text: "To run on Confluent Cloud: keep the statement and check it there. To run on open-source Flink: declare the record timestamp as METADATA and a watermark with a measured delay.",
		SQL:  "record_time TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL,\nWATERMARK FOR record_time AS record_time - INTERVAL '5' SECOND",
	},
})
