import java.time.Duration;
import java.util.*;
import org.apache.flink.api.common.eventtime.*;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.configuration.*;
import org.apache.flink.connector.kafka.source.*;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** DataStream half of the watermark lab: Lab KAFKA SCENARIO TOPIC. One event-time situation a scenario; records are "key,epochMillis". */
public class Lab {
  /** What a scenario builds on. Settings made in conf before env() is called take effect. */
  interface Scenario { void build(Lab l) throws Exception; }

  final String boot, scenario, topic;
  final Configuration conf = new Configuration();
  private StreamExecutionEnvironment env;
  String jobName;

  Lab(String boot, String scenario, String topic) {
    this.boot = boot;
    this.scenario = scenario;
    this.topic = topic;
    this.jobName = "lab-" + scenario;
  }

  StreamExecutionEnvironment env() {
    if (env == null) env = StreamExecutionEnvironment.getExecutionEnvironment(conf);
    return env;
  }

  static long field(String r) { return Long.parseLong(r.substring(r.indexOf(',') + 1)); }
  static String key(String r) { return r.substring(0, r.indexOf(',')); }

  static WatermarkStrategy<String> bounded(long seconds) {
    return WatermarkStrategy.<String>forBoundedOutOfOrderness(Duration.ofSeconds(seconds)).withTimestampAssigner((r, t) -> field(r));
  }

  static WatermarkStrategy<String> idle(long boundSeconds, long idleSeconds) {
    return bounded(boundSeconds).withIdleness(Duration.ofSeconds(idleSeconds));
  }

  KafkaSourceBuilder<String> kafka(String topic) {
    return KafkaSource.<String>builder().setBootstrapServers(boot).setTopics(topic).setGroupId("lab-" + topic)
        .setStartingOffsets(OffsetsInitializer.earliest()).setValueOnlyDeserializer(new SimpleStringSchema());
  }

  DataStream<String> source(String topic, WatermarkStrategy<String> strategy, String name, int p) {
    return env().fromSource(kafka(topic).build(), strategy, name).setParallelism(p);
  }

  DataStream<String> orders(WatermarkStrategy<String> strategy, int p) { return source(topic, strategy, "Orders", p); }

  static DataStream<String> pause(DataStream<String> in, String name, int p, long ms) {
    return in.map(r -> { Thread.sleep(ms); return r; }).name(name).setParallelism(p);
  }

  static void window(DataStream<String> in, int p) {
    Compat.discard(in.keyBy(Lab::key).window(Compat.tumble(10)).reduce((a, b) -> b).name("Window10s").setParallelism(p), p);
  }

  public static void main(String[] a) throws Exception {
    Map<String, Scenario> all = new TreeMap<>();
    Quiet.add(all);
    Values.add(all);
    Holds.add(all);
    Aligned.add(all);
    Late.add(all);
    Life.add(all);
    Tables.add(all);
    Scenario s = all.get(a[1]);
    if (s == null) throw new IllegalArgumentException("unknown scenario " + a[1] + ", there are " + all.keySet());
    Lab l = new Lab(a[0], a[1], a[2]);
    s.build(l);
    if (l.jobName != null) l.env().execute(l.jobName);
  }
}
