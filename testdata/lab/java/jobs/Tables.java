import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.api.*;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;

/** A DataStream turned into a table: the watermark of the table is not pushed into the source, or is taken from the stream. */
final class Tables {
  static void add(Map<String, Lab.Scenario> all) {
    all.put("table-assigner", l -> table(l, WatermarkStrategy.noWatermarks(), "ts - INTERVAL '5' SECOND"));
    all.put("table-source-watermark", l -> table(l, Lab.bounded(2), "SOURCE_WATERMARK()"));
    all.put("table-source-watermark-none", l -> table(l, Values.none(), "SOURCE_WATERMARK()"));
  }

  static void table(Lab l, WatermarkStrategy<String> strategy, String watermark) {
    StreamTableEnvironment t = StreamTableEnvironment.create(l.env());
    t.getConfig().set("pipeline.name", l.jobName);
    t.getConfig().set("parallelism.default", "2");
    DataStream<Row> rows = l.orders(strategy, 2).map(r -> Row.of(Lab.key(r), java.time.Instant.ofEpochMilli(Lab.field(r))))
        .returns(Types.ROW_NAMED(new String[] {"k", "ts"}, Types.STRING, Types.INSTANT)).name("ToRow").setParallelism(2);
    t.createTemporaryView("o", rows, Schema.newBuilder().column("k", DataTypes.STRING()).column("ts", DataTypes.TIMESTAMP_LTZ(3)).watermark("ts", watermark).build());
    t.executeSql("CREATE TEMPORARY TABLE s (k STRING, w TIMESTAMP(3), c BIGINT) WITH ('connector'='blackhole')");
    t.executeSql("INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end");
    l.jobName = null; // the INSERT has submitted the job
  }
}
