package fix

import (
	"fmt"
	"math"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

// future is for single records ahead of the clock.
func future(s site) catalog.Fix {
	f := catalog.Fix{Text: "Filter such records before watermarks are generated, or give them their arrival time; a mere cap at 5 min ahead would still make 5 min of records late. " +
		"Find the producer whose clock is wrong."}
	if s.found.Latent {
		f.Text += " Do it before the other splits go idle or end; a restart from a state before the record removes it."
	} else {
		f.Text += " A watermark never goes back: restart from a state before the record."
	}
	if s.connector() == "kafka" {
		f.DataStream = "// kafkaTs is the broker's clock with message.timestamp.type=LogAppendTime,\n// else the producer's, which may be the wrong one\n" +
			s.strategy("withTimestampAssigner((r, kafkaTs) ->\n        r.timestampMillis() > kafkaTs + 300_000L ? kafkaTs : r.timestampMillis())")
	} else {
		f.DataStream = s.strategy("withTimestampAssigner((r, t) ->\n        Math.min(r.timestampMillis(), System.currentTimeMillis()))")
	}
	col := s.column()
	if col == "" {
		col = "ts"
	}
	delay := int64(5000)
	if b, ok := s.delay(); ok {
		delay = b.Ms
	}
	f.SQL = fmt.Sprintf("-- the column that %s is made from: event_ts\nkafka_ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp',\n%s AS CASE WHEN event_ts > kafka_ts + INTERVAL '5' MINUTE THEN kafka_ts ELSE event_ts END,\n%s", col, col, s.watermark(delay))
	return f
}

// zone is for event times that are off by the offset of a time zone. East of UTC, times ahead of the clock are local
// times read as UTC, times behind it are UTC read as local times; west of UTC it is the other way round.
func zone(s site) catalog.Fix {
	f := catalog.Fix{Text: "Fix the conversion where the timestamp is read, with the zone of the producers; do not raise the delay."}
	java, session := "ZoneId.of(\"…\")", "…"
	switch k := s.shift(); {
	case k < 0:
		offset := offsetText(-k)
		f.Text = fmt.Sprintf("Read the times as local times of UTC%s, or write them in UTC; do not raise the delay.", offset)
		java, session = "ZoneOffset.of(\""+offset+"\")", "GMT"+offset
	case k > 0:
		f.Text = fmt.Sprintf("Read the times as UTC: they look as if they were read as local times of UTC%s. If the producers write in UTC-%s, read them so; do not raise the delay.", offsetText(k), offsetText(k)[1:])
		f.Text += " First compare the event times with the Kafka timestamps of the records (tidemark recommend TOPIC shows both): if they agree, the records reach the topic late, and no conversion is wrong."
		java, session = "ZoneOffset.UTC", "UTC"
	}
	f.DataStream = s.strategy("withTimestampAssigner((r, t) -> r.localDateTime().atZone(" + java + ").toInstant().toEpochMilli())")
	col := s.column()
	if col == "" {
		col = "ts"
	}
	f.SQL = fmt.Sprintf("-- from local text\nSET 'table.local-time-zone' = '%s';\n%s AS CAST(TO_TIMESTAMP(local_text) AS TIMESTAMP_LTZ(3))\n-- from milliseconds, which have no zone: %s AS TO_TIMESTAMP_LTZ(epoch_millis, 3)", session, col, col)
	return f
}

// shift is how far event time is behind the clock, in quarters of an hour; negative where it is ahead.
func (s site) shift() int {
	if s.vertex == nil {
		return 0
	}
	for _, e := range s.job.EmittersOf(s.vertex) {
		for _, p := range model.Known(e.Spots()) {
			if ms, ok := s.job.Lag(s.vertex, p.Reading); ok {
				return int(math.Round(float64(ms) / model.QuarterMs))
			}
		}
	}
	return 0
}

// offsetText writes quarters of an hour as "+05:30".
func offsetText(quarters int) string { return fmt.Sprintf("+%02d:%02d", quarters/4, quarters%4*15) }
