import java.lang.reflect.*;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import org.apache.flink.api.common.eventtime.*;
import org.apache.flink.api.connector.source.*;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.streaming.api.operators.source.TimestampsAndWatermarks;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.table.data.*;
import org.apache.flink.util.clock.*;

/**
 * Golden's kind "source" for every generator and for Flink 1.18 to 2.x: what differs between releases is looked up by
 * reflection. Usage: GoldenSource FLINK_VERSION SEED CASES
 *
 * config adds "generator": bounded, ascending, none, on-event (a DataStream generator emitting max - bound - 1 at every
 * event), sql, sql-on-event (the pushed-down WATERMARK FOR ts AS ts - bound), punctuated (emits ts at every event whose ts is
 * a multiple of 3). ops add ["rec-main",ts] (a record emitted without a split), ["pause-main"] and ["resume-main"] (the whole
 * source waits), ["emit-now"] (emitImmediateWatermark). Lines carry "flink".
 */
public class GoldenSource {
  static final class Time implements ProcessingTimeService {
    final ManualClock clock = new ManualClock(); final List<Object[]> timers = new ArrayList<>();
    public Clock getClock() { return clock; }
    public long getCurrentProcessingTime() { return now(); }
    public ScheduledFuture<?> registerTimer(long at, ProcessingTimeCallback c) { timers.add(new Object[] {at, c, 0L}); return null; }
    public ScheduledFuture<?> scheduleAtFixedRate(ProcessingTimeCallback c, long d, long p) { timers.add(new Object[] {now() + d, c, p}); return null; }
    public ScheduledFuture<?> scheduleWithFixedDelay(ProcessingTimeCallback c, long d, long p) { return scheduleAtFixedRate(c, d, p); }
    public CompletableFuture<Void> quiesce() { return CompletableFuture.completedFuture(null); }
    long now() { return clock.absoluteTimeMillis(); }
    void advanceTo(long t) throws Exception {
      while (true) {
        Object[] next = null; for (Object[] x : timers) if ((long) x[0] <= t && (next == null || (long) x[0] < (long) next[0])) next = x;
        if (next == null) break;
        if ((long) next[0] > now()) clock.advanceTime(Duration.ofMillis((long) next[0] - now()));
        long due = (long) next[0]; if ((long) next[2] > 0) next[0] = due + (long) next[2]; else timers.remove(next);
        ((ProcessingTimeCallback) next[1]).onProcessingTime(due);
      }
      if (t > now()) clock.advanceTime(Duration.ofMillis(t - now()));
    }
  }

  static List<String> out; static int op; static Time time;

  /** Answers every method of an interface with nothing; watermarks and statuses are written down. */
  @SuppressWarnings("unchecked") static <T> T proxy(Class<T> type) {
    return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (p, m, a) -> {
      if (m.getName().equals("emitWatermark") && a[0] instanceof org.apache.flink.streaming.api.watermark.Watermark) out.add("[" + op + "," + time.now() + ",\"wm\"," + ((org.apache.flink.streaming.api.watermark.Watermark) a[0]).getTimestamp() + "]");
      if (m.getName().equals("emitWatermarkStatus")) out.add("[" + op + "," + time.now() + (((WatermarkStatus) a[0]).isIdle() ? ",\"idle\"]" : ",\"active\"]"));
      return null;
    });
  }

  static Object pausable(Clock clock) throws Exception {
    try { return Class.forName("org.apache.flink.streaming.api.operators.util.PausableRelativeClock").getConstructor(Clock.class).newInstance(clock); } catch (ClassNotFoundException e) { return null; }
  }

  @SuppressWarnings("unchecked") static TimestampsAndWatermarks<RowData> logic(WatermarkStrategy<RowData> st, long interval, Object mainClock) throws Exception {
    for (Method m : TimestampsAndWatermarks.class.getMethods()) {
      if (!m.getName().equals("createProgressiveEventTimeLogic")) continue;
      List<Object> args = new ArrayList<>();
      for (Class<?> c : m.getParameterTypes()) {
        if (c.isInstance(st)) args.add(st);
        else if (c == long.class) args.add(interval);
        else if (c.isInstance(time)) args.add(time);
        else if (mainClock != null && c.getSimpleName().equals("RelativeClock")) args.add(mainClock);
        else if (c == Clock.class) args.add(time.clock);
        else if (c.getSimpleName().equals("TaskIOMetricGroup")) args.add(UnregisteredMetricGroups.createUnregisteredTaskMetricGroup().getIOMetricGroup());
        else args.add(UnregisteredMetricGroups.createUnregisteredOperatorMetricGroup());
      }
      return (TimestampsAndWatermarks<RowData>) m.invoke(null, args.toArray());
    }
    throw new IllegalStateException("no event time logic");
  }

  static final class EachEvent implements WatermarkGenerator<RowData> {
    final long bound; final boolean third; long max;
    EachEvent(long b, boolean t) { bound = b; third = t; max = Long.MIN_VALUE + b + 1; }
    public void onEvent(RowData r, long ts, WatermarkOutput o) {
      if (third) { if (ts % 3 == 0) o.emitWatermark(new Watermark(ts)); return; }
      max = Math.max(max, ts); o.emitWatermark(new Watermark(max - bound - 1));
    }
    public void onPeriodicEmit(WatermarkOutput o) { }
  }

  static WatermarkStrategy<RowData> strategy(String g, long bound) throws Exception {
    switch (g) {
      case "bounded": return WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofMillis(bound));
      case "ascending": return WatermarkStrategy.forMonotonousTimestamps();
      case "none": return WatermarkStrategy.noWatermarks();
      case "on-event": return WatermarkStrategy.forGenerator(c -> new EachEvent(bound, false));
      case "punctuated": return WatermarkStrategy.forGenerator(c -> new EachEvent(bound, true));
      default:
        org.apache.flink.table.watermark.WatermarkEmitStrategy emit = g.equals("sql") ? org.apache.flink.table.watermark.WatermarkEmitStrategy.ON_PERIODIC : org.apache.flink.table.watermark.WatermarkEmitStrategy.ON_EVENT;
        return WatermarkStrategy.forGenerator(c -> new org.apache.flink.table.runtime.generated.GeneratedWatermarkGeneratorSupplier.DefaultWatermarkGenerator(new Delay(bound), emit));
    }
  }

  public static final class Delay extends org.apache.flink.table.runtime.generated.WatermarkGenerator {
    final long delay;
    Delay(long d) { delay = d; }
    public Long currentWatermark(RowData row) { return row.getLong(0) - delay; }
    public long extractTimestamp(RowData row) { return row.getLong(0); }
  }

  /** Before FLIP-471 withIdleness reads the system clock; its package-private constructor takes the manual one. */
  @SuppressWarnings("unchecked") static WatermarkStrategy<RowData> idleness(WatermarkStrategy<RowData> st, long ms) throws Exception {
    if (pausable(time.clock) != null) return st.withIdleness(Duration.ofMillis(ms));
    Constructor<?> c = WatermarksWithIdleness.class.getDeclaredConstructor(WatermarkGenerator.class, Duration.class, Clock.class); c.setAccessible(true); Clock clock = time.clock;
    return WatermarkStrategy.<RowData>forGenerator(x -> { try { return (WatermarkGenerator<RowData>) c.newInstance(st.createWatermarkGenerator(x), Duration.ofMillis(ms), clock); } catch (Exception e) { throw new IllegalStateException(e); } }).withTimestampAssigner((x, t) -> x.getLong(0));
  }

  static long wild(Random r) {
    switch (r.nextInt(4)) {
      case 0: return Long.MAX_VALUE - r.nextInt(3) * 1000L;
      case 1: return Long.MIN_VALUE + r.nextInt(3) * 1000L;
      case 2: return -r.nextInt(100000);
      default: return r.nextInt(10);
    }
  }

  static void call(Object target, String name) throws Exception { Method m = target.getClass().getMethod(name); m.invoke(target); }

  static String source(Random r, int id, String flink) throws Exception {
    String g = new String[] {"bounded", "ascending", "none", "on-event", "sql", "sql", "sql-on-event", "sql-on-event", "punctuated"}[r.nextInt(9)];
    boolean bounded = !g.equals("ascending") && !g.equals("none") && !g.equals("punctuated");
    long bound = bounded ? new long[] {0, 1, 50, 1000, 5000}[r.nextInt(5)] : 0, idle = r.nextInt(3) == 0 ? 0 : 200L * (1 + r.nextInt(15)) + r.nextInt(3);
    long interval = new long[] {0, 50, 200, 200, 1000}[r.nextInt(5)]; boolean extreme = r.nextInt(12) == 0;
    time = new Time(); out = new ArrayList<>(); WatermarkStrategy<RowData> st = strategy(g, bound).withTimestampAssigner((x, t) -> x.getLong(0));
    if (idle > 0) st = idleness(st, idle);
    Object mainClock = pausable(time.clock); TimestampsAndWatermarks<RowData> logic = logic(st, interval, mainClock);
    @SuppressWarnings("unchecked") ReaderOutput<RowData> main = logic.createMainOutput(proxy(DataOutput.class), proxy(TimestampsAndWatermarks.WatermarkUpdateListener.class));
    logic.startPeriodicWatermarkEmits();
    Method pause = null, emitNow = null; for (Method m : TimestampsAndWatermarks.class.getMethods()) { if (m.getName().equals("pauseOrResumeSplits")) pause = m; if (m.getName().equals("emitImmediateWatermark")) emitNow = m; }
    List<String> ops = new ArrayList<>(); Map<String, SourceOutput<RowData>> splits = new TreeMap<>(); Set<String> paused = new TreeSet<>(); Map<String, Long> base = new HashMap<>();
    int made = 0; long now = 0; boolean mainPaused = false;
    for (int n = 0; n < 100; n++) {
      op = n; int k = r.nextInt(100); List<String> names = new ArrayList<>(splits.keySet());
      if ((names.isEmpty() && r.nextInt(3) > 0) || (k < 4 && names.size() < 5)) {
        String s = "p" + made++; ops.add("[\"add\",\"" + s + "\"]"); splits.put(s, main.createOutputForSplit(s)); base.put(s, 100000L + r.nextInt(4000));
      } else if (k < 6 && !names.isEmpty()) {
        String s = names.get(r.nextInt(names.size())); ops.add("[\"release\",\"" + s + "\"]"); paused.remove(s); main.releaseOutputForSplit(s); splits.remove(s);
      } else if (k < 9 && !names.isEmpty()) {
        String s = names.get(r.nextInt(names.size())); boolean resume = paused.remove(s); if (!resume) paused.add(s);
        ops.add("[\"" + (resume ? "resume" : "pause") + "\",\"" + s + "\"]"); List<String> one = List.of(s), no = List.of();
        if (pause != null) pause.invoke(logic, resume ? no : one, resume ? one : no);
      } else if (k < 11) {
        ops.add(mainPaused ? "[\"resume-main\"]" : "[\"pause-main\"]"); if (mainClock != null) call(mainClock, mainPaused ? "unPause" : "pause"); mainPaused = !mainPaused;
      } else if (k < 12 && emitNow != null) {
        ops.add("[\"emit-now\"]"); emitNow.invoke(logic, 0L);
      } else if (k < 14 && !mainPaused) {
        long ts = 100000 + r.nextInt(6000); ops.add("[\"rec-main\"," + ts + "]"); main.collect(GenericRowData.of(ts), ts);
      } else if (k < 70 && !names.isEmpty()) {
        String s = names.get(r.nextInt(names.size())); if (paused.contains(s)) { n--; continue; }
        long ts = base.merge(s, (long) r.nextInt(300), Long::sum) - (r.nextInt(4) == 0 ? r.nextInt((int) (2 * bound + 10)) : 0);
        if (r.nextInt(400) == 0) ts += 1000000;
        if (extreme && r.nextInt(30) == 0) ts = wild(r);
        ops.add("[\"rec\",\"" + s + "\"," + ts + "]"); splits.get(s).collect(GenericRowData.of(ts), ts);
      } else { now += r.nextInt(10) == 0 ? 1000 + r.nextInt(3000) : r.nextInt(10) == 0 ? 10000 : r.nextInt(250); ops.add("[\"at\"," + now + "]"); time.advanceTo(now); }
    }
    return "{\"name\":\"source-" + g + "-" + id + "\",\"kind\":\"source\",\"flink\":\"" + flink + "\",\"config\":{\"generator\":\"" + g + "\",\"bound_ms\":" + bound + ",\"idle_ms\":" + idle + ",\"interval_ms\":" + interval + "},\"ops\":[" + String.join(",", ops) + "],\"out\":[" + String.join(",", out) + "]}";
  }

  public static void main(String[] a) throws Exception {
    Random r = new Random(Long.parseLong(a[1])); int n = Integer.parseInt(a[2]);
    for (int i = 0; i < n; i++) System.out.println(source(r, i, a[0]));
  }
}
