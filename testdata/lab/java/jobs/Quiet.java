import java.time.Duration;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.connector.base.source.hybrid.HybridSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.co.*;
import org.apache.flink.util.Collector;

/** Somebody who should speak is silent: a split, a subtask, an input, everybody. Each beside a twin in which silence is declared. */
final class Quiet {
  static void add(Map<String, Lab.Scenario> all) {
    all.put("healthy", l -> Lab.window(l.orders(Lab.idle(2, 5), 2), 2));
    all.put("plain", l -> Lab.window(l.orders(Lab.bounded(2), 2), 2));
    all.put("idle-partition", l -> Lab.window(l.orders(Lab.bounded(2), 4), 2));
    all.put("idle-partition-shared", l -> Lab.window(l.orders(Lab.bounded(2), 2), 2));
    all.put("idle-partition-declared", l -> Lab.window(l.orders(Lab.idle(2, 3), 4), 2));
    all.put("sparse", l -> Lab.window(l.orders(Lab.idle(2, 60), 2), 2));
    all.put("over-parallel", l -> Lab.window(l.orders(Lab.bounded(2), 4), 2));
    all.put("over-parallel-declared", l -> Lab.window(l.orders(Lab.idle(2, 3), 4), 2));
    all.put("over-parallel-mended", l -> Lab.window(l.orders(Lab.bounded(2), 2), 2));
    all.put("all-quiet", l -> Lab.window(l.orders(Lab.idle(2, 3), 2), 2));
    all.put("all-quiet-plain", l -> Lab.window(l.orders(Lab.bounded(2), 2), 2));
    all.put("chain", l -> Lab.window(l.orders(Lab.bounded(2), 4)
        .rebalance().map(r -> r).name("Enrich").setParallelism(3)
        .rebalance().map(r -> r).name("Clean").setParallelism(2), 2));
    all.put("rebalance-after-assigner", all.get("chain"));
    all.put("quiet-union", l -> Lab.window(l.orders(Lab.bounded(2), 2).union(l.source("orders-quiet", Lab.bounded(2), "Refunds", 1)), 2));
    all.put("quiet-union-declared", l -> Lab.window(l.orders(Lab.bounded(2), 2).union(l.source("orders-quiet", Lab.idle(2, 3), "Refunds", 2)), 2));
    all.put("unaligned-replay", l -> Lab.window(l.source(l.topic, Lab.bounded(2), "Slow", 1).union(l.source(l.topic + "-fast", Lab.bounded(2), "Fast", 1)), 2));
    all.put("control-stream", l -> rules(l, WatermarkStrategy.noWatermarks()));
    all.put("control-stream-declared", l -> rules(l, WatermarkStrategy.<String>noWatermarks().withIdleness(Duration.ofSeconds(2))));
    all.put("quiet-connect", l -> rules(l, Lab.bounded(2)));
    all.put("quiet-join", l -> join(l, l.source("orders-quiet", Lab.bounded(2), "Payments", 2)));
    all.put("quiet-join-stopped", l -> join(l, l.source("one-shot", Lab.bounded(2), "Payments", 2)));
    all.put("quiet-join-declared", l -> join(l, l.source("orders-quiet", Lab.idle(2, 3), "Payments", 2)));
    all.put("join-healthy", l -> join(l, l.source("two", Lab.bounded(2), "Payments", 2)));
    all.put("quiet-join-idle-partition", l -> join(l, l.source("orders-quiet", Lab.bounded(2), "Payments", 2)));
    all.put("partition-added", l -> Lab.window(growing(l), 2));
    all.put("partition-added-silent", all.get("partition-added"));
    all.put("lost-split", Quiet::hybrid);
  }

  /** A source that looks for new partitions every few seconds. */
  static DataStream<String> growing(Lab l) {
    return l.env().fromSource(l.kafka(l.topic).setProperty("partition.discovery.interval.ms", "5000").build(), Lab.bounded(2), "Orders").setParallelism(2);
  }

  /** Broadcast rules connected to the orders: the rules' strategy decides whether event time moves. */
  static void rules(Lab l, WatermarkStrategy<String> strategy) {
    DataStream<String> rules = l.source("orders-quiet", strategy, "Rules", 1);
    Lab.window(l.orders(Lab.bounded(2), 2).connect(rules.broadcast()).flatMap(new CoFlatMapFunction<String, String, String>() {
      public void flatMap1(String v, Collector<String> o) { o.collect(v); }
      public void flatMap2(String v, Collector<String> o) { }
    }).name("ApplyRules").setParallelism(2), 2);
  }

  static void join(Lab l, DataStream<String> payments) {
    Compat.discard(Compat.between(l.orders(Lab.bounded(2), 2).keyBy(Lab::key).intervalJoin(payments.keyBy(Lab::key)), -60, 30)
        .process(new ProcessJoinFunction<String, String, String>() {
          public void processElement(String x, String y, Context c, Collector<String> o) { o.collect(x); }
        }).name("OrderPayment").setParallelism(2), 2);
  }

  /** History of four partitions, then live data of two: the readers that only had history keep its watermark for ever (FLINK-39586). */
  static void hybrid(Lab l) {
    HybridSource<String> source = HybridSource.builder(l.kafka("hist").setBounded(OffsetsInitializer.latest()).build())
        .addSource(l.kafka(l.topic).build()).build();
    // The pause lets the history last longer than an emission interval: a split that ends within one leaves no watermark behind.
    Lab.window(Lab.pause(l.env().fromSource(source, Lab.idle(2, 3), "HybridOrders", org.apache.flink.api.common.typeinfo.Types.STRING).setParallelism(4), "Parse", 4, 10), 2);
  }
}
