package fix

import (
	"fmt"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// neverEmitted is for a source that emits no watermark, which has three causes that look the same in REST.
func neverEmitted(s site) catalog.Fix {
	f := catalog.Fix{Text: "Give the source a watermark strategy; measure its delay with tidemark recommend TOPIC."}
	if s.job.EmitIntervalMs() == 0 {
		f.Text = "Set pipeline.auto-watermark-interval to 200 ms in the cluster configuration: with 0 no watermark is ever emitted."
		f.DataStream, f.SQL = "env.getConfig().setAutoWatermarkInterval(200);", "SET 'pipeline.auto-watermark-interval' = '200 ms';"
		return f
	}
	if s.api() == beam {
		f.Text = "Give KafkaIO a timestamp policy; by default it uses processing time."
		f.DataStream = s.timeout(60_000).DataStream
		return f
	}
	f.DataStream = fmt.Sprintf("env.fromSource(source, WatermarkStrategy\n    .<T>forBoundedOutOfOrderness(Duration.ofSeconds(5))\n    .withTimestampAssigner((r, t) -> r.timestampMillis())\n    .withIdleness(%s), \"%s\")", units.Java(s.idleTimeout()), s.label())
	if s.connector() == "kafka" {
		f.DataStream = strings.Replace(f.DataStream, "r.timestampMillis())", "r.timestampMillis())   // without it: Kafka's own timestamp", 1)
	}
	if s.source != nil && s.source.IsSQLScan() {
		f.Text = "Give the table a WATERMARK clause on its time column; measure the delay with tidemark recommend TOPIC."
	}
	f.SQL = s.watermark(5000)
	if s.api() == dataStream {
		f.Text = "REST does not show which of three causes it is. Look in this order: 1. a strategy on the source (give it one if it has none or noWatermarks(); measure its delay with tidemark recommend TOPIC); " +
			"2. a custom generator (it must call output.emitWatermark); 3. pipeline.auto-watermark-interval in the job's code (it must be above 0)."
		f.DataStream = "// 1. where the source has no strategy\n" + f.DataStream +
			"\n// 2. where it has a custom generator that never emits\npublic void onPeriodicEmit(WatermarkOutput out) {\n    out.emitWatermark(new Watermark(max - delayMs - 1));\n}" +
			"\n// 3. where the job sets the interval to 0\nenv.getConfig().setAutoWatermarkInterval(200);"
	}
	return f
}

// assigner moves the strategy into the source, with its delay.
func assigner(s site) catalog.Fix {
	f := catalog.Fix{Text: "Pass the strategy to the source, so that each split has its own.", Try: s.try("place", "source")}
	f.DataStream = fmt.Sprintf("env.fromSource(source, %s, \"%s\")\n// and no assignTimestampsAndWatermarks(…) after it", s.assigned(), s.label())
	if s.assigned() == "strategy" {
		f.DataStream = strings.Replace(f.DataStream, "// and", "// strategy: the one of the assigner, with its delay; and", 1)
	}
	if s.normalized() {
		return catalog.Fix{Text: "The table's changes are normalized by key before watermarks are assigned, so the source cannot assign them per split. Declare a delay that covers the distance between partitions, or read the topic as an append-only table.", Try: f.Try}
	}
	if s.api()&sql != 0 {
		f.Text = "Declare the watermark on the table of a connector with watermark push-down (Kafka has it), so that each split has its own."
		f.SQL = "-- on the connector's own table, not on one made from a DataStream\n" + s.watermark(s.delayOr(5000))
	}
	return f
}

// normalized reports a changelog that is normalized by key at or upstream of the place.
func (s site) normalized() bool {
	if s.vertex == nil {
		return false
	}
	for _, v := range append([]*model.Vertex{s.vertex}, s.vertex.Ancestors()...) {
		for _, op := range v.Chain {
			if strings.HasPrefix(op.Text, "ChangelogNormalize(") || strings.HasPrefix(op.Name, "ChangelogNormalize[") {
				return true
			}
		}
	}
	return false
}

// generator is for a generator that has stopped emitting.
func generator(s site) catalog.Fix {
	f := catalog.Fix{Text: "Find out what the generator waits for. It must emit from the largest event time seen, in onPeriodicEmit or for every record, as Flink's own generators do."}
	f.DataStream = fmt.Sprintf("%s   // instead of the custom generator", s.assigned())
	if s.assigned() == "strategy" {
		f.DataStream = "public void onEvent(T r, long ts, WatermarkOutput out) { max = Math.max(max, ts); }\npublic void onPeriodicEmit(WatermarkOutput out) {\n    out.emitWatermark(new Watermark(max - delayMs - 1));\n}"
	}
	if s.api()&sql != 0 {
		f.Text = "Look at the time column in a few new rows: it must say when it happened, and must advance."
		if col, t := s.column(), table(s.source); col != "" && t != "" {
			f.SQL = fmt.Sprintf("SELECT %s FROM %s   -- in another session", col, t)
		}
	}
	return f
}

// wallClock is for a generator that follows the wall clock.
func wallClock(s site) catalog.Fix {
	f := catalog.Fix{Text: "Emit from record times; use the wall clock only after a long silence, and then minus a margin.",
		DataStream: "// measure the delay: tidemark recommend TOPIC\nWatermarkStrategy.<T>forBoundedOutOfOrderness(delay)\n    .withIdleness(" + units.Java(s.idleTimeout()) + ")"}
	if s.api()&sql == 0 {
		return f
	}
	f.Text = "Take the watermark from the column that says when it happened, neither from the clock nor from SOURCE_WATERMARK() of such a connector."
	f.SQL = s.watermark(5000)
	if s.clause() != "" { // the column itself follows the clock
		f.SQL = "-- " + s.clause() + " uses a column that follows the clock"
	}
	return f
}
