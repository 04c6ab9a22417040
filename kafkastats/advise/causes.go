package advise

import "tidemark/analyze/catalog"

// Critical means that no delay is right until the cause is fixed.
const (
	critical = catalog.Critical
	warning  = catalog.Warning
	info     = catalog.Info
)

// The causes that a measurement can find, by the slug of their check.
const (
	CauseEpochUnit     = "record-epoch-unit"
	CauseZoneShift     = "record-zone-shift"
	CauseFuture        = "record-in-future"
	CauseClockSkew     = "clock-skew"
	CauseBimodal       = "bimodal-delay"
	CauseNoProgress    = "no-event-time-progress"
	CauseUnusable      = "missing-event-time"
	CauseShort         = "too-few-records"
	CauseSeason        = "seasonality"
	CauseUncovered     = "cycle-not-covered"
	CauseRetention     = "retention-shorter"
	CausePartition     = "partition-outlier"
	CauseSameAsKafka   = "createtime-equals-event"
	CauseIngestion     = "ingestion-time"
	CauseMixedTypes    = "mixed-timestamp-types"
	CauseBaseLag       = "constant-lag"
	CauseNotContiguous = "not-contiguous"
	CauseCompacted     = "compacted-topic"
	CauseRateDependent = "rate-dependent"
	CauseSeconds       = "seconds-resolution"
	CauseSilent        = "silent-partition"
	CauseMasked        = "masked-by-laggard"
	CauseTransactions  = "visible-at-commit"
	CauseUnitConverted = "unit-converted"
	CauseDrift         = "drift"
	CauseRegime        = "regime-change"
	CauseBursts        = "burst-correlation"
	CauseSnapshot      = "snapshot-rows"
	CauseField         = "event-time-ambiguous"
	CauseReplay        = "replayed-history"
	CauseDuplicates    = "duplicate-records"
)

// inRecords registers a finding about records in the catalogue, with its former slugs.
func inRecords(code, cause, title string, severity catalog.Severity, means, why, fix string, former ...string) bool {
	return catalog.Register(catalog.Check{Code: code, Cause: cause, Title: title, Severity: severity, Needs: catalog.Needs(catalog.MeasuredRecords),
		Measured: true, Former: former, Means: means, Why: why, Fix: catalog.Fix{Text: fix}})
}

func finding(cause string, severity catalog.Severity, summary, fix string) catalog.Finding {
	f := catalog.NewFinding(cause, nil)
	f.Severity, f.Summary, f.Fix = severity, summary, catalog.Fix{Text: fix}
	return f
}
