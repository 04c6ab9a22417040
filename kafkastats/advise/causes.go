package advise

// Severities of findings: critical means that no delay is right until it is fixed.
const (
	critical = "critical"
	warning  = "warning"
	info     = "info"
)

// The causes a measurement can find. Slugs are stable: scripts match on them.
const (
	CauseEpochUnit     = "epoch-unit"
	CauseZoneShift     = "zone-shift"
	CauseFuture        = "future-record"
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

// Codes of the causes.
var codes = map[string]string{
	CauseEpochUnit: "TM820", CauseZoneShift: "TM821", CauseFuture: "TM822", CauseClockSkew: "TM823", CauseBimodal: "TM824",
	CauseNoProgress: "TM825", CauseUnusable: "TM826", CauseShort: "TM827", CauseSeason: "TM828", CauseUncovered: "TM829",
	CauseRetention: "TM830", CausePartition: "TM831", CauseSameAsKafka: "TM832", CauseIngestion: "TM833", CauseMixedTypes: "TM834",
	CauseBaseLag: "TM835", CauseNotContiguous: "TM836", CauseCompacted: "TM837", CauseRateDependent: "TM838", CauseSeconds: "TM839",
	CauseSilent: "TM840", CauseMasked: "TM841", CauseTransactions: "TM842", CauseUnitConverted: "TM843",
	CauseDrift: "TM844", CauseRegime: "TM845", CauseBursts: "TM846",
	CauseSnapshot: "TM847", CauseField: "TM848", CauseReplay: "TM849", CauseDuplicates: "TM880",
}

func finding(cause, severity, summary, fix string) Finding {
	return Finding{Code: codes[cause], Cause: cause, Severity: severity, Summary: summary, Fix: fix}
}

// Codes lists the causes of recommendations by code, such as TM821: zone-shift.
func Codes() map[string]string {
	out := make(map[string]string, len(codes))
	for cause, code := range codes {
		out[code] = cause
	}
	return out
}
