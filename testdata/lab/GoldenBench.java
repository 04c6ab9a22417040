import java.time.Duration;
import org.apache.flink.api.common.eventtime.*;
import org.apache.flink.api.connector.source.*;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.streaming.api.operators.source.TimestampsAndWatermarks;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.streamrecord.*;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * The schedule of BenchmarkSource through Flink's own classes in a plain, warmed-up loop: 8 splits, bound 5 s, idleness
 * 60 s, emission every 200 ms of a manual clock. Prints millions of records a second, best of the rounds. Records are boxed
 * once, beforehand, so that the loop measures Flink and not the allocation of Long. Usage: GoldenBench [ROUNDS]
 */
public class GoldenBench {
  static final class Sink implements DataOutput<Long> {
    long records, watermarks;
    public void emitRecord(StreamRecord<Long> r) { records++; }
    public void emitWatermark(org.apache.flink.streaming.api.watermark.Watermark w) { watermarks++; }
    public void emitWatermarkStatus(WatermarkStatus s) { }
    public void emitLatencyMarker(LatencyMarker m) { }
    public void emitRecordAttributes(RecordAttributes a) { }
    public void emitWatermark(org.apache.flink.runtime.event.WatermarkEvent e) { }
  }

  public static void main(String[] a) throws Exception {
    int n = 1 << 20, rounds = a.length > 0 ? Integer.parseInt(a[0]) : 60;
    int[] split = new int[n]; Long[] ts = new Long[n]; long seed = 88172645463325252L;
    for (int i = 0; i < n; i++) {
      seed ^= seed << 13; seed ^= seed >>> 7; seed ^= seed << 17;
      split[i] = (int) (seed >>> 5) & 7; ts[i] = 1700000000000L + i / 16 - (seed >>> 40) % 2000;
    }
    Golden.Time time = new Golden.Time(); Sink sink = new Sink();
    WatermarkStrategy<Long> st = WatermarkStrategy.<Long>forBoundedOutOfOrderness(Duration.ofSeconds(5)).withTimestampAssigner((x, t) -> t).withIdleness(Duration.ofSeconds(60));
    TimestampsAndWatermarks<Long> logic = TimestampsAndWatermarks.createProgressiveEventTimeLogic(st, UnregisteredMetricGroups.createUnregisteredOperatorMetricGroup(), time, 200,
        new org.apache.flink.streaming.api.operators.util.PausableRelativeClock(time.clock), time.clock, UnregisteredMetricGroups.createUnregisteredTaskMetricGroup().getIOMetricGroup());
    ReaderOutput<Long> main = logic.createMainOutput(sink, Golden.NONE); logic.startPeriodicWatermarkEmits();
    @SuppressWarnings("unchecked") SourceOutput<Long>[] outs = new SourceOutput[8];
    for (int i = 0; i < 8; i++) outs[i] = main.createOutputForSplit("p" + i);
    double best = 0; long clock = 0;
    for (int round = 0; round < rounds; round++) {
      long start = System.nanoTime();
      for (int i = 0; i < n; i++) {
        if ((i & 127) == 0) time.advanceTo(++clock);
        Long x = ts[i]; outs[split[i]].collect(x, x);
      }
      best = Math.max(best, n / ((System.nanoTime() - start) / 1e3));
    }
    if (sink.watermarks == 0 || sink.records != (long) n * rounds) throw new IllegalStateException("nothing measured");
    System.out.printf("flink %.1f Mrecords/s%n", best);
  }
}
