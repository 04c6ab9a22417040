import java.time.*;
import java.util.*;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.*;
import org.apache.flink.table.data.*;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.dataview.StateDataViewStore;
import org.apache.flink.table.runtime.generated.*;
import org.apache.flink.table.runtime.operators.aggregate.window.WindowAggOperatorBuilder;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.runtime.operators.window.tvf.common.*;
import org.apache.flink.table.runtime.operators.window.tvf.slicing.*;
import org.apache.flink.table.runtime.operators.window.tvf.unslicing.UnsliceAssigners;
import org.apache.flink.table.runtime.typeutils.*;
import org.apache.flink.table.types.logical.*;

/**
 * Golden's kind "window" with "dialect":"sql": WindowAggOperator (window table functions) counting rows, Flink 1.20 to 2.x.
 * Usage: GoldenSqlWindows FLINK_VERSION SEED CASES
 */
public class GoldenSqlWindows {
  /** Counts rows; the result is (start, end, count) of the window asked for. */
  public static final class Count implements NamespaceAggsHandleFunction<Object> {
    final SliceAssigner slices; long n;
    Count(SliceAssigner s) { slices = s; }
    public void open(StateDataViewStore s) { } public void cleanup(Object w) { } public void close() { }
    public void setAccumulators(Object w, RowData acc) { n = acc.getLong(0); }
    public void accumulate(RowData r) { n++; } public void retract(RowData r) { n--; }
    public void merge(Object w, RowData acc) { n += acc.getLong(0); }
    public RowData createAccumulators() { return GenericRowData.of(0L); }
    public RowData getAccumulators() { return GenericRowData.of(n); }
    public RowData getValue(Object w) {
      if (w instanceof TimeWindow) return GenericRowData.of(((TimeWindow) w).getStart(), ((TimeWindow) w).getEnd(), n);
      long end = (Long) w, start = slices instanceof SliceSharedAssigner ? ((SliceSharedAssigner) slices).getWindowStart(end) : ((SliceAssigners.TumblingSliceAssigner) slices).getWindowStart(end);
      return GenericRowData.of(start, end, n);
    }
  }

  static final class Generated extends GeneratedNamespaceAggsHandleFunction<Object> {
    final Count made;
    Generated(SliceAssigner s) { super("x", "", new Object[0]); made = new Count(s); }
    public NamespaceAggsHandleFunction<Object> newInstance(ClassLoader c) { return made; }
    public NamespaceAggsHandleFunction<Object> newInstance(ClassLoader c, Object... a) { return made; }
  }

  /** 1.20 flushes windows with an offset late, because its buffer ignores the offset: such schedules are left out there. */
  static final int OFFSETS = Arrays.stream(org.apache.flink.table.runtime.util.TimeWindowUtil.class.getMethods()).anyMatch(m -> m.getName().equals("getNextTriggerWatermarkWithOffset")) ? 1 : 0;

  @SuppressWarnings("unchecked") static String window(Random r, int id, String flink) throws Exception {
    String shape = new String[] {"tumbling", "hopping", "cumulating", "session"}[r.nextInt(4)]; long slide = 20 + r.nextInt(150), size = slide * (1 + r.nextInt(5)), gap = 20 + r.nextInt(200), offset = r.nextBoolean() ? 0 : r.nextInt((int) slide) * OFFSETS; ZoneId utc = ZoneId.of("UTC");
    WindowAssigner a; String config = "\"size_ms\":" + size + ",\"slide_ms\":" + slide + ",\"offset_ms\":" + offset;
    switch (shape) {
      case "tumbling": a = SliceAssigners.tumbling(1, utc, Duration.ofMillis(size)).withOffset(Duration.ofMillis(offset)); config = "\"size_ms\":" + size + ",\"offset_ms\":" + offset; break;
      case "hopping": a = SliceAssigners.hopping(1, utc, Duration.ofMillis(size), Duration.ofMillis(slide)).withOffset(Duration.ofMillis(offset)); break;
      case "cumulating": a = SliceAssigners.cumulative(1, utc, Duration.ofMillis(size), Duration.ofMillis(slide)).withOffset(Duration.ofMillis(offset)); break;
      default: a = UnsliceAssigners.session(1, utc, Duration.ofMillis(gap)); config = "\"gap_ms\":" + gap;
    }
    RowDataSerializer in = new RowDataSerializer(new BigIntType(), new TimestampType(3)), acc = new RowDataSerializer(new BigIntType());
    OneInputStreamOperator<RowData, RowData> w = (OneInputStreamOperator<RowData, RowData>) WindowAggOperatorBuilder.builder().inputSerializer(in).shiftTimeZone(utc).keySerializer(new RowDataSerializer(new BigIntType())).assigner(a).aggregate(new Generated(a instanceof SliceAssigner ? (SliceAssigner) a : null), acc).countStarIndex(0).build();
    KeySelector<RowData, RowData> key = x -> { BinaryRowData b = new BinaryRowData(1); BinaryRowWriter o = new BinaryRowWriter(b); o.writeLong(0, x.getLong(0)); o.complete(); return b; };
    KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> h = new KeyedOneInputStreamOperatorTestHarness<>(w, key, InternalTypeInfo.ofFields(new BigIntType()));
    h.setup(new RowDataSerializer(new BigIntType(), new BigIntType(), new BigIntType(), new BigIntType())); h.open();
    List<String> ops = new ArrayList<>(), out = new ArrayList<>(); WindowAggOperator<RowData, ?> op = (WindowAggOperator<RowData, ?>) w; long dropped = 0, mark = 0, top = 1000;
    for (int i = 0; i <= 60; i++) {
      if (i < 60 && r.nextInt(4) > 0) {
        long k = r.nextInt(3), ts = (top += r.nextInt(50)) - (r.nextInt(3) == 0 ? r.nextInt(900) : 0); if (r.nextInt(60) == 0) ts = -r.nextInt(2000); ops.add("[\"rec\"," + k + "," + ts + "]");
        h.processElement(new StreamRecord<>(GenericRowData.of(k, TimestampData.fromEpochMillis(ts))));
      } else {
        mark = i == 60 ? Long.MAX_VALUE : Math.max(mark + 1, top - r.nextInt(300)); ops.add("[\"wm\"," + mark + "]"); h.processWatermark(new org.apache.flink.streaming.api.watermark.Watermark(mark));
      }
      List<String> results = new ArrayList<>(), rest = new ArrayList<>();
      for (Object x : h.getOutput()) {
        if (x instanceof org.apache.flink.streaming.api.watermark.Watermark) rest.add("[" + i + ",\"wm\"," + ((org.apache.flink.streaming.api.watermark.Watermark) x).getTimestamp() + "]");
        else { RowData row = ((StreamRecord<RowData>) x).getValue(); results.add("[" + i + ",\"fired\"," + row.getLong(0) + "," + row.getLong(1) + "," + row.getLong(2) + "," + row.getLong(3) + "]"); }
      }
      Collections.sort(results); out.addAll(results); out.addAll(rest); h.getOutput().clear();
      if (op.getNumLateRecordsDropped().getCount() > dropped) { dropped = op.getNumLateRecordsDropped().getCount(); out.add("[" + i + ",\"dropped\"]"); }
    }
    h.close();
    return "{\"name\":\"sql-window-" + id + "\",\"kind\":\"window\",\"flink\":\"" + flink + "\",\"config\":{\"shape\":\"" + shape + "\",\"dialect\":\"sql\"," + config + "},\"ops\":[" + String.join(",", ops) + "],\"out\":[" + String.join(",", out) + "]}";
  }

  public static void main(String[] a) throws Exception {
    Random r = new Random(Long.parseLong(a[1])); int n = Integer.parseInt(a[2]);
    for (int i = 0; i < n; i++) System.out.println(window(r, i, a[0]));
  }
}
