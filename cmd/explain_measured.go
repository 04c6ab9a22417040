package cmd

import (
	"strings"

	"tidemark/analyze/catalog"
)

// measuredChecks are what recommend finds in records (TM820 to TM849, TM880). No policy names them, so they are
// not among the checks that a run lists; explain knows them all the same.
var measuredChecks = []catalog.Check{
	measuredCheck("TM820", "epoch-unit", "Event time is in another unit than it is read in", catalog.Critical,
		"Read as milliseconds the event times lie in 1970 or thousands of years ahead, or records of one topic come in several units.",
		"The ratio of event time to arrival is a power of a thousand. No delay helps: the watermark itself is in the wrong unit.",
		"Name the unit here with --unit, and convert in the timestamp assigner or with TO_TIMESTAMP_LTZ(field, 0)."),
	measuredCheck("TM821", "zone-shift", "Event times are off by a time zone", catalog.Critical,
		"All event times, or a sharp share of them, are a multiple of 15 minutes away from their arrival.",
		"Local time was written or parsed as UTC. Ahead, everything counts as stamped in the future (TM822) and nothing is measured; behind, it looks like a constant lag, which is why that is a warning only. A shift that all records share changes no disorder.",
		"Parse with the zone of the producers (--zone for text), or mend the producer. Numbers that are ahead can still be measured with --future-tolerance 15h."),
	measuredCheck("TM822", "future-record", "Records are stamped in the future", catalog.Critical,
		"A record's event time is further ahead of its arrival than --future-tolerance (5 min).",
		"A watermark is a running maximum: one such record makes all that follows late until real time catches up. They are kept out here, so the delay is that of the others; the replay keeps them in, and so shows what a job without a clamp would lose.",
		"Clamp in the timestamp assigner: e.ts > kafkaTs + 300000L ? kafkaTs : e.ts. Or filter them before the watermark generator."),
	measuredCheck("TM823", "clock-skew", "Producer clocks run ahead", catalog.Warning,
		"Records are stamped more than 100 ms after they arrived, by less than the future tolerance.",
		"A clock that is ahead moves the maximum, and every producer with a right clock is late by that much.",
		"Synchronise the producers' clocks, or clamp to the Kafka timestamp."),
	measuredCheck("TM824", "bimodal-delay", "A second population of records comes much later", catalog.Warning,
		"Between two delays waiting longer saves few records, and beyond them a share is that no affordable delay covers.",
		"Devices that were offline, or uploads in batches. A longer delay makes every result wait and saves nothing until it reaches the second population: the delay is the wrong means, and the verdict is wrong-knob where the target needs it.",
		"Send late data to a side output, allow lateness, or give those producers a topic of their own."),
	measuredCheck("TM825", "no-event-time-progress", "Event time does not advance", catalog.Critical,
		"Arrival moves on and event time does not, or no record has a usable one.",
		"The field is a constant, a date without a time, a default value, or the wrong field. No window would ever fire.",
		"Name the right field with --field."),
	measuredCheck("TM826", "missing-event-time", "Records have no usable event time", catalog.Warning,
		"Records are absent from every figure: no value, one that cannot be read, or a sentinel such as -1, 0 or Long.MIN_VALUE.",
		"A NULL rowtime fails a SQL job; a sentinel is an event time of 1969 or 1970, late for ever.",
		"Filter them, or give them a timestamp, before the watermark."),
	measuredCheck("TM827", "too-few-records", "Too few records for the target", catalog.Warning,
		"Fewer records were measured than a share as small as the target needs.",
		"Without a single late record among n the share may still be 3/n (95 %): below that nothing can be shown.",
		"Observe longer, or ask for a larger share."),
	measuredCheck("TM828", "seasonality", "Some hours need far more than the others", catalog.Warning,
		"Hours need more than three times the delay of the median hour, such as a nightly batch.",
		"One static delay either loses the records of these hours or makes all others wait.",
		"Handle the late records of these hours apart, or pay their delay all day. --hours judges hours of the week alone."),
	measuredCheck("TM829", "cycle-not-covered", "A slow change was seen less than twice", catalog.Warning,
		"Between 3 hours and two days were observed, and the late share changed slowly over them.",
		"The sample may be half of a daily cycle: what it says of the late share is that of the hours it happens to hold, and no interval covers the others. The verdict is insufficient-evidence.",
		"Collect a profile with tidemark observe over two cycles at least."),
	measuredCheck("TM830", "retention-shorter", "The topic keeps less than two cycles", catalog.Warning,
		"Retention is shorter than two of the cycles that --cycle names.",
		"What was deleted cannot be measured afterwards.",
		"Collect a profile with tidemark observe: it goes on for longer than retention."),
	measuredCheck("TM831", "partition-outlier", "One partition needs far more than the others", catalog.Warning,
		"A partition alone needs more than three times the delay of the median partition.",
		"With the watermark in the source each partition has its own maximum: the topic's delay is that of its worst.",
		"Look at what its producers or keys have in common."),
	measuredCheck("TM832", "createtime-equals-event", "The Kafka timestamp is the event time", catalog.Info,
		"Records carry the same time twice, so when they arrived is not known.",
		"Disorder needs only their order and is measured; transport delay and result latency need an arrival.",
		"Read a live tail (--for 10m), or set message.timestamp.type=LogAppendTime."),
	measuredCheck("TM833", "ingestion-time", "Event time is the broker's append time", catalog.Warning,
		"The field that was named is the record's timestamp, which the broker sets.",
		"Nothing is ever late then, and a record that reaches Kafka late lands in the wrong window without a trace.",
		"Use a timestamp that the producer set."),
	measuredCheck("TM834", "mixed-timestamp-types", "Kafka timestamps of two kinds", catalog.Warning,
		"Some records carry LogAppendTime and some CreateTime.",
		"Transport delay then mixes the clocks of brokers and producers; disorder does not depend on it.",
		"Measure the part with one kind (--from, --to)."),
	measuredCheck("TM835", "constant-lag", "A part of the transport delay is the same for all", catalog.Info,
		"Even the fastest records are this old on arrival.",
		"Lag that all share is no disorder: no delay changes it, and no record is late of it.",
		"Look upstream if results come too late."),
	measuredCheck("TM836", "not-contiguous", "Offsets are missing and nothing explains them", catalog.Critical,
		"Between records that were read others are missing.",
		"Disorder is measured against the maximum of all records before; a gap may hide it.",
		"Measure a range that is whole, or the live tail (--for 10m)."),
	measuredCheck("TM837", "compacted-topic", "Compaction removed records", catalog.Critical,
		"The topic is compacted and offsets are missing.",
		"What is left is not what a job saw, so disorder cannot be known from it.",
		"Measure the live tail (--for 10m), or the part younger than min.compaction.lag.ms."),
	measuredCheck("TM838", "rate-dependent", "Disorder would grow with the load", catalog.Info,
		"The tail of transport delay is longer than that of disorder.",
		"A record is behind only if a newer one overtakes it. With few records per partition most find nobody to be overtaken by; with many more, disorder tends towards the spread of transport delay.",
		"Measure again when the load or the number of partitions changes."),
	measuredCheck("TM839", "seconds-resolution", "Event times are whole seconds", catalog.Warning,
		"Every event time is a multiple of 1000 ms.",
		"Records of one second are ties: with a SQL delay of 0 they are late against each other, because SQL subtracts no millisecond. Transport delay reads up to 999 ms too long.",
		"Declare at least INTERVAL '0.001' SECOND in SQL, or send milliseconds."),
	measuredCheck("TM840", "silent-partition", "A partition had no usable record", catalog.Warning,
		"Nothing was read of a partition while others have records.",
		"Without an idle timeout no watermark passes it: all windows wait (TM102 on the cluster).",
		"Set withIdleness(…) or scan.watermark.idle-timeout, or send a heartbeat record."),
	measuredCheck("TM841", "masked-by-laggard", "The slowest partition hides late records", catalog.Info,
		"With all partitions merged a smaller delay would do today.",
		"The merged watermark waits for the slowest partition, and so for the others' late records. That protection ends when it catches up or falls idle.",
		"Keep the recommended delay; it does not rely on the laggard."),
	measuredCheck("TM842", "visible-at-commit", "Records are visible at their commit", catalog.Info,
		"Transaction markers or aborted records explain the missing offsets.",
		"Under read_committed a record arrives when its transaction commits, later than its Kafka timestamp says.",
		"Add the length of a transaction to the latency; disorder is not touched."),
	measuredCheck("TM843", "unit-converted", "Event time was converted to milliseconds", catalog.Warning,
		"The field is in seconds, microseconds, nanoseconds or text, which was detected and converted for the measurement.",
		"Flink reads milliseconds: a job that takes the field as it is has TM201.",
		"Convert in the timestamp assigner, or with TO_TIMESTAMP_LTZ or TO_TIMESTAMP."),
	measuredCheck("TM844", "drift", "The late share drifts", catalog.Warning,
		"The share of late records rises or falls from the first block of the sample to the last, by more than chance and the dependence between blocks give.",
		"A delay chosen on the whole sample is right for its middle. What comes next is not in it, so the interval says nothing about it and the verdict is insufficient-evidence.",
		"Measure the newest part alone (--since, --last), and again later, until two measurements agree."),
	measuredCheck("TM845", "regime-change", "The end of the sample is not like what came before", catalog.Warning,
		"The late share of the last tenth of the time differs from that of all before it.",
		"Something changed: a release, a new producer, a slower network. Or a long outage has just begun. The sample cannot tell which of the two goes on.",
		"Find out what changed at that time, and measure again from there on (--from)."),
	measuredCheck("TM846", "burst-correlation", "Late records come in too few bursts", catalog.Warning,
		"Late records come together, so that hundreds of them weigh as much as a handful of independent ones, or stretches far apart still resemble each other.",
		"The number of bursts decides how well a share is known, not the number of records. The spread of the late records is measured over blocks of arrival time, with the autocovariances of neighbouring blocks added up (Geyer's initial monotone sequence). With fewer than 8 independent late records or 30 independent stretches an interval cannot be trusted.",
		"Observe for as long as the finding says, with tidemark observe where the topic keeps less."),
	measuredCheck("TM847", "snapshot-rows", "Rows of a snapshot are among the changes", catalog.Warning,
		"Records of a change data capture topic are marked as rows of a snapshot: the operation r, source.snapshot, or bootstrap-insert.",
		"A connector copies the table as it stands before it follows the changes. The rows are as old as they are, which says nothing about how late changes come. They are counted apart and in no figure.",
		"Let the job start behind the snapshot, or filter the rows before the watermark. For the rows themselves no delay is right: load them with a bounded job."),
	measuredCheck("TM848", "event-time-ambiguous", "It is not known which time is the event's own", catalog.Warning,
		"No field was named, and several read as times and need different delays; or none does, and the Kafka timestamp is all there is.",
		"A time that a system stamps on the way, such as received, updated or ingested, needs a short delay and says nothing about when the event happened. Well-known envelopes (Debezium, CloudEvents, OpenTelemetry, Segment, Snowplow, Maxwell, Canal, GoldenGate) and schemas say which time is the event's own; elsewhere only a person can. The verdict is choose.",
		"Run one of the commands of the report: they name the field."),
	measuredCheck("TM849", "replayed-history", "History was written again", catalog.Warning,
		"A late group of records comes in a few stretches of time that hold little else.",
		"A replay or a backfill writes old records anew, so they fall far behind the newest time of their partition. That is no lateness of the live stream, and no delay for it follows.",
		"Leave that time out (--since, --from, --hours) and measure what is live."),
	measuredCheck("TM880", "duplicate-records", "Records are there twice", catalog.Info,
		"Records repeat an earlier one of their partition byte for byte, key and value. One in sixteen event times is looked at, and copies up to some million records apart are found.",
		"A producer without idempotence sends again after a lost answer, or a replay wrote the same records anew. A copy is counted twice in every window that takes it in. Records that hold nothing but a time look the same without being copies.",
		"enable.idempotence=true in the producers, or deduplicate before the window."),
}

func measuredCheck(code, cause, title string, severity catalog.Severity, means, why, fix string) catalog.Check {
	return catalog.Check{Code: code, Cause: cause, Title: title, Severity: severity, Needs: catalog.Needs(catalog.MeasuredRecords), Means: means, Why: why, Fix: catalog.Fix{Text: fix}}
}

// explainable finds a check by code or cause, whatever the case. A cause that both a job and records can
// have is that of the job; the other is named by its code.
func explainable(name string) (catalog.Check, bool) {
	if c, ok := catalog.FindCheck(name); ok {
		return c, true
	}
	for _, c := range append(catalog.Checks(), measuredChecks...) {
		if strings.EqualFold(c.Code, name) || strings.EqualFold(c.Cause, name) {
			return c, true
		}
	}
	return catalog.Check{}, false
}
