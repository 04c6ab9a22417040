//go:build lab

package cmd

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/kafkastats/advise"
)

// A real broker, started from Maven artifacts on ports of its own; LAB_HOME says where its jars are kept:
//
//	go test -tags lab -run Lab ./cmd
const (
	labPlain, labController, labSASL, labTLS = "127.0.0.1:29092", "127.0.0.1:29093", "127.0.0.1:29094", "127.0.0.1:29095"
	labPOM                                   = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>lab</groupId><artifactId>jars</artifactId><version>1</version><dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>4.3.1</version></dependency>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>4.3.1</version></dependency>
<dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency></dependencies></project>`
)

// brokerJars gives the directory of the jars, which are resolved once.
func brokerJars(t testing.TB) string {
	t.Helper()
	home := os.Getenv("LAB_HOME")
	if home == "" {
		cache, err := os.UserCacheDir()
		must(t, err)
		home = filepath.Join(cache, "tidemark-lab")
	}
	lib := filepath.Join(home, "kafka", "lib")
	if _, err := os.Stat(lib); err != nil {
		pom := filepath.Join(home, "kafka", "pom.xml")
		must(t, os.MkdirAll(filepath.Dir(pom), 0o755))
		must(t, os.WriteFile(pom, []byte(labPOM), 0o644))
		command(t, "mvn", "-q", "-B", "-f", pom, "dependency:copy-dependencies", "-DoutputDirectory="+lib)
	}
	return lib
}

// startBroker gives the directory with the client's certificates; the broker dies with the test.
func startBroker(t testing.TB) string {
	t.Helper()
	lib := brokerJars(t)
	dir := t.TempDir()
	cert, key := labCertificate(t)
	store := filepath.Join(dir, "server.pem")
	must(t, os.WriteFile(store, append(key, cert...), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "ca.pem"), cert, 0o600))
	config := filepath.Join(dir, "server.properties")
	must(t, os.WriteFile(config, []byte(strings.Join([]string{
		"process.roles=broker,controller", "node.id=1", "controller.quorum.voters=1@" + labController,
		"listeners=PLAINTEXT://" + labPlain + ",CONTROLLER://" + labController + ",SASL_PLAINTEXT://" + labSASL + ",SSL://" + labTLS,
		"advertised.listeners=PLAINTEXT://" + labPlain + ",SASL_PLAINTEXT://" + labSASL + ",SSL://" + labTLS,
		"controller.listener.names=CONTROLLER", "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SSL:SSL",
		"log.dirs=" + filepath.Join(dir, "data"), "offsets.topic.replication.factor=1", "transaction.state.log.replication.factor=1", "transaction.state.log.min.isr=1",
		"sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-512", `listener.name.sasl_plaintext.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_ann="s3cret";`,
		"listener.name.sasl_plaintext.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;",
		"ssl.keystore.type=PEM", "ssl.keystore.location=" + store, "log.cleaner.backoff.ms=500", "log.cleaner.min.cleanable.ratio=0.01", "log.retention.check.interval.ms=1000",
	}, "\n")), 0o600))
	classes := filepath.Join(lib, "*")
	command(t, "java", "-cp", classes, "kafka.tools.StorageTool", "format", "-t", "tidemark-lab-cluster00", "-c", config, "--add-scram", "SCRAM-SHA-512=[name=bob,password=s3cret]")
	logFile, err := os.Create(filepath.Join(dir, "kafka.log"))
	must(t, err)
	broker := exec.Command("java", "-Xmx768m", "-cp", classes, "kafka.Kafka", config)
	broker.Stdout, broker.Stderr = logFile, logFile
	broker.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	must(t, broker.Start())
	t.Cleanup(func() { _ = broker.Process.Kill(); _ = broker.Wait() })
	for range 480 { // four minutes, as the machine may be busy
		if c, err := net.Dial("tcp", labTLS); err == nil {
			_ = c.Close()
			time.Sleep(time.Second)
			return dir
		}
		time.Sleep(500 * time.Millisecond)
	}
	text, _ := os.ReadFile(logFile.Name())
	t.Fatalf("the broker does not start: %.2000s", text)
	return ""
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func command(t testing.TB, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
}

func labCertificate(t testing.TB) (cert, key []byte) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	must(t, err)
	tpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "lab"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(crand.Reader, tpl, tpl, &k.PublicKey, k)
	must(t, err)
	kb, err := x509.MarshalPKCS8PrivateKey(k)
	must(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: kb})
}

func labTopic(t testing.TB, cl *kgo.Client, name string, partitions int32, config map[string]*string) {
	t.Helper()
	res, err := kadm.NewClient(cl).CreateTopic(context.Background(), partitions, 1, config, name)
	must(t, err)
	must(t, res.Err)
}

func labProduce(t testing.TB, cl *kgo.Client, topic string, partition int32, ps []planted, pad string) {
	t.Helper()
	rs := make([]*kgo.Record, 0, len(ps))
	for i, x := range ps {
		rs = append(rs, &kgo.Record{Topic: topic, Partition: partition, Timestamp: time.UnixMilli(x.at), Value: fmt.Appendf(nil, `{"id":%d,"event_time":%d%s}`, i, x.event, pad)})
	}
	must(t, cl.ProduceSync(context.Background(), rs...).FirstErr())
}

func TestLabRealBroker(t *testing.T) {
	dir := startBroker(t)
	cl, err := kgo.NewClient(kgo.SeedBrokers(labPlain), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	must(t, err)
	defer cl.Close()
	ask := func(t *testing.T, topic string, args ...string) (advise.Recommendation, string) {
		t.Helper()
		out, e, err := run(t, newRecommend, "json", "", append([]string{topic, "--brokers", labPlain, "--field", "event_time"}, args...)...)
		if code(err) > 1 || code(err) < 0 {
			t.Fatal(err, e)
		}
		return decodeRecommendation(t, out), e
	}
	shapes := map[string]func(*rand.Rand) int64{
		"uniform":     func(r *rand.Rand) int64 { return r.Int64N(20_000) },
		"exponential": func(r *rand.Rand) int64 { return int64(r.ExpFloat64() * 3000) },
		"lognormal":   func(r *rand.Rand) int64 { return int64(200 * math.Exp(1.2*r.NormFloat64())) },
		"pareto":      func(r *rand.Rand) int64 { return int64(100 * math.Pow(1-r.Float64(), -1/1.5)) },
		"offline": func(r *rand.Rand) int64 {
			if r.IntN(50) == 0 {
				return 600_000 + r.Int64N(600_000)
			}
			return r.Int64N(50)
		},
	}
	for name, delay := range shapes {
		for _, partitions := range []int{1, 5, 64} {
			t.Run(fmt.Sprintf("%s %d", name, partitions), func(t *testing.T) {
				topic := fmt.Sprintf("%s-%d", name, partitions)
				labTopic(t, cl, topic, int32(partitions+1), nil) // one stays empty
				var parts [][]planted
				for p := range partitions {
					parts = append(parts, plant(30_000/partitions, uint64(p), delay))
					labProduce(t, cl, topic, int32(p), parts[p], "")
				}
				want := exact(parts, 1, 1000)
				if r, _ := ask(t, topic, "--exact"); r.Advice.DataStreamMs != want {
					t.Errorf("with --exact %d, want %d", r.Advice.DataStreamMs, want)
				}
				r, _ := ask(t, topic)
				if got := r.Advice.DataStreamMs; got < want || float64(got) > 1.008*float64(want) || r.Records != uint64(partitions*(30_000/partitions)) {
					t.Errorf("from buckets %d of %d records, want %d", got, r.Records, want)
				}
				if name == "offline" && r.Advice.Verdict != advise.WrongKnob {
					t.Errorf("verdict %s", r.Advice.Verdict)
				}
			})
		}
	}
	t.Run("one bad partition", func(t *testing.T) {
		labTopic(t, cl, "bad", 5, nil)
		for p := range int32(5) {
			delay := func(r *rand.Rand) int64 { return r.Int64N(1000) }
			if p == 3 {
				delay = func(r *rand.Rand) int64 { return r.Int64N(90_000) }
			}
			labProduce(t, cl, "bad", p, plant(6000, uint64(p), delay), "")
		}
		r, _ := ask(t, "bad")
		if !r.Partitions[3].Outlier || r.Partitions[0].Outlier {
			t.Errorf("%+v", r.Partitions)
		}
	})
	t.Run("one future record", func(t *testing.T) {
		labTopic(t, cl, "future", 1, nil)
		ps := plant(10_000, 1, func(r *rand.Rand) int64 { return r.Int64N(1000) })
		want := exact([][]planted{append(append([]planted{}, ps[:5000]...), ps[5001:]...)}, 1, 1000)
		ps[5000].event += 365 * 24 * 3_600_000
		labProduce(t, cl, "future", 0, ps, "")
		if r, _ := ask(t, "future", "--exact"); r.Counters.Future != 1 || r.Advice.DataStreamMs != want || r.Advice.Verdict != advise.FixTimestamps {
			t.Errorf("%d future, delay %d want %d, %s", r.Counters.Future, r.Advice.DataStreamMs, want, r.Advice.Verdict)
		}
	})
	t.Run("aborted tail", func(t *testing.T) {
		labTopic(t, cl, "tx", 1, nil)
		tx, err := kgo.NewClient(kgo.SeedBrokers(labPlain), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.TransactionalID("lab"))
		must(t, err)
		defer tx.Close()
		ps := plant(9000, 1, shapes["uniform"])
		for i := range 3 {
			must(t, tx.BeginTransaction())
			labProduce(t, tx, "tx", 0, ps[i*3000:(i+1)*3000], "")
			must(t, tx.EndTransaction(context.Background(), kgo.TransactionEndTry(i != 2)))
		}
		r, _ := ask(t, "tx", "--exact", "--read-committed")
		if want := exact([][]planted{ps[:6000]}, 1, 1000); r.Records != 6000 || r.Advice.DataStreamMs != want {
			t.Errorf("committed: %d records, %d want %d", r.Records, r.Advice.DataStreamMs, want)
		}
		r, _ = ask(t, "tx", "--exact")
		if want := exact([][]planted{ps}, 1, 1000); r.Records != 9000 || r.Advice.DataStreamMs != want {
			t.Errorf("uncommitted: %d records, %d want %d", r.Records, r.Advice.DataStreamMs, want)
		}
	})
	t.Run("compacted", func(t *testing.T) {
		compact, small, now := "compact", "100", "0"
		labTopic(t, cl, "compacted", 1, map[string]*string{"cleanup.policy": &compact, "segment.ms": &small, "delete.retention.ms": &now, "min.cleanable.dirty.ratio": &now})
		for round := range 4 {
			var rs []*kgo.Record
			for i := range 1000 {
				rec := &kgo.Record{Topic: "compacted", Key: fmt.Append(nil, i), Value: fmt.Appendf(nil, `{"event_time":%d}`, 1_796_000_000_000+int64(round*1000+i)), Timestamp: time.UnixMilli(1_796_000_000_000 + int64(round*1000+i))}
				if i%10 == 0 && round == 3 {
					rec.Value = nil
				}
				rs = append(rs, rec)
			}
			must(t, cl.ProduceSync(context.Background(), rs...).FirstErr())
			time.Sleep(300 * time.Millisecond)
		}
		time.Sleep(8 * time.Second)
		r, _ := ask(t, "compacted")
		refused := false
		for _, f := range r.Findings {
			refused = refused || f.Cause == advise.CauseCompacted
		}
		if !refused || r.Advice.Verdict == advise.Fits {
			t.Errorf("%d records, verdict %s, findings %+v", r.Counters.Seen(), r.Advice.Verdict, r.Findings)
		}
	})
	t.Run("security", func(t *testing.T) {
		labTopic(t, cl, "secured", 1, nil)
		labProduce(t, cl, "secured", 0, plant(100, 1, shapes["uniform"]), "")
		for name, v := range map[string]struct {
			config string
			fail   string
		}{
			"plain":          {"bootstrap.servers=" + labSASL + "\nsecurity.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config=x required username=\"ann\" password=\"s3cret\";", ""},
			"scram":          {"bootstrap.servers=" + labSASL + "\nsecurity.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-512\nsasl.jaas.config=x required username=\"bob\" password=\"s3cret\";", ""},
			"tls":            {"bootstrap.servers=" + labTLS + "\nsecurity.protocol=SSL\nssl.truststore.location=" + filepath.Join(dir, "ca.pem") + "\n", ""},
			"wrong password": {"bootstrap.servers=" + labSASL + "\nsecurity.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config=x required username=\"ann\" password=\"nope1\";", "refused the login"},
			"untrusted":      {"bootstrap.servers=" + labTLS + "\nsecurity.protocol=SSL\n", "TLS to Kafka failed"},
		} {
			config := filepath.Join(t.TempDir(), "client.properties")
			must(t, os.WriteFile(config, []byte(v.config), 0o600))
			_, e, err := run(t, newRecommend, "json", "", "secured", "--kafka-config", config, "--field", "event_time")
			switch {
			case v.fail == "" && code(err) > 1:
				t.Errorf("%s: %v %s", name, err, e)
			case v.fail != "" && (err == nil || !strings.Contains(err.Error(), v.fail) || strings.Contains(err.Error(), "nope1")):
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// BenchmarkLab reads the same topic bare and measured, in one run: the ratio is what counts.
func BenchmarkLab(b *testing.B) {
	startBroker(b)
	cl, err := kgo.NewClient(kgo.SeedBrokers(labPlain), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(kgo.Lz4Compression()))
	must(b, err)
	defer cl.Close()
	labTopic(b, cl, "big", 8, nil)
	const each = 375_000
	pad := `,"customer":"c-1234567","amount":123.45,"currency":"EUR","note":"text that makes the record some one hundred and eighty bytes long, as usual"`
	for p := range int32(8) {
		ps := plant(each, uint64(p), func(r *rand.Rand) int64 { return int64(r.ExpFloat64() * 3000) })
		for i := 0; i < each; i += 25_000 {
			labProduce(b, cl, "big", p, ps[i:i+25_000], pad)
		}
	}
	for _, v := range []struct {
		name string
		read func()
	}{
		{"bare", func() {
			c, err := kgo.NewClient(kgo.SeedBrokers(labPlain), kgo.ConsumeTopics("big"), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
			must(b, err)
			defer c.Close()
			for n := 0; n < 8*each; {
				n += c.PollFetches(context.Background()).NumRecords()
			}
		}},
		{"recommend", func() {
			if _, e, err := run(b, newRecommend, "json", "", "big", "--brokers", labPlain, "--field", "event_time"); code(err) > 1 {
				b.Fatal(err, e)
			}
		}},
	} {
		b.Run(v.name, func(b *testing.B) {
			for b.Loop() {
				v.read()
			}
			b.ReportMetric(float64(b.N)*8*each/b.Elapsed().Seconds(), "records/s")
		})
	}
}
