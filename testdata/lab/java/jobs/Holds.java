import java.util.Map;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.util.Collector;

/** Event time moves, but late: bound, skew between splits, old data, backlog, backpressure, timers. */
final class Holds {
  static void add(Map<String, Lab.Scenario> all) {
    all.put("bound-too-large", l -> Lab.window(l.orders(Lab.bounded(600), 2), 2));
    all.put("skewed", l -> Lab.window(l.orders(Lab.bounded(2), 2), 2));
    all.put("old-data", l -> Lab.window(l.orders(Lab.bounded(2), 2), 2));
    all.put("catching-up", l -> Lab.window(Lab.pause(l.orders(Lab.bounded(2), 1), "Parse", 1, 15), 2));
    all.put("catching-up-one-split", all.get("catching-up"));
    all.put("backpressure", l -> slow(l, 1, 40, Lab::key));
    all.put("backpressure-full", l -> slow(l, 1, 200, Lab::key));
    all.put("keeps-up", l -> slow(l, 1, 1, Lab::key));
    // Nine of ten records have the same key: its subtask has too much to do, the other next to nothing.
    all.put("hot-key", l -> slow(l, 2, 40, r -> Lab.field(r) % 10 == 0 ? Lab.key(r) : "hot"));
    all.put("even-keys", l -> slow(l, 2, 10, Lab::key));
    all.put("slow-timers", l -> timers(l, 20, 1, false));
    all.put("timer-backlog", l -> {
      l.conf.setString("execution.checkpointing.interval", "1 s");
      l.conf.setString("execution.checkpointing.unaligned", "true");
      l.conf.setString("execution.checkpointing.unaligned.enabled", "true");
      l.conf.setString("execution.checkpointing.unaligned.interruptible-timers.enabled", "true");
      timers(l, 60, 4, true);
    });
    all.put("timer-blocked", l -> timers(l, 60, 4, false));
    all.put("timers-healthy", l -> timers(l, 1, 0, false));
    all.put("session", l -> Compat.discard(l.orders(Lab.bounded(2), 2).keyBy(Lab::key).window(Compat.session(5)).reduce((a, b) -> b).name("Session5s").setParallelism(2), 2));
  }

  static void slow(Lab l, int p, long ms, KeySelector<String, String> by) {
    l.conf.setString("execution.buffer-timeout.interval", "50 ms");
    Compat.discard(l.orders(Lab.bounded(2), 2).keyBy(by).process(new KeyedProcessFunction<String, String, String>() {
      public void processElement(String v, Context c, Collector<String> o) throws Exception { Thread.sleep(ms); o.collect(v); }
    }).name("SlowLookup").setParallelism(p), p);
  }

  /**
   * Every record sets many timers and every timer is slow. Interruptible (1.20 and later): a checkpoint interrupts the firing,
   * and the watermark is forwarded only once a pass has fired everything.
   */
  static void timers(Lab l, int perRecord, long ms, boolean interruptible) {
    KeyedProcessFunction<String, String, String> remind = new KeyedProcessFunction<String, String, String>() {
      public void processElement(String v, Context c, Collector<String> o) {
        for (int i = 0; i < perRecord; i++) c.timerService().registerEventTimeTimer(c.timestamp() + 1 + i * 7L);
        o.collect(v);
      }
      public void onTimer(long t, OnTimerContext c, Collector<String> o) throws Exception { if (ms > 0) Thread.sleep(ms); }
    };
    KeyedProcessOperator<String, String, String> operator = new KeyedProcessOperator<String, String, String>(remind) {
      public boolean useInterruptibleTimers(ReadableConfig c) { return interruptible; }
    };
    Lab.window(l.orders(Lab.bounded(2), 2).keyBy(Lab::key).transform("Reminders", Types.STRING, operator).setParallelism(2), 2);
  }
}
