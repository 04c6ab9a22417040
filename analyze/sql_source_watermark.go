package analyze

var _ = register(Check{
	Code: "TM610", Cause: "source-watermark", Title: "SOURCE_WATERMARK() of a connector that gives none",
	Symptom: 2, Severity: Critical, Needs: []string{"SQL script"},
	Means: "WATERMARK FOR … AS SOURCE_WATERMARK() leaves watermarks to the connector. Kafka and the other connectors of Flink itself have none to give.",
	Why:   "SOURCE_WATERMARK() has no implementation of its own: a connector that declares SupportsSourceWatermark takes it over. The planner does not refuse it on a connector that only supports the push-down of watermark expressions; such a job fails, or has no watermark, at run time.",
	Fix: Fix{
		Text: "Declare the watermark as an expression over a time column.",
		SQL:  "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND",
	},
})
