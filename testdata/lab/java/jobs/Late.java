import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.util.OutputTag;

/** Records behind the watermark: counted, no longer rising, kept in a side output, dropped without a counter, made late by a false idle. */
final class Late {
  static void add(Map<String, Lab.Scenario> all) {
    all.put("late", l -> Lab.window(l.orders(Lab.bounded(2), 2), 2));
    all.put("late-past", l -> Lab.window(l.orders(Lab.bounded(2), 2), 2));
    all.put("late-monotonous", l -> Lab.window(l.orders(WatermarkStrategy.<String>forMonotonousTimestamps().withTimestampAssigner((r, t) -> Lab.field(r)), 2), 2));
    // One record in fifty is up to 20 s behind the others: bounds that do not cover them, that do, and that are far above.
    all.put("rare-late", l -> Lab.window(l.orders(Lab.bounded(2), 2), 2));
    all.put("rare-late-covered", l -> Lab.window(l.orders(Lab.bounded(40), 2), 2));
    all.put("rare-late-far", l -> Lab.window(l.orders(Lab.bounded(600), 2), 2));
    all.put("late-side-output", Late::sideOutput);
    all.put("late-uncounted", l -> Quiet.join(l, l.source("two", Lab.bounded(2), "Payments", 2)));
    // One reader with four partitions of backlog and a slow function chained behind it: partitions wait their turn longer than the idle timeout.
    all.put("false-idle", l -> Lab.window(Lab.pause(l.orders(Lab.idle(2, 1), 1), "Parse", 1, 20), 2));
    all.put("resumes-old", l -> Lab.window(l.orders(Lab.idle(2, 5), 2), 2));
  }

  static void sideOutput(Lab l) {
    OutputTag<String> late = new OutputTag<String>("late") { };
    SingleOutputStreamOperator<String> out = l.orders(Lab.bounded(2), 2).keyBy(Lab::key).window(Compat.tumble(10)).sideOutputLateData(late)
        .reduce((a, b) -> b).name("Window10s").setParallelism(2);
    Compat.discard(out, 2);
    Compat.discard(out.getSideOutput(late).map(r -> r).name("LateOrders").setParallelism(1), 1);
  }
}
