import java.util.*;
import java.util.concurrent.*;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.producer.*;

/**
 * Load for the lab: Produce BOOT SECONDS SPEC..., SPEC = topic:partitions:rate:key=value,...
 * A record is "key,epochMillis"; rate is records a second over all partitions, written round robin.
 *
 * silent=P+Q       partitions never written          stopAfter=P@SEC  that partition falls silent
 * end=SEC          the whole topic falls silent      pause=A@B        silent between those seconds
 * lateMs=N         uniform disorder                  lateUntil=SEC    disorder ends then
 * lateEvery=N      of one record in N only
 * shiftMs=N        constant shift of event time      slow=P@MS        that partition's event time trails
 * future=SEC       one record ten years ahead then   futureOn=P       on that partition, else on every one
 * backfillMin=N    history, a record every 100 ms    stepMs=N         another spacing of the history
 * zero=1           event time 0                      once=N           N records at the start
 * json=1           keyed JSON {"v":n,"ms":epochMillis} for upsert-kafka
 * oldAfter=SEC@MS  from then on event time trails by MS
 * oldOn=P          on that partition, else on every one
 * secondsOn=P      that partition's event time is in seconds
 * grow=N@SEC       N partitions from then on
 */
public class Produce {
  public static void main(String[] a) throws Exception {
    Properties p = new Properties();
    p.put("bootstrap.servers", a[0]);
    p.put("acks", "1");
    p.put("linger.ms", "5");
    p.put("key.serializer", "org.apache.kafka.common.serialization.StringSerializer");
    p.put("value.serializer", "org.apache.kafka.common.serialization.StringSerializer");
    long end = System.currentTimeMillis() + Long.parseLong(a[1]) * 1000;
    try (Admin admin = Admin.create(p); KafkaProducer<String, String> out = new KafkaProducer<>(p)) {
      List<Topic> topics = new ArrayList<>();
      for (String spec : Arrays.asList(a).subList(2, a.length)) topics.add(new Topic(spec, out));
      for (Topic t : topics) {
        try {
          admin.createTopics(List.of(new NewTopic(t.name, t.partitions, (short) 1))).all().get();
        } catch (ExecutionException e) {
          System.out.println(t.name + ": " + e.getCause().getMessage());
        }
      }
      for (Topic t : topics) t.history();
      out.flush();
      System.out.println("ready");
      while (System.currentTimeMillis() < end) {
        for (Topic t : topics) t.tick(System.currentTimeMillis(), admin);
        Thread.sleep(10);
      }
    }
  }

  static final class Topic {
    final String name;
    final int rate;
    final Map<String, String> options = new HashMap<>();
    final Set<Integer> silent = new HashSet<>();
    final Set<Integer> poisoned = new HashSet<>();
    final KafkaProducer<String, String> out;
    final Random random = new Random(7);
    int partitions;
    long start = -1, n = 0;

    Topic(String spec, KafkaProducer<String, String> out) {
      String[] f = spec.trim().split(":");
      this.name = f[0];
      this.partitions = Integer.parseInt(f[1]);
      this.rate = Integer.parseInt(f[2]);
      this.out = out;
      if (f.length > 3) for (String kv : f[3].split(",")) options.put(kv.split("=")[0], kv.split("=", 2)[1]);
      if (options.containsKey("silent")) for (String s : options.get("silent").split("\\+")) silent.add(Integer.parseInt(s));
    }

    long number(String key, long otherwise) { return Long.parseLong(options.getOrDefault(key, "" + otherwise)); }

    long[] pair(String key, String otherwise) {
      String[] x = options.getOrDefault(key, otherwise).split("@");
      return new long[] {Long.parseLong(x[0]), Long.parseLong(x[1])};
    }

    void send(int partition, long i, long ts) {
      String key = "k" + i % 17;
      if (options.containsKey("json")) out.send(new ProducerRecord<>(name, partition, key, "{\"v\":" + i + ",\"ms\":" + ts + "}"));
      else out.send(new ProducerRecord<>(name, partition, null, key + "," + ts));
    }

    void history() {
      long now = System.currentTimeMillis(), step = number("stepMs", 100);
      for (long t = now - number("backfillMin", 0) * 60000; t < now; t += step) {
        int q = (int) (t / step % partitions);
        if (!silent.contains(q)) send(q, t / step, t);
      }
      for (long i = 0; i < number("once", 0); i++) send((int) (i % partitions), i, stamp((int) (i % partitions), now, 0));
    }

    long stamp(int q, long now, long elapsed) {
      if (options.containsKey("zero")) return 0;
      long late = elapsed > 1000 * number("lateUntil", Long.MAX_VALUE / 1000) ? 0 : number("lateMs", 0);
      boolean behind = late > 0 && (!options.containsKey("lateEvery") || random.nextInt((int) number("lateEvery", 1)) == 0);
      long ts = now + number("shiftMs", 0) - (behind ? (long) (random.nextDouble() * late) : 0);
      long[] slow = pair("slow", "-1@0"), old = pair("oldAfter", "-1@0");
      if (q == slow[0]) ts -= slow[1];
      if (old[0] >= 0 && elapsed > 1000 * old[0] && q == number("oldOn", q)) ts -= old[1];
      if (elapsed > 1000 * number("future", Long.MAX_VALUE / 1000) && q == number("futureOn", q) && poisoned.add(q)) ts += 315360000000L;
      return q == number("secondsOn", -1) ? ts / 1000 : ts;
    }

    void tick(long now, Admin admin) throws Exception {
      if (start < 0) start = now;
      long elapsed = now - start, due = rate * elapsed / 1000;
      long[] stop = pair("stopAfter", "-1@0"), pause = pair("pause", "-1@-1"), grow = pair("grow", "0@0");
      if (partitions < grow[0] && elapsed > 1000 * grow[1]) {
        partitions = (int) grow[0];
        try {
          admin.createPartitions(Map.of(name, NewPartitions.increaseTo(partitions))).all().get();
        } catch (ExecutionException e) {
          System.out.println(name + ": " + e.getCause().getMessage()); // an earlier load made it grow
        }
      }
      for (; n < due; n++) {
        int q = (int) (n % partitions);
        if (silent.contains(q) || elapsed > 1000 * number("end", Long.MAX_VALUE / 1000)) continue;
        if (q == stop[0] && elapsed > 1000 * stop[1]) continue;
        if (elapsed > 1000 * pause[0] && elapsed < 1000 * pause[1]) continue;
        send(q, n, stamp(q, now, elapsed));
      }
    }
  }
}
