package crosscheck

import (
	"tidemark/analyze/catalog"
)

var _ = registerCrosscheck(catalog.Check{
	Code: "TM807", Cause: "watermark-ahead", Title: "A watermark is ahead of what the records yield",
	Symptom: 4, Severity: catalog.Warning, Needs: catalog.Needs(catalog.TwoSamples, catalog.PartitionOffsets, catalog.TopicRecords),
	Means: "A split, a subtask or a vertex shows a newer event time than the reference engine has after the same records: records that are still to come will be late.",
	Why: "Either the job has read records that the topic no longer holds, or another generator is at work: one that follows the wall clock, one that is shared between splits, or idleness that left a split out while it had records (FLINK-40234, FLINK-35886). " +
		"The tolerance is derived and printed with the result.",
	Fix: catalog.Fix{Text: "Look at the split or subtask named: what moves it is not in the records that are left in the topic."},
}, func(c *Crosscheck) []catalog.Finding { return c.deviations("TM807", Ahead, "ahead of") })
