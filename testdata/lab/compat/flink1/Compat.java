import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.apache.flink.streaming.api.windowing.assigners.*;
import org.apache.flink.streaming.api.windowing.time.Time;

/** Spellings of the DataStream API that differ between Flink 1.x and 2.x. */
final class Compat {
  static TumblingEventTimeWindows tumble(long seconds) { return TumblingEventTimeWindows.of(Time.seconds(seconds)); }
  static <T, K, W extends org.apache.flink.streaming.api.windowing.windows.Window> WindowedStream<T, K, W> late(WindowedStream<T, K, W> w, long ms) { return w.allowedLateness(Time.milliseconds(ms)); }
  static TumblingEventTimeWindows tumbleMs(long ms) { return TumblingEventTimeWindows.of(Time.milliseconds(ms)); }
  static EventTimeSessionWindows session(long seconds) { return EventTimeSessionWindows.withGap(Time.seconds(seconds)); }
  static KeyedStream.IntervalJoined<String, String, String> between(KeyedStream.IntervalJoin<String, String, String> j, long lower, long upper) {
    return j.between(Time.seconds(lower), Time.seconds(upper));
  }
  static <T> Pattern<T, T> within(Pattern<T, T> p, long seconds) { return p.within(Time.seconds(seconds)); }
  static void discard(DataStream<String> in, int p) { in.addSink(new DiscardingSink<>()).name("Sink").setParallelism(p); }
  static String restartKey() { return "restart-strategy"; }
}
