import java.lang.reflect.Field;
import java.time.Duration;
import java.util.*;
import org.apache.flink.api.common.eventtime.*;
import org.apache.flink.api.connector.source.mocks.*;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.source.event.*;
import org.apache.flink.streaming.api.operators.*;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;

/**
 * Golden's kind "alignment": what SourceOperator pauses, resumes and reports when it hears of split and source watermarks and
 * of the coordinator's announcements, Flink 2.3 and later. Usage: GoldenAlignment FLINK_VERSION SEED CASES
 */
public class GoldenAlignment {
  static final int UPDATE = 1000;

  static Object mode(SourceOperator<?, ?> o) throws Exception { Field f = SourceOperator.class.getDeclaredField("operatingMode"); f.setAccessible(true); return f.get(o); }

  /** A mock reader without splits ends its input at once; the operator is put back to reading. */
  @SuppressWarnings({"unchecked", "rawtypes"}) static void reading(SourceOperator<?, ?> o) throws Exception { Field f = SourceOperator.class.getDeclaredField("operatingMode"); f.setAccessible(true); f.set(o, Enum.valueOf((Class<Enum>) f.getType(), "READING")); }

  static String alignment(Random r, int id, String flink) throws Exception {
    int samples = r.nextInt(4); GoldenSource.time = new GoldenSource.Time(); GoldenSource.out = new ArrayList<>();
    WatermarkStrategy<Integer> st = WatermarkStrategy.<Integer>forGenerator(c -> new NoWatermarksGenerator<>()).withWatermarkAlignment("g", Duration.ofMillis(100), Duration.ofMillis(UPDATE));
    SourceOperatorTestContext c = SourceOperatorTestContext.builder().setWatermarkStrategy(st).setWatermarkBufferSize(samples).setUsePerSplitOutputs(true).build();
    SourceOperator<Integer, MockSourceSplit> o = c.getOperator(); o.initializeState(c.createStateContext(Collections.emptyList())); o.open();
    @SuppressWarnings("unchecked") DataOutput<Integer> sink = GoldenSource.proxy(DataOutput.class); o.emitNext(sink); reading(o);
    List<String> ops = new ArrayList<>(), out = new ArrayList<>(); Set<String> paused = new TreeSet<>(), splits = new TreeSet<>(), idle = new TreeSet<>(); Map<String, Long> mark = new TreeMap<>(); long main = 0; boolean waiting = false; int seen = c.getGateway().getEventsSent().size(), made = 0; long clock = 0;
    for (int i = 0; i < 70; i++) {
      int k = r.nextInt(100); String s = splits.isEmpty() ? null : new ArrayList<>(splits).get(r.nextInt(splits.size()));
      if (s == null || (k < 4 && made < 4)) {
        MockSourceSplit split = new MockSourceSplit(made++, 0, 1000); splits.add(split.splitId()); mark.put(split.splitId(), 0L); ops.add("[\"add\",\"" + split.splitId() + "\"]"); o.handleOperatorEvent(new AddSplitEvent<>(List.of(split), new MockSourceSplitSerializer()));
      } else if (k < 40) { long w = mark.merge(s, (long) r.nextInt(80), Long::sum); ops.add("[\"split-wm\",\"" + s + "\"," + w + "]"); o.updateCurrentSplitIdle(s, false); idle.remove(s); o.updateCurrentSplitWatermark(s, w); }
      else if (k < 46) { boolean was = idle.remove(s); if (!was) idle.add(s); ops.add("[\"split-" + (was ? "active" : "idle") + "\",\"" + s + "\"]"); o.updateCurrentSplitIdle(s, !was); }
      else if (k < 56) { main += r.nextInt(80); ops.add("[\"wm\"," + main + "]"); o.updateCurrentEffectiveWatermark(main); }
      else if (k < 60) { boolean x = r.nextBoolean(); ops.add(x ? "[\"idle\"]" : "[\"active\"]"); o.updateIdle(x); }
      else if (k < 80) { long a = r.nextInt(12) == 0 ? Long.MAX_VALUE : Math.max(0, main + r.nextInt(300) - 120); ops.add("[\"announce\"," + a + "]"); o.handleOperatorEvent(new WatermarkAlignmentEvent(a)); }
      else { ops.add("[\"report\"]"); clock += UPDATE; c.getTimeService().advance(UPDATE); }
      Set<String> now = new TreeSet<>(c.getSourceReader().getPausedSplits());
      for (String x : now) if (!paused.contains(x)) out.add("[" + i + ",\"pause\",\"" + x + "\"]");
      for (String x : paused) if (!now.contains(x)) out.add("[" + i + ",\"resume\",\"" + x + "\"]");
      paused = now; boolean wait = mode(o).toString().equals("WAITING_FOR_ALIGNMENT"); if (wait != waiting) out.add("[" + i + (wait ? ",\"wait\"]" : ",\"read\"]")); waiting = wait;
      List<OperatorEvent> sent = c.getGateway().getEventsSent(); for (; seen < sent.size(); seen++) if (sent.get(seen) instanceof ReportedWatermarkEvent) out.add("[" + i + ",\"report\"," + ((ReportedWatermarkEvent) sent.get(seen)).getWatermark() + "]");
    }
    c.close();
    return "{\"name\":\"alignment-" + id + "\",\"kind\":\"alignment\",\"flink\":\"" + flink + "\",\"config\":{\"update_ms\":" + UPDATE + ",\"samples\":" + samples + "},\"ops\":[" + String.join(",", ops) + "],\"out\":[" + String.join(",", out) + "]}";
  }

  public static void main(String[] a) throws Exception {
    Random r = new Random(Long.parseLong(a[1])); int n = Integer.parseInt(a[2]);
    for (int i = 0; i < n; i++) System.out.println(alignment(r, i, a[0]));
  }
}
