import java.util.Map;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** Event time moves, but late: bound, skew between splits, old data, backlog, backpressure, timers. */
final class Holds {
  static void add(Map<String, Lab.Scenario> all) {
    all.put("bound-too-large", l -> Lab.window(l.orders(Lab.bounded(600), 2), 2));
    all.put("skewed", l -> Lab.window(l.orders(Lab.bounded(2), 2), 2));
    all.put("old-data", l -> Lab.window(l.orders(Lab.bounded(2), 2), 2));
    all.put("catching-up", l -> Lab.window(Lab.pause(l.orders(Lab.bounded(2), 1), "Parse", 1, 15), 2));
    all.put("backpressure", l -> slow(l, 1, 40));
    all.put("slow-timers", l -> timers(l, 20, 1));
    all.put("timer-backlog", l -> {
      l.conf.setString("execution.checkpointing.interval", "1 s");
      l.conf.setString("execution.checkpointing.unaligned", "true");
      l.conf.setString("execution.checkpointing.unaligned.enabled", "true");
      l.conf.setString("execution.checkpointing.unaligned.interruptible-timers.enabled", "true");
      timers(l, 60, 4);
    });
    all.put("timers-healthy", l -> timers(l, 1, 0));
    all.put("session", l -> Compat.discard(l.orders(Lab.bounded(2), 2).keyBy(Lab::key).window(Compat.session(5)).reduce((a, b) -> b).name("Session5s").setParallelism(2), 2));
  }

  static void slow(Lab l, int p, long ms) {
    l.conf.setString("execution.buffer-timeout.interval", "50 ms");
    Compat.discard(l.orders(Lab.bounded(2), 2).keyBy(Lab::key).process(new KeyedProcessFunction<String, String, String>() {
      public void processElement(String v, Context c, Collector<String> o) throws Exception { Thread.sleep(ms); o.collect(v); }
    }).name("SlowLookup").setParallelism(p), p);
  }

  /** Every record sets many timers and every timer is slow. */
  static void timers(Lab l, int perRecord, long ms) {
    DataStream<String> out = l.orders(Lab.bounded(2), 2).keyBy(Lab::key).process(new KeyedProcessFunction<String, String, String>() {
      public void processElement(String v, Context c, Collector<String> o) {
        for (int i = 0; i < perRecord; i++) c.timerService().registerEventTimeTimer(c.timestamp() + 1 + i * 7L);
        o.collect(v);
      }
      public void onTimer(long t, OnTimerContext c, Collector<String> o) throws Exception { if (ms > 0) Thread.sleep(ms); }
    }).name("Reminders").setParallelism(2);
    Lab.window(out, 2);
  }
}
