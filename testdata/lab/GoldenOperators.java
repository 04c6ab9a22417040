import java.lang.reflect.*;
import java.time.*;
import java.util.*;
import org.apache.flink.api.common.eventtime.*;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.*;
import org.apache.flink.api.common.typeutils.base.*;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.co.*;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.operators.*;
import org.apache.flink.streaming.api.operators.co.*;
import org.apache.flink.streaming.api.windowing.assigners.*;
import org.apache.flink.streaming.api.windowing.triggers.EventTimeTrigger;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.streaming.runtime.operators.*;
import org.apache.flink.streaming.runtime.operators.windowing.WindowOperator;
import org.apache.flink.streaming.runtime.operators.windowing.functions.InternalIterableProcessWindowFunction;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.*;
import org.apache.flink.table.data.*;
import org.apache.flink.table.runtime.operators.join.*;
import org.apache.flink.table.runtime.operators.join.interval.*;
import org.apache.flink.table.runtime.operators.wmassigners.*;
import org.apache.flink.table.runtime.typeutils.*;
import org.apache.flink.table.types.logical.*;
import org.apache.flink.util.Collector;

/**
 * Drives Flink's own operators through Flink's operator test harness, for Flink 1.18 to 2.x. Usage:
 * GoldenOperators FLINK_VERSION SEED CASES. Kinds and their forms are listed in testdata/golden/README.md.
 */
public class GoldenOperators {
  static List<String> out, ops; static int op; static String flink;

  static void note(String s) { out.add("[" + op + "," + s + "]"); }
  static void did(String s) { op = ops.size(); ops.add("[" + s + "]"); }
  static String line(String kind, int id, String config) {
    return "{\"name\":\"" + kind + "-" + id + "\",\"kind\":\"" + kind + "\",\"flink\":\"" + flink + "\",\"config\":{" + config + "},\"ops\":[" + String.join(",", ops) + "],\"out\":[" + String.join(",", out) + "]}";
  }

  /** Writes down what an operator put out since the last call; results of one operation are sorted, their order is a heap's. */
  static void drain(AbstractStreamOperatorTestHarness<?> h, String clock) {
    List<String> results = new ArrayList<>(), rest = new ArrayList<>();
    for (Object x : h.getOutput()) {
      if (x instanceof org.apache.flink.streaming.api.watermark.Watermark) rest.add(clock + "\"wm\"," + ((org.apache.flink.streaming.api.watermark.Watermark) x).getTimestamp());
      else if (x instanceof WatermarkStatus) rest.add(clock + (((WatermarkStatus) x).isIdle() ? "\"idle\"" : "\"active\""));
      else if (x instanceof StreamRecord && ((StreamRecord<?>) x).getValue() instanceof String) results.add((String) ((StreamRecord<?>) x).getValue());
    }
    Collections.sort(results); for (String s : results) note(s); for (String s : rest) note(s);
    h.getOutput().clear();
  }

  static Object field(Object o, String name) throws Exception {
    for (Class<?> c = o.getClass(); c != null; c = c.getSuperclass()) try { Field f = c.getDeclaredField(name); f.setAccessible(true); return f.get(o); } catch (NoSuchFieldException e) { }
    throw new NoSuchFieldException(name);
  }

  static org.apache.flink.streaming.api.watermark.Watermark wm(long t) { return new org.apache.flink.streaming.api.watermark.Watermark(t); }

  public static final class Count extends ProcessWindowFunction<Long, String, Long, TimeWindow> {
    public void process(Long key, Context c, Iterable<Long> in, Collector<String> o) {
      long n = 0; for (Long x : in) n++;
      o.collect("\"fired\"," + key + "," + c.window().getStart() + "," + c.window().getEnd() + "," + n);
    }
  }

  static String window(Random r, int id) throws Exception {
    String shape = new String[] {"tumbling", "hopping", "session"}[r.nextInt(3)];
    long size = 100 * (1 + r.nextInt(10)), slide = new long[] {size, Math.max(size / 2, 1), size / 4 + 1, size * 2, 30}[r.nextInt(5)], gap = 20 + r.nextInt(200);
    long lateness = r.nextInt(2) == 0 ? 0 : r.nextInt(600); if (r.nextInt(25) == 0) lateness = Long.MAX_VALUE; long grid = shape.equals("tumbling") ? size : slide, offset = r.nextInt(2) == 0 ? 0 : r.nextInt((int) (2 * grid - 1)) - grid + 1;
    WindowAssigner<Object, TimeWindow> a; String config;
    switch (shape) {
      case "tumbling": a = assigner(TumblingEventTimeWindows.class, "of", size, offset); config = "\"size_ms\":" + size + ",\"offset_ms\":" + offset; break;
      case "hopping": a = assigner(SlidingEventTimeWindows.class, "of", size, slide, offset); config = "\"size_ms\":" + size + ",\"slide_ms\":" + slide + ",\"offset_ms\":" + offset; break;
      default: a = assigner(EventTimeSessionWindows.class, "withGap", gap); config = "\"gap_ms\":" + gap;
    }
    KeySelector<Long, Long> key = x -> x >>> 60; // the key rides in the upper bits of the value, see below
    ListStateDescriptor<Long> state = new ListStateDescriptor<>("records", LongSerializer.INSTANCE);
    WindowOperator<Long, Long, Iterable<Long>, String, TimeWindow> w = null;
    for (Constructor<?> c : WindowOperator.class.getConstructors()) {
      @SuppressWarnings("unchecked") WindowOperator<Long, Long, Iterable<Long>, String, TimeWindow> made = (WindowOperator<Long, Long, Iterable<Long>, String, TimeWindow>) c.newInstance(a, new TimeWindow.Serializer(), key, LongSerializer.INSTANCE, state, new InternalIterableProcessWindowFunction<>(new Count()), EventTimeTrigger.create(), lateness, null);
      w = made;
    }
    KeyedOneInputStreamOperatorTestHarness<Long, Long, String> h = new KeyedOneInputStreamOperatorTestHarness<>(w, key, Types.LONG);
    h.open(); out = new ArrayList<>(); ops = new ArrayList<>(); Counter late = (Counter) field(w, "numLateRecordsDropped"); long dropped = 0, mark = 0, top = 1000;
    for (int i = 0; i < 60; i++) {
      if (r.nextInt(4) > 0) {
        long k = r.nextInt(3), ts = (top += r.nextInt(60)) - (r.nextInt(3) == 0 ? r.nextInt(1200) : 0); if (r.nextInt(60) == 0) ts = -r.nextInt(2000);
        did("\"rec\"," + k + "," + ts); 
        try { h.processElement(new StreamRecord<>(k << 60, ts)); } catch (UnsupportedOperationException e) { note("\"fails\""); return line("window", id, "\"shape\":\"" + shape + "\"," + config + ",\"lateness_ms\":" + lateness); } // an endless lateness overflows when sessions merge
        drain(h, ""); if (late.getCount() > dropped) { dropped = late.getCount(); note("\"dropped\""); }
      } else {
        mark = Math.max(mark, top - r.nextInt(400)); did("\"wm\"," + mark); h.processWatermark(wm(mark)); drain(h, "");
      }
    }
    did("\"wm\"," + Long.MAX_VALUE); h.processWatermark(wm(Long.MAX_VALUE)); drain(h, ""); h.close();
    return line("window", id, "\"shape\":\"" + shape + "\"," + config + ",\"lateness_ms\":" + lateness);
  }

  /** Windows take a Duration from 1.19 on and a Time before. */
  @SuppressWarnings("unchecked") static WindowAssigner<Object, TimeWindow> assigner(Class<?> c, String method, long... ms) throws Exception {
    for (Method m : c.getMethods()) {
      if (!m.getName().equals(method) || m.getParameterCount() != ms.length || !(m.getParameterTypes()[0] == Duration.class || m.getParameterTypes()[0].getSimpleName().equals("Time"))) continue;
      Object[] args = new Object[ms.length];
      for (int i = 0; i < ms.length; i++) args[i] = m.getParameterTypes()[0] == Duration.class ? Duration.ofMillis(ms[i]) : m.getParameterTypes()[0].getMethod("milliseconds", long.class).invoke(null, ms[i]);
      return (WindowAssigner<Object, TimeWindow>) m.invoke(null, args);
    }
    throw new IllegalStateException(c + " has no " + method);
  }

  static final class Through extends AbstractStreamOperator<String> implements TwoInputStreamOperator<Long, Long, String> {
    public void processElement1(StreamRecord<Long> e) { } public void processElement2(StreamRecord<Long> e) { }
  }

  static String twoInput(Random r, int id) throws Exception {
    TwoInputStreamOperatorTestHarness<Long, Long, String> h = new TwoInputStreamOperatorTestHarness<>(new Through()); h.open(); out = new ArrayList<>(); ops = new ArrayList<>(); long[] mark = new long[2];
    for (int i = 0; i < 60; i++) {
      int in = r.nextInt(2); int k = r.nextInt(10);
      if (k < 3) {
        boolean idle = r.nextBoolean(); did("\"" + (idle ? "idle" : "active") + "\"," + in); WatermarkStatus s = idle ? WatermarkStatus.IDLE : WatermarkStatus.ACTIVE;
        if (in == 0) h.processWatermarkStatus1(s); else h.processWatermarkStatus2(s);
      } else {
        mark[in] += r.nextInt(60) - (r.nextInt(8) == 0 ? 80 : 0); did("\"wm\"," + in + "," + mark[in]);
        if (in == 0) h.processWatermark1(wm(mark[in])); else h.processWatermark2(wm(mark[in]));
      }
      drain(h, "");
    }
    h.close();
    return line("two-input", id, "\"inputs\":2");
  }

  static String miniBatch(Random r, int id) throws Exception {
    long interval = new long[] {1, 7, 100, 1000}[r.nextInt(4)]; OneInputStreamOperatorTestHarness<RowData, RowData> h = new OneInputStreamOperatorTestHarness<>(new RowTimeMiniBatchAssginerOperator(interval)); h.open(); out = new ArrayList<>(); ops = new ArrayList<>(); long mark = -r.nextInt(500);
    for (int i = 0; i < 40; i++) {
      if (r.nextInt(12) == 0) { boolean idle = r.nextBoolean(); did(idle ? "\"idle\"" : "\"active\""); h.processWatermarkStatus(idle ? WatermarkStatus.IDLE : WatermarkStatus.ACTIVE); }
      else { mark += r.nextInt((int) (interval + 5)); if (i == 39) mark = Long.MAX_VALUE; did("\"wm\"," + mark); h.processWatermark(wm(mark)); }
      drain(h, "");
    }
    if (r.nextBoolean()) { did("\"finish\""); Method m = h.getOperator().getClass().getMethod("finish"); m.invoke(h.getOperator()); drain(h, ""); }
    return line("minibatch", id, "\"interval_ms\":" + interval);
  }

  @SuppressWarnings("unchecked") static String assigner(Random r, int id) throws Exception {
    boolean old = GoldenSource.pausable(org.apache.flink.util.clock.SystemClock.getInstance()) == null, sql = r.nextBoolean(); String g = sql ? "sql" : new String[] {"bounded", "ascending", "on-event", "punctuated"}[r.nextInt(4)];
    long bound = g.equals("ascending") || g.equals("punctuated") ? 0 : new long[] {0, 1, 50, 1000}[r.nextInt(4)], interval = new long[] {0, 50, 200, 200}[r.nextInt(4)], idle = r.nextInt(3) == 0 ? 0 : 100L * (1 + r.nextInt(25));
    if (old && !sql) idle = 0; // its idleness reads the system clock
    OneInputStreamOperatorTestHarness<RowData, RowData> h; StreamOperatorFactory<RowData> f = null; OneInputStreamOperator<RowData, RowData> plain = null; InternalTypeInfo<RowData> type = InternalTypeInfo.ofFields(new BigIntType());
    if (sql) {
      final long delay = bound;
      f = new WatermarkAssignerOperatorFactory(0, idle, new org.apache.flink.table.runtime.generated.GeneratedWatermarkGenerator("x", "", new Object[0]) { public org.apache.flink.table.runtime.generated.WatermarkGenerator newInstance(ClassLoader l) { return new GoldenSource.Delay(delay); } public org.apache.flink.table.runtime.generated.WatermarkGenerator newInstance(ClassLoader l, Object... a) { return new GoldenSource.Delay(delay); } });
    } else {
      WatermarkStrategy<RowData> st = GoldenSource.strategy(g, bound).withTimestampAssigner((x, t) -> x.getLong(0)); if (idle > 0) st = st.withIdleness(Duration.ofMillis(idle));
      try { f = (StreamOperatorFactory<RowData>) Class.forName("org.apache.flink.streaming.runtime.operators.TimestampsAndWatermarksOperatorFactory").getConstructor(WatermarkStrategy.class, boolean.class).newInstance(st, true); }
      catch (ClassNotFoundException e) { plain = (OneInputStreamOperator<RowData, RowData>) TimestampsAndWatermarksOperator.class.getConstructor(WatermarkStrategy.class, boolean.class).newInstance(st, true); }
    }
    h = plain != null ? new OneInputStreamOperatorTestHarness<>(plain, type.toSerializer()) : new OneInputStreamOperatorTestHarness<>((OneInputStreamOperatorFactory<RowData, RowData>) f, type.toSerializer()); h.getExecutionConfig().setAutoWatermarkInterval(interval);
    h.setProcessingTime(0); h.setup(type.toSerializer()); h.open(); out = new ArrayList<>(); ops = new ArrayList<>(); long now = 0, top = 1000;
    for (int i = 0; i < 70; i++) {
      int k = r.nextInt(100);
      if (k < 55) {
        long ts = (top += r.nextInt(120)) - (r.nextInt(4) == 0 ? r.nextInt((int) (2 * bound + 10)) : 0); if (r.nextInt(60) == 0) ts = r.nextInt(2000) - 1000; did("\"rec\"," + ts); h.processElement(new StreamRecord<>((RowData) GenericRowData.of(ts), ts)); drain(h, now + ",");
      } else if (k < 92) {
        long to = now + (r.nextInt(10) == 0 ? 1000 + r.nextInt(3000) : r.nextInt(250)); did("\"at\"," + to);
        while (now < to) { h.setProcessingTime(++now); drain(h, now + ","); }
      } else if (k < 96) { boolean i2 = r.nextBoolean(); did(i2 ? "\"idle\"" : "\"active\""); h.processWatermarkStatus(i2 ? WatermarkStatus.IDLE : WatermarkStatus.ACTIVE); drain(h, now + ","); }
      else { long w = r.nextInt(100000); did("\"wm\"," + w); h.processWatermark(wm(w)); drain(h, now + ","); }
    }
    if (r.nextBoolean()) { did("\"finish\""); ((StreamOperator<?>) h.getOperator()).finish(); drain(h, now + ","); }
    did("\"wm\"," + Long.MAX_VALUE); h.processWatermark(wm(Long.MAX_VALUE)); drain(h, now + ",");
    return line("assigner", id, "\"generator\":\"" + g + "\",\"bound_ms\":" + bound + ",\"idle_ms\":" + idle + ",\"interval_ms\":" + interval);
  }

  public static final class Join extends ProcessJoinFunction<Long, Long, String> {
    public void processElement(Long l, Long r, Context c, Collector<String> o) { o.collect("\"pair\"," + l + "," + c.getLeftTimestamp() + "," + c.getRightTimestamp()); }
  }

  static final class Yes extends AbstractRichFunction implements org.apache.flink.table.runtime.generated.JoinCondition { public boolean apply(RowData a, RowData b) { return true; } }

  /** The SQL join's rows leave as rows: written down as the DataStream join's strings. */
  static void drainRows(AbstractStreamOperatorTestHarness<?> h) {
    List<String> results = new ArrayList<>(), rest = new ArrayList<>();
    for (Object x : h.getOutput()) {
      if (x instanceof org.apache.flink.streaming.api.watermark.Watermark) rest.add("\"wm\"," + ((org.apache.flink.streaming.api.watermark.Watermark) x).getTimestamp());
      else if (x instanceof WatermarkStatus) rest.add(((WatermarkStatus) x).isIdle() ? "\"idle\"" : "\"active\"");
      else { RowData row = (RowData) ((StreamRecord<?>) x).getValue(); results.add("\"pair\"," + row.getLong(0) + "," + row.getLong(1) + "," + row.getLong(3)); }
    }
    Collections.sort(results); for (String s : results) note(s); for (String s : rest) note(s);
    h.getOutput().clear();
  }

  @SuppressWarnings("unchecked") static String join(Random r, int id) throws Exception {
    boolean sql = r.nextBoolean(); long lower = r.nextInt(400) - 300, upper = lower + r.nextInt(400); out = new ArrayList<>(); ops = new ArrayList<>(); KeyedTwoInputStreamOperatorTestHarness<Object, Object, Object, Object> h;
    if (sql) {
      if (lower > 0) lower = -lower; if (upper < 0) upper = -upper; // the delay must not be negative
      InternalTypeInfo<RowData> type = InternalTypeInfo.ofFields(new BigIntType(), new BigIntType()), both = InternalTypeInfo.ofFields(new BigIntType(), new BigIntType(), new BigIntType(), new BigIntType());
      Object condition = null; IntervalJoinFunction fn = new IntervalJoinFunction(new org.apache.flink.table.runtime.generated.GeneratedJoinCondition("x", "", new Object[0]) { public org.apache.flink.table.runtime.generated.JoinCondition newInstance(ClassLoader l) { return new Yes(); } }, both, new boolean[] {true});
      // leftLowerBound <= left - right <= leftUpperBound, while lower and upper bound right - left
      long between = r.nextInt(2) == 0 ? 0 : (upper - lower) / 2; long ll = -upper, lu = -lower;
      RowTimeIntervalJoin j = new RowTimeIntervalJoin(FlinkJoinType.INNER, ll, lu, 0L, between, type, type, fn, 1, 1);
      KeySelector<RowData, RowData> key = x -> { org.apache.flink.table.data.binary.BinaryRowData b = new org.apache.flink.table.data.binary.BinaryRowData(1); org.apache.flink.table.data.writer.BinaryRowWriter w = new org.apache.flink.table.data.writer.BinaryRowWriter(b); w.writeLong(0, x.getLong(0)); w.complete(); return b; };
      h = new KeyedTwoInputStreamOperatorTestHarness<>((TwoInputStreamOperator<Object, Object, Object>) (TwoInputStreamOperator<?, ?, ?>) new KeyedCoProcessOperatorWithWatermarkDelay<RowData, RowData, RowData, RowData>(j, j.getMaxOutputDelay()), (KeySelector<Object, Object>) (KeySelector<?, ?>) key, (KeySelector<Object, Object>) (KeySelector<?, ?>) key, (TypeInformation<Object>) (TypeInformation<?>) InternalTypeInfo.ofFields(new BigIntType()));
      clean = between;
    } else {
      IntervalJoinOperator<Long, Long, Long, String> o = new IntervalJoinOperator<>(lower, upper, true, true, null, null, LongSerializer.INSTANCE, LongSerializer.INSTANCE, new Join());
      KeySelector<Long, Long> key = x -> x;
      h = new KeyedTwoInputStreamOperatorTestHarness<>((TwoInputStreamOperator<Object, Object, Object>) (TwoInputStreamOperator<?, ?, ?>) o, (KeySelector<Object, Object>) (KeySelector<?, ?>) key, (KeySelector<Object, Object>) (KeySelector<?, ?>) key, (TypeInformation<Object>) (TypeInformation<?>) Types.LONG);
      clean = 0;
    }
    h.open(); long[] mark = new long[2]; long top = 1000;
    for (int i = 0; i < 60; i++) {
      int in = r.nextInt(2);
      if (r.nextInt(3) > 0) {
        long k = r.nextInt(2), ts = (top += r.nextInt(40)) - (r.nextInt(2) == 0 ? r.nextInt(500) : 0); did("\"rec\"," + in + "," + k + "," + ts); Object x = sql ? GenericRowData.of(k, ts) : (Object) k;
        if (in == 0) h.processElement1(new StreamRecord<>(x, ts)); else h.processElement2(new StreamRecord<>(x, ts));
      } else {
        mark[in] = Math.max(mark[in], top - r.nextInt(300)); did("\"wm\"," + in + "," + mark[in]); if (in == 0) h.processWatermark1(wm(mark[in])); else h.processWatermark2(wm(mark[in]));
      }
      if (sql) drainRows(h); else drain(h, "");
    }
    for (int in = 0; in < 2; in++) { did("\"wm\"," + in + "," + Long.MAX_VALUE); if (in == 0) h.processWatermark1(wm(Long.MAX_VALUE)); else h.processWatermark2(wm(Long.MAX_VALUE)); if (sql) drainRows(h); else drain(h, ""); }
    return line("interval-join", id, "\"sql\":" + sql + ",\"lower_ms\":" + lower + ",\"upper_ms\":" + upper + (sql ? ",\"cleanup_ms\":" + clean : ""));
  }
  static long clean;

  public static void main(String[] a) throws Exception {
    flink = a[0]; Random r = new Random(Long.parseLong(a[1])); int n = Integer.parseInt(a[2]);
    for (int i = 0; i < n; i++) switch (i % 5) {
      case 0: System.out.println(window(r, i)); break;
      case 1: System.out.println(twoInput(r, i)); break;
      case 2: System.out.println(miniBatch(r, i)); break;
      case 3: System.out.println(assigner(r, i)); break;
      default: System.out.println(join(r, i));
    }
  }
}
