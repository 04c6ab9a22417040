import java.time.Duration;
import java.util.*;
import org.apache.flink.api.common.eventtime.*;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.*;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.table.api.*;
import org.apache.flink.table.api.bridge.java.*;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Counts late records under many strategies side by side: Lateness KAFKA JOB EMIT_INTERVAL_MS CASE..., where
 * CASE = name|topic|delayMs[|key=value]... and records are {"n":number,"ms":epochMillis}.
 *
 * emit=periodic        watermarks at the interval, else after every record
 * idle=MS              withIdleness
 * parallelism=N        of source and counter
 * after=1              one generator behind the source, on the records in the order of their numbers
 * watermark=EXPRESSION the same, on a table with that watermark: the SQL assigner that is not pushed into a source
 * future=MS            records stamped that far beyond their Kafka timestamp never reach the generator
 * arrival=MS           they do, with the Kafka timestamp as their event time
 * window=1             a tumbling window of 1 ms behind: its numLateRecordsDropped is the number of late records
 *
 * Each case has a vertex NAME_Source with the operator Late (counters seen, late and
 * moves of the watermark) and with window=1 a vertex NAME_Window.
 */
public final class Lateness {
  static final TypeInformation<long[]> STAMPED = PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO; // number, event time

  public static void main(String[] a) throws Exception {
    Configuration conf = new Configuration();
    conf.set(PipelineOptions.AUTO_WATERMARK_INTERVAL, Duration.ofMillis(Long.parseLong(a[2])));
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(conf);
    StreamTableEnvironment tables = StreamTableEnvironment.create(env);
    StreamStatementSet inserts = tables.createStatementSet();
    boolean any = false;
    for (String text : Arrays.asList(a).subList(3, a.length)) {
      Case c = new Case(text);
      if (c.options.containsKey("watermark")) {
        c.table(env, a[0], tables, inserts);
        any = true;
      } else c.stream(env, a[0]);
    }
    if (any) inserts.attachAsDataStream();
    env.execute(a[1]);
  }

  static final class Case {
    final String name, topic;
    final long delay;
    final Map<String, String> options = new HashMap<>();

    Case(String text) {
      String[] f = text.split("\\|");
      name = f[0];
      topic = f[1];
      delay = Long.parseLong(f[2]);
      for (String o : Arrays.asList(f).subList(3, f.length)) options.put(o.split("=")[0], o.split("=", 2)[1]);
    }

    long number(String key, long otherwise) { return Long.parseLong(options.getOrDefault(key, "" + otherwise)); }

    WatermarkStrategy<long[]> strategy() {
      long d = delay;
      WatermarkStrategy<long[]> s = "periodic".equals(options.get("emit"))
          ? WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofMillis(d)) : WatermarkStrategy.forGenerator(c -> new OnEvent(d));
      long ahead = number("arrival", Long.MAX_VALUE / 2);
      s = s.withTimestampAssigner((r, kafkaTs) -> r[1] > kafkaTs + ahead ? kafkaTs : r[1]);
      return options.containsKey("idle") ? s.withIdleness(Duration.ofMillis(number("idle", 0))) : s;
    }

    SingleOutputStreamOperator<long[]> source(StreamExecutionEnvironment env, String boot, WatermarkStrategy<long[]> s) {
      KafkaSource<long[]> kafka = KafkaSource.<long[]>builder().setBootstrapServers(boot).setTopics(topic).setGroupId("lab-lateness")
          .setStartingOffsets(OffsetsInitializer.earliest()).setDeserializer(new Parse(number("future", Long.MAX_VALUE))).build();
      return env.fromSource(kafka, s, name + "_Source").setParallelism((int) number("parallelism", 1));
    }

    void stream(StreamExecutionEnvironment env, String boot) {
      int p = (int) number("parallelism", 1);
      SingleOutputStreamOperator<long[]> in = options.containsKey("after")
          ? source(env, boot, WatermarkStrategy.noWatermarks()).process(new Ordered()).returns(STAMPED).setParallelism(1).assignTimestampsAndWatermarks(strategy()).setParallelism(1)
          : source(env, boot, strategy());
      SingleOutputStreamOperator<long[]> counted = in.process(new Late()).returns(STAMPED).name("Late").setParallelism(p);
      if (!options.containsKey("window")) return;
      Compat.discard(counted.keyBy(r -> 0).window(Compat.tumbleMs(1)).reduce((x, y) -> y).name(name + "_Window").setParallelism(1).map(r -> "").returns(Types.STRING), 1);
    }

    void table(StreamExecutionEnvironment env, String boot, StreamTableEnvironment t, StreamStatementSet inserts) {
      DataStream<Row> rows = source(env, boot, WatermarkStrategy.noWatermarks()).process(new Ordered()).returns(STAMPED).setParallelism(1)
          .map(r -> Row.of(java.time.Instant.ofEpochMilli(r[1]))).returns(Types.ROW_NAMED(new String[] {"ts"}, Types.INSTANT)).setParallelism(1);
      t.createTemporaryView(name, rows, Schema.newBuilder().column("ts", DataTypes.TIMESTAMP_LTZ(3)).watermark("ts", options.get("watermark")).build());
      t.executeSql("CREATE TEMPORARY TABLE " + name + "_Sink (w TIMESTAMP(3), c BIGINT) WITH ('connector'='blackhole')");
      t.getConfig().set("table.optimizer.agg-phase-strategy", "ONE_PHASE"); // a local aggregate would merge late rows before they are counted
      inserts.addInsertSql("INSERT INTO " + name + "_Sink SELECT window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE " + name
          + ", DESCRIPTOR(ts), INTERVAL '0.001' SECOND)) GROUP BY window_start, window_end");
    }
  }

  /** Flink's bounded generator, but its watermark leaves after every record: the number of late records then depends on the order alone. */
  static final class OnEvent implements WatermarkGenerator<long[]> {
    final long delay;
    long max = Long.MIN_VALUE;

    OnEvent(long delay) { this.delay = delay; }

    public void onEvent(long[] r, long ts, WatermarkOutput out) {
      max = Math.max(max, ts);
      out.emitWatermark(new Watermark(max - delay - 1));
    }

    public void onPeriodicEmit(WatermarkOutput out) { }
  }

  static final class Parse implements KafkaRecordDeserializationSchema<long[]> {
    final long future;

    Parse(long future) { this.future = future; }

    public void deserialize(ConsumerRecord<byte[], byte[]> r, Collector<long[]> out) {
      String v = new String(r.value(), java.nio.charset.StandardCharsets.US_ASCII);
      int comma = v.indexOf(',');
      long ms = Long.parseLong(v.substring(v.indexOf(':', comma) + 1, v.length() - 1));
      if (future == Long.MAX_VALUE || ms <= r.timestamp() + future) out.collect(new long[] {Long.parseLong(v.substring(v.indexOf(':') + 1, comma)), ms});
    }

    public TypeInformation<long[]> getProducedType() { return STAMPED; }
  }

  /** Lets records go in the order of their numbers: partitions then interleave as they were written, not as they were fetched. */
  static final class Ordered extends ProcessFunction<long[], long[]> {
    transient TreeMap<Long, long[]> early;
    transient long next;

    public void processElement(long[] r, Context c, Collector<long[]> out) {
      if (early == null) early = new TreeMap<>();
      early.put(r[0], r);
      for (long[] first; (first = early.remove(next)) != null; next++) out.collect(first);
    }
  }

  /** The definition of late, counted where the record meets the watermark of its source subtask. */
  static final class Late extends ProcessFunction<long[], long[]> {
    transient Counter seen, late, moves;
    transient long watermark;

    public void processElement(long[] r, Context c, Collector<long[]> out) {
      if (seen == null) {
        seen = getRuntimeContext().getMetricGroup().counter("seen");
        late = getRuntimeContext().getMetricGroup().counter("late");
        moves = getRuntimeContext().getMetricGroup().counter("moves");
      }
      long now = c.timerService().currentWatermark();
      if (now != watermark) moves.inc();
      watermark = now;
      if (c.timestamp() <= now) late.inc();
      seen.inc();
      out.collect(r);
    }
  }
}
