import java.time.Duration;
import java.util.*;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.functions.co.ProcessJoinFunction;
import org.apache.flink.util.Collector;

/**
 * A job whose event time is all settings, so that one of them can be changed: WhatIf KAFKA JOB KIND SOURCE... with KIND
 * window (a union before a window of 10 s) or join (an interval join of two), SOURCE = name|topic|parallelism[|key=value]...
 *
 * delay=MS idle=MS   of the strategy, delay 0 without          drift=MS   alignment in the group shop
 * place=downstream   the strategy stands behind the source     lateness=MS   of the window, at any source
 */
public final class WhatIf {
  public static void main(String[] a) throws Exception {
    Lab l = new Lab(a[0], a[1], "");
    List<DataStream<String>> all = new ArrayList<>();
    long lateness = 0;
    for (String text : Arrays.asList(a).subList(3, a.length)) {
      String[] parts = text.split("\\|");
      Map<String, String> o = new HashMap<>();
      for (String p : Arrays.asList(parts).subList(3, parts.length)) o.put(p.substring(0, p.indexOf('=')), p.substring(p.indexOf('=') + 1));
      lateness = Math.max(lateness, number(o, "lateness"));
      all.add(source(l, parts[0], parts[1], Integer.parseInt(parts[2]), o));
    }
    if (a[2].equals("join")) join(all.get(0), all.get(1));
    else {
      DataStream<String> in = all.get(0);
      for (DataStream<String> more : all.subList(1, all.size())) in = in.union(more);
      WindowedStream<String, String, org.apache.flink.streaming.api.windowing.windows.TimeWindow> w = in.keyBy(Lab::key).window(Compat.tumble(10));
      Compat.discard(Compat.late(w, lateness).reduce((x, y) -> y).name("Window10s").setParallelism(2), 2);
    }
    l.env().execute(a[1]);
  }

  static long number(Map<String, String> o, String key) { return Long.parseLong(o.getOrDefault(key, "0")); }

  static DataStream<String> source(Lab l, String name, String topic, int p, Map<String, String> o) {
    WatermarkStrategy<String> s = WatermarkStrategy.<String>forBoundedOutOfOrderness(Duration.ofMillis(number(o, "delay"))).withTimestampAssigner((r, t) -> Lab.field(r));
    if (o.containsKey("idle")) s = s.withIdleness(Duration.ofMillis(number(o, "idle")));
    if (o.containsKey("drift")) s = s.withWatermarkAlignment("shop", Duration.ofMillis(number(o, "drift")), Duration.ofSeconds(1));
    if (!o.containsKey("place")) return l.source(topic, s, name, p);
    return l.source(topic, WatermarkStrategy.noWatermarks(), name, p).assignTimestampsAndWatermarks(s).setParallelism(p);
  }

  static void join(DataStream<String> orders, DataStream<String> payments) {
    Compat.discard(Compat.between(orders.keyBy(Lab::key).intervalJoin(payments.keyBy(Lab::key)), -60, 30)
        .process(new ProcessJoinFunction<String, String, String>() {
          public void processElement(String x, String y, Context c, Collector<String> o) { o.collect(x); }
        }).name("OrderPayment").setParallelism(2), 2);
  }
}
