package advise

// What can be wrong with the times of records.
var (
	_ = inRecords("TM820", CauseEpochUnit, "Event time is in another unit than it is read in", critical,
		"Read as milliseconds the event times lie in 1970 or thousands of years ahead, or records of one topic come in several units.",
		"The ratio of event time to arrival is a power of a thousand. No delay helps: the watermark itself is in the wrong unit.",
		"Name the unit here with --unit, and convert in the timestamp assigner or with TO_TIMESTAMP_LTZ(field, 0).",
		"epoch-unit")
	_ = inRecords("TM821", CauseZoneShift, "Event times are off by a time zone", critical,
		"All event times, or a sharp share of them, are a multiple of 15 minutes away from their arrival.",
		"Local time was written or parsed as UTC. Ahead, everything counts as stamped in the future (TM822) and nothing is measured; behind, it looks like a constant lag, which is why that is a warning only. A shift that all records share changes no disorder.",
		"Parse with the zone of the producers (--zone for text), or fix the producer. Numbers that are ahead can still be measured with --future-tolerance 15h.",
		"zone-shift")
	_ = inRecords("TM822", CauseFuture, "Records are stamped in the future", critical,
		"A record's event time is further ahead of its arrival than --future-tolerance (5 min).",
		"A watermark is a running maximum: one such record makes all that follows late until real time catches up. They are kept out here, so the delay is that of the others; the replay keeps them in, and so shows what a job without a clamp would lose.",
		"Clamp in the timestamp assigner: e.ts > kafkaTs + 300000L ? kafkaTs : e.ts. Or filter them before the watermark generator.",
		"future-record")
	_ = inRecords("TM823", CauseClockSkew, "Producer clocks run ahead", warning,
		"Records are stamped more than 100 ms after they arrived, by less than the future tolerance.",
		"A clock that is ahead moves the maximum, and every producer with a right clock is late by that much.",
		"Synchronise the producers' clocks, or clamp to the Kafka timestamp.")
	_ = inRecords("TM825", CauseNoProgress, "Event time does not advance", critical,
		"Arrival moves on and event time does not, or no record has a usable one.",
		"The field is a constant, a date without a time, a default value, or the wrong field. No window would ever fire.",
		"Name the right field with --field.")
	_ = inRecords("TM826", CauseUnusable, "Records have no usable event time", warning,
		"Records are absent from every figure: no value, one that cannot be read, or a sentinel such as -1, 0 or Long.MIN_VALUE.",
		"A NULL rowtime fails a SQL job; a sentinel is an event time of 1969 or 1970, late forever.",
		"Filter them, or give them a timestamp, before the watermark.")
	_ = inRecords("TM832", CauseSameAsKafka, "The Kafka timestamp is the event time", info,
		"The two times of a record are the same, so its arrival is not known.",
		"Disorder needs only their order and is measured; transport delay and result latency need an arrival.",
		"Read a live tail (--for 10m), or set message.timestamp.type=LogAppendTime.")
	_ = inRecords("TM833", CauseIngestion, "Event time is the broker's append time", warning,
		"The field that was named is the record's timestamp, which the broker sets.",
		"Nothing is ever late then, and a record that reaches Kafka late lands in the wrong window without a trace.",
		"Use a timestamp that the producer set.")
	_ = inRecords("TM834", CauseMixedTypes, "Kafka timestamps of two kinds", warning,
		"Some records carry LogAppendTime and some CreateTime.",
		"Transport delay then mixes the clocks of brokers and producers; disorder does not depend on it.",
		"Measure the part with one kind (--since, --until).")
	_ = inRecords("TM835", CauseBaseLag, "A part of the transport delay is the same for all", info,
		"Even the fastest records are this old on arrival.",
		"Lag that all share is no disorder: no delay changes it, and no record is late because of it.",
		"Look upstream if results come too late.")
	_ = inRecords("TM839", CauseSeconds, "Event times are whole seconds", warning,
		"Every event time is a multiple of 1000 ms.",
		"Records of one second are ties: with a SQL delay of 0 they are late against each other, because SQL subtracts no millisecond. Transport delay reads up to 999 ms too long.",
		"Declare at least INTERVAL '0.001' SECOND in SQL, or send milliseconds.")
	_ = inRecords("TM843", CauseUnitConverted, "Event time was converted to milliseconds", warning,
		"The field is in seconds, microseconds, nanoseconds or text, which was detected and converted for the measurement.",
		"Flink reads milliseconds: a job that takes the field as it is has TM201.",
		"Convert in the timestamp assigner, or with TO_TIMESTAMP_LTZ or TO_TIMESTAMP.")
	_ = inRecords("TM848", CauseField, "It is not known which time is the event's own", warning,
		"No field was named, and several read as times and need different delays; or none does, and the Kafka timestamp is all there is.",
		"A time that a system stamps on the way, such as received, updated or ingested, needs a short delay and says nothing about when the event happened. Well-known envelopes (Debezium, CloudEvents, OpenTelemetry, Segment, Snowplow, Maxwell, Canal, GoldenGate) and schemas say which time is the event's own; elsewhere only a person can. The verdict is choose.",
		"Run one of the commands of the report: they name the field.")
)
