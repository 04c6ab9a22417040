import java.time.Duration;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;

/** Watermark alignment: a group that throttles, a group that stands still, and groups that work. */
final class Aligned {
  static void add(Map<String, Lab.Scenario> all) {
    // Drift 5 s below the idle timeout of 30 s; an hour of history on one side.
    all.put("aligned", l -> {
      l.conf.setString("execution.checkpointing.interval", "5 s");
      for (String t : new String[] {l.topic, l.topic + "-fast"}) Lab.window(l.source(t, group(Lab.idle(2, 30), 5), t, 2), 2);
    });
    all.put("aligned-healthy", l -> union(l, group(Lab.idle(2, 5), 30), group(Lab.idle(2, 5), 30), "two"));
    all.put("aligned-drift-below-idle", l -> union(l, group(Lab.idle(2, 60), 5), group(Lab.idle(2, 60), 5), "two"));
    // A partition that is silent from the start shows the idle timeout.
    all.put("aligned-idle-above-drift", l -> Lab.window(l.orders(group(Lab.idle(2, 30), 5), 4), 2));
    all.put("aligned-idle-below-drift", l -> Lab.window(l.orders(group(Lab.idle(2, 5), 60), 4), 2));
    // Payments spoke once and never again: without an idle timeout the group waits for it.
    all.put("aligned-stall", l -> union(l, group(Lab.bounded(2), 5), group(Lab.bounded(2), 5), "one-shot"));
    all.put("aligned-stall-silent-split", l -> Lab.window(l.orders(group(Lab.bounded(2), 5), 2), 2));
    // Catches up at about drift / interval with idle CPU. 2.3 compares with its third last sample, which an evenly moving group never exceeds: ask for none.
    all.put("aligned-throttle", l -> { l.conf.setString("pipeline.watermark-alignment.buffer-size", "0"); Lab.window(Lab.pause(l.orders(group(Lab.bounded(2), 5), 2), "Parse", 2, 1), 2); });
  }

  static WatermarkStrategy<String> group(WatermarkStrategy<String> s, long driftSeconds) {
    return s.withWatermarkAlignment("g", Duration.ofSeconds(driftSeconds), Duration.ofSeconds(1));
  }

  static void union(Lab l, WatermarkStrategy<String> orders, WatermarkStrategy<String> payments, String topic) {
    DataStream<String> o = l.orders(orders, 2);
    Lab.window(o.union(l.source(topic, payments, "Payments", 2)), 2);
  }
}
