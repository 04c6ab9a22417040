package advise

// What a sample shows about disorder, and what it cannot show.
var (
	_ = inRecords("TM824", CauseBimodal, "A late group: some records come much later than the rest", warning,
		"Between two delays, waiting longer saves few records; some records are later than any affordable delay.",
		"Devices that were offline, or uploads in batches. A larger delay does not help: every result waits, and no late record is saved until the delay reaches the late group. The verdict is \"delay does not help\" (wrong-knob in JSON) if the target needs that.",
		"Send late data to a side output, allow lateness, or give those producers a topic of their own.")
	_ = inRecords("TM827", CauseShort, "Too few records for the target", warning,
		"Too few records were measured to show a share as small as the target.",
		"Without a single late record among n the share may still be 3/n (95 %): below that nothing can be shown.",
		"Observe longer, or ask for a larger share.")
	_ = inRecords("TM828", CauseSeason, "Some hours need far more than the others", warning,
		"Hours need more than three times the delay of the median hour, such as a nightly batch.",
		"One static delay either loses the records of these hours or makes all others wait.",
		"Handle the late records of these hours separately, or pay their delay all day. --hours judges hours of the week alone.")
	_ = inRecords("TM829", CauseUncovered, "A slow change was seen less than twice", warning,
		"Between 3 hours and two days were observed, and the late share changed slowly over them.",
		"The sample may be half of a daily cycle: what it says of the late share is that of the hours it happens to hold, and no interval covers the others. The verdict is \"too little evidence\" (insufficient-evidence in JSON).",
		"Collect a profile with tidemark observe over two cycles at least.")
	_ = inRecords("TM830", CauseRetention, "The topic keeps less than two cycles", warning,
		"Retention is shorter than two of the cycles that --cycle names.",
		"What was deleted cannot be measured afterwards.",
		"Collect a profile with tidemark observe: it goes on for longer than retention.")
	_ = inRecords("TM831", CausePartition, "One partition needs far more than the others", warning,
		"A partition alone needs more than three times the delay of the median partition.",
		"With the watermark in the source each partition has its own maximum: the topic's delay is that of its worst.",
		"Look at what its producers or keys have in common.")
	_ = inRecords("TM836", CauseNotContiguous, "Offsets are missing and nothing explains them", critical,
		"Between records that were read others are missing.",
		"Disorder is measured against the maximum of all records before; a gap may hide it.",
		"Measure a range that is whole, or the live tail (--for 10m).")
	_ = inRecords("TM837", CauseCompacted, "Compaction removed records", critical,
		"The topic is compacted and offsets are missing.",
		"What is left is not what a job saw, so disorder cannot be known from it.",
		"Measure the live tail (--for 10m), or the part younger than min.compaction.lag.ms.")
	_ = inRecords("TM838", CauseRateDependent, "Disorder would grow with the load", info,
		"The tail of transport delay is longer than that of disorder.",
		"A record is behind only if a newer one overtakes it. With few records per partition most are not overtaken; with many more, disorder tends towards the spread of transport delay.",
		"Measure again when the load or the number of partitions changes.")
	_ = inRecords("TM840", CauseSilent, "A partition had no usable record", warning,
		"No usable record was read from a partition while others have some.",
		"Without an idle timeout it holds the watermark: all windows wait (TM102 on the cluster).",
		"Set withIdleness(…) or scan.watermark.idle-timeout, or send a heartbeat record.")
	_ = inRecords("TM841", CauseMasked, "The slowest partition hides late records", info,
		"With all partitions merged a smaller delay would do today.",
		"The merged watermark waits for the slowest partition, and so for the others' late records. That protection ends when it catches up or falls idle.",
		"Keep the recommended delay; it does not rely on the slowest partition.")
	_ = inRecords("TM842", CauseTransactions, "Records are visible at their commit", info,
		"Transaction markers or aborted records explain the missing offsets.",
		"Under read_committed a record arrives when its transaction commits, later than its Kafka timestamp says.",
		"Add the length of a transaction to the latency; disorder does not change.")
	_ = inRecords("TM844", CauseDrift, "The late share drifts", warning,
		"The share of late records rises or falls from the first block of the sample to the last, by more than chance and the dependence between blocks explain.",
		"A delay chosen on the whole sample is right for its middle. What comes next is not in it, so the interval says nothing about it and the verdict is \"too little evidence\" (insufficient-evidence in JSON).",
		"Measure the newest part alone (--since, --last), and again later, until two measurements agree.")
	_ = inRecords("TM845", CauseRegime, "The end of the sample is not like what came before", warning,
		"The late share of the last tenth of the time differs from that of all before it.",
		"Something changed: a release, a new producer, a slower network. Or a long outage has just begun. The sample cannot tell which of the two goes on.",
		"Find out what changed at that time, and measure again from there on (--since).")
	_ = inRecords("TM846", CauseBursts, "Late records come in too few bursts", warning,
		"Late records come together, so that hundreds of them weigh as much as a handful of independent ones, or stretches far apart still resemble each other.",
		"The number of bursts decides how well a share is known, not the number of records. The spread of the late records is measured over blocks of arrival time, with the autocovariances of neighbouring blocks added up (Geyer's initial monotone sequence). With fewer than 8 independent late records or 30 independent stretches an interval cannot be trusted.",
		"Observe for as long as the finding says, with tidemark observe where the topic keeps less.")
	_ = inRecords("TM847", CauseSnapshot, "Rows of a snapshot are among the changes", warning,
		"Records of a change data capture topic are marked as rows of a snapshot: the operation r, source.snapshot, or bootstrap-insert.",
		"A connector first copies the table as it is, then follows the changes. The age of these rows says nothing about how late changes arrive. They are counted separately and are not in any figure.",
		"Let the job start after the snapshot, or filter the rows before the watermark. For the rows themselves no delay is right: load them with a bounded job.")
	_ = inRecords("TM849", CauseReplay, "History was written again", warning,
		"A late group of records comes in a few stretches of time that hold little else.",
		"A replay or a backfill writes old records anew, so they fall far behind the newest time of their partition. The live stream is not late, and no delay follows from it.",
		"Leave that time out (--since, --hours) and measure what is live.")
	_ = inRecords("TM880", CauseDuplicates, "Records occur twice", info,
		"Records repeat an earlier one of their partition byte for byte, key and value. One in sixteen event times is looked at, and copies up to some million records apart are found.",
		"A producer without idempotence sends again after a lost answer, or a replay wrote the same records again. A copy counts twice in every window that contains it. Records that contain only a time look equal without being copies.",
		"enable.idempotence=true in the producers, or deduplicate before the window.")
)
