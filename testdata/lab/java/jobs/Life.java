import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.connector.datagen.source.*;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.DataStream;

/** Life of a job: restarts, failures, bounded inputs, batch, a start a moment ago. */
final class Life {
  static void add(Map<String, Lab.Scenario> all) {
    all.put("restarts", l -> { restart(l, "1000"); l.conf.setString("execution.checkpointing.interval", "5 s"); Lab.window(poison(l, 20000), 2); });
    all.put("survives", l -> { restart(l, "1000"); Lab.window(l.orders(Lab.idle(2, 5), 2), 2); });
    all.put("failed", l -> { restart(l, "2"); Lab.window(poison(l, 3000), 2); });
    all.put("crash-loop", l -> { restart(l, "1000"); Lab.window(poison(l, 1000), 2); });
    all.put("no-timestamps", l -> { restart(l, "1000"); Lab.window(generated(l, WatermarkStrategy.noWatermarks()), 2); });
    all.put("warming-up", l -> Lab.window(l.orders(Lab.bounded(2), 4), 2));
    all.put("bounded", l -> Lab.window(history(l).union(l.source(l.topic, Lab.bounded(2), "Live", 2)), 2));
    all.put("bounded-idle-max", l -> Lab.window(history(l).union(l.source("orders-quiet", Lab.idle(2, 3), "Live", 2)), 2));
    all.put("batch", l -> { l.conf.setString("execution.runtime-mode", "BATCH"); Lab.window(Lab.pause(history(l), "Parse", 2, 50), 2); });
    all.put("generated", l -> Lab.window(generated(l, Lab.bounded(2)), 2));
  }

  static void restart(Lab l, String attempts) {
    l.conf.setString(Compat.restartKey(), "fixed-delay");
    l.conf.setString("restart-strategy.fixed-delay.attempts", attempts);
    l.conf.setString("restart-strategy.fixed-delay.delay", "3 s");
  }

  /** Fails once it has lived that long. */
  static DataStream<String> poison(Lab l, long ms) {
    return l.orders(Lab.bounded(2), 2).map(new MapFunction<String, String>() {
      long from = -1;
      public String map(String r) {
        if (from < 0) from = System.currentTimeMillis();
        if (System.currentTimeMillis() - from > ms) throw new RuntimeException("poison pill");
        return r;
      }
    }).name("Parse").setParallelism(2);
  }

  static DataStream<String> history(Lab l) {
    return l.env().fromSource(l.kafka(l.topic).setBounded(OffsetsInitializer.latest()).build(), Lab.bounded(2), "History").setParallelism(2);
  }

  /** A source whose records carry no timestamp of their own, unlike Kafka's. */
  static DataStream<String> generated(Lab l, WatermarkStrategy<String> s) {
    return l.env().fromSource(new DataGeneratorSource<>(i -> "k" + i % 17 + "," + System.currentTimeMillis(), Long.MAX_VALUE, RateLimiterStrategy.perSecond(40), Types.STRING), s, "Generated").setParallelism(2);
  }
}
