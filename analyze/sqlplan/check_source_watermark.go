package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM610", Cause: "source-watermark", Title: "SOURCE_WATERMARK() of a connector that gives none",
	Symptom: 2, Severity: catalog.Critical, Needs: catalog.Needs(catalog.SQLScript), Script: catalog.ByText,
	Means: "WATERMARK FOR … AS SOURCE_WATERMARK() leaves watermarks to the connector. Kafka and the other connectors of Flink itself have none to give, and the job fails at its first record. Iceberg gives them where the option watermark-column names a column.",
	Why:   "SOURCE_WATERMARK() has no implementation: a connector that declares SupportsSourceWatermark takes it over. The planner does not refuse it on other connectors, and the job fails at its first record: SOURCE_WATERMARK() is a declarative marker function and doesn't have concrete runtime implementation (Kafka, 2.3.0). Iceberg's source takes it over, and refuses it without watermark-column (IcebergTableSource.applySourceWatermark).",
	Fix: catalog.Fix{
		Text: "Declare the watermark as an expression over a time column.",
		SQL:  "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND",
	},
})
