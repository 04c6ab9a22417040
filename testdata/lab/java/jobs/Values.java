import java.util.*;
import org.apache.flink.api.common.eventtime.*;
import org.apache.flink.cep.*;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.util.Collector;

/** Event time that is absent or has the wrong value: no strategy, wrong unit, wrong zone, zero, the future, the wall clock. */
final class Values {
  static void add(Map<String, Lab.Scenario> all) {
    all.put("no-strategy", l -> Lab.window(l.orders(none(), 2), 2));
    all.put("custom-never-emits", l -> Lab.window(l.orders(generator(Values::silent), 2), 2));
    all.put("interval-zero", l -> { l.conf.set(PipelineOptions.AUTO_WATERMARK_INTERVAL, java.time.Duration.ZERO); Lab.window(l.orders(Lab.bounded(2), 2), 2); });
    all.put("swallowed", l -> Lab.window(restamped(l.orders(Lab.bounded(2), 2)), 2));
    all.put("swallowed-unchained", l -> Lab.window(restamped(l.orders(Lab.bounded(2), 2).rebalance()), 2));
    all.put("no-event-time", l -> Compat.discard(l.orders(WatermarkStrategy.noWatermarks(), 2).rebalance().map(r -> r).name("Enrich").setParallelism(2), 2));
    all.put("cep", l -> cep(l.orders(Lab.bounded(2), 2)));
    all.put("cep-no-strategy", l -> cep(l.orders(none(), 2)));
    all.put("downstream-assigner", l -> Lab.window(assigner(l, 2), 2));
    all.put("downstream-skewed", l -> Lab.window(assigner(l, 2), 2));
    all.put("downstream-rebalanced", l -> Lab.window(l.orders(WatermarkStrategy.noWatermarks(), 2).rebalance().map(r -> r).name("Parse").setParallelism(3)
        .assignTimestampsAndWatermarks(Lab.bounded(2)).setParallelism(3), 2));
    all.put("seconds-as-millis", l -> Lab.window(l.orders(bounded(r -> Lab.field(r) / 1000), 2), 2));
    all.put("millis-as-seconds", l -> Lab.window(l.orders(bounded(r -> Lab.field(r) * 1000), 2), 2));
    all.put("mixed-units", l -> Lab.window(l.orders(Lab.bounded(2), 2), 2));
    all.put("micros", l -> Lab.window(l.orders(bounded(r -> Lab.field(r) * 1_000_000), 2), 2));
    all.put("zone-ahead", l -> Lab.window(l.orders(bounded(r -> Lab.field(r) + 8 * 3_600_000L), 2), 2));
    all.put("zone-behind", l -> Lab.window(l.orders(bounded(r -> Lab.field(r) - 19_800_000L), 2), 2));
    all.put("zone-one-source", l -> Lab.window(l.orders(Lab.bounded(2), 2)
        .union(l.source("two", bounded(r -> Lab.field(r) - 7_200_000L), "Refunds", 2)), 2));
    all.put("epoch-zero", l -> Lab.window(l.orders(Lab.bounded(2), 2), 2));
    all.put("epoch-zero-union", l -> Lab.window(l.orders(Lab.bounded(2), 2).union(l.source("zeros", Lab.bounded(2), "Snapshot", 1)), 2));
    all.put("future-record", l -> Lab.window(l.orders(Lab.bounded(2), 2), 2));
    all.put("future-latent", l -> Lab.window(l.orders(Lab.bounded(2), 2), 2));
    all.put("wall-clock", l -> Lab.window(l.orders(generator(Values::clock), 2), 2));
    all.put("wall-clock-live", l -> Lab.window(l.orders(generator(Values::clock), 2), 2));
    all.put("source-max", l -> Lab.window(l.orders(generator(Values::end), 2), 2));
    all.put("hostile-names", Values::hostile);
  }

  interface Stamp extends java.io.Serializable { long of(String r); }
  interface Emit extends java.io.Serializable { void emit(long max, WatermarkOutput out); }

  static WatermarkStrategy<String> none() { return WatermarkStrategy.<String>noWatermarks().withTimestampAssigner((r, t) -> Lab.field(r)); }

  static WatermarkStrategy<String> bounded(Stamp s) {
    return WatermarkStrategy.<String>forBoundedOutOfOrderness(java.time.Duration.ofSeconds(2)).withTimestampAssigner((r, t) -> s.of(r));
  }

  static void silent(long max, WatermarkOutput out) { }
  static void clock(long max, WatermarkOutput out) { out.emitWatermark(new Watermark(System.currentTimeMillis() - 2000)); }
  static void end(long max, WatermarkOutput out) { if (max > 0) out.emitWatermark(Watermark.MAX_WATERMARK); }

  static WatermarkStrategy<String> generator(Emit e) {
    return WatermarkStrategy.<String>forGenerator(c -> new WatermarkGenerator<String>() {
      long max;
      public void onEvent(String r, long t, WatermarkOutput o) { max = Math.max(max, t); }
      public void onPeriodicEmit(WatermarkOutput o) { e.emit(max, o); }
    }).withTimestampAssigner((r, t) -> Lab.field(r));
  }

  static DataStream<String> assigner(Lab l, int p) {
    return l.orders(WatermarkStrategy.noWatermarks(), p).map(r -> r).name("Parse").setParallelism(p)
        .assignTimestampsAndWatermarks(Lab.bounded(2)).setParallelism(p);
  }

  /** A second assigner that emits nothing and takes every watermark of the source off. */
  static DataStream<String> restamped(DataStream<String> in) { return in.assignTimestampsAndWatermarks(none()).setParallelism(2); }

  static void cep(DataStream<String> in) {
    Pattern<String, String> p = Pattern.<String>begin("a").where(SimpleCondition.of(r -> Lab.field(r) % 2 == 0))
        .next("b").where(SimpleCondition.of(r -> Lab.field(r) % 2 == 1));
    Compat.discard(CEP.pattern(in.keyBy(Lab::key), Compat.within(p, 30)).process(new PatternProcessFunction<String, String>() {
      public void processMatch(Map<String, List<String>> m, Context c, Collector<String> o) { o.collect(m.get("b").get(0)); }
    }), 1);
  }

  /** Names are foreign input: markup, control characters, right-to-left text and length, on a job that is also stuck. */
  static void hostile(Lab l) {
    l.jobName = "lab-hostile-names <script>alert(1)</script> \u202etxet\u202c \u001b[31mred\u001b[0m";
    Lab.window(l.source("silent3", Lab.bounded(2), "<img src=x onerror=alert(1)> \u0007\u001b]0;title\u0007 \u05e9\u05dc\u05d5\u05dd " + "x".repeat(300), 4)
        .rebalance().map(r -> r).name("a|b & \"quoted\" `code` ${HOME} %s\n::error::line two").setParallelism(2), 2);
  }
}
