//go:build lab

package cmd

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tidemark/kafkastats/observe"
	"tidemark/kafkastats/profile"
)

// A second real broker, that checks who asks and can be killed and started again, on ports of its own.
const robustPlain, robustController, robustSASL, robustTLS = "127.0.0.1:27092", "127.0.0.1:27093", "127.0.0.1:27094", "127.0.0.1:27095"

type labBroker struct {
	dir, classes, config string
	process              *exec.Cmd
}

// startRobust starts the broker with stores that keytool makes, in Java's default format.
func startRobust(t testing.TB) *labBroker {
	t.Helper()
	lib := brokerJars(t)
	b := &labBroker{dir: t.TempDir(), classes: filepath.Join(lib, "*")}
	at := func(name string) string { return filepath.Join(b.dir, name) }
	for _, who := range []string{"server", "client", "stranger"} {
		command(t, "keytool", "-genkeypair", "-alias", who, "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN="+who, "-ext", "san=ip:127.0.0.1,dns:localhost", "-ext", "bc=ca:true",
			"-keystore", at(who+".p12"), "-storepass", "storepass")
		command(t, "keytool", "-exportcert", "-rfc", "-alias", who, "-keystore", at(who+".p12"), "-storepass", "storepass", "-file", at(who+".pem"))
	}
	command(t, "keytool", "-importcert", "-noprompt", "-alias", "server", "-file", at("server.pem"), "-keystore", at("trust.p12"), "-storepass", "storepass")
	command(t, "keytool", "-importcert", "-noprompt", "-alias", "client", "-file", at("client.pem"), "-keystore", at("clients.p12"), "-storepass", "storepass")
	command(t, "keytool", "-importcert", "-noprompt", "-alias", "server", "-file", at("server.pem"), "-keystore", at("trust.jks"), "-storetype", "JKS", "-storepass", "storepass")
	command(t, "keytool", "-importkeystore", "-srckeystore", at("client.p12"), "-srcstorepass", "storepass", "-destkeystore", at("client.jks"), "-deststoretype", "JKS", "-deststorepass", "storepass", "-destkeypass", "keypass1", "-srcalias", "client")
	command(t, "openssl", "pkcs12", "-in", at("client.p12"), "-passin", "pass:storepass", "-nodes", "-out", at("client-both.pem"))
	b.config = at("server.properties")
	const sasl = "listener.name.sasl_plaintext."
	must(t, os.WriteFile(b.config, []byte(strings.Join([]string{
		"process.roles=broker,controller", "node.id=1", "controller.quorum.voters=1@" + robustController,
		"listeners=PLAINTEXT://" + robustPlain + ",CONTROLLER://" + robustController + ",SASL_PLAINTEXT://" + robustSASL + ",SSL://" + robustTLS,
		"advertised.listeners=PLAINTEXT://" + robustPlain + ",SASL_PLAINTEXT://" + robustSASL + ",SSL://" + robustTLS,
		"controller.listener.names=CONTROLLER", "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SSL:SSL",
		"log.dirs=" + at("data"), "offsets.topic.replication.factor=1", "transaction.state.log.replication.factor=1", "transaction.state.log.min.isr=1",
		"authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer", "super.users=User:ANONYMOUS;User:ann;User:bob;User:bob256;User:olga;User:CN=client",
		"sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER",
		sasl + `plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_ann="s3cret" user_limited="s3cret";`,
		sasl + "scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;",
		sasl + "scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;",
		sasl + `oauthbearer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";`,
		"ssl.keystore.location=" + at("server.p12"), "ssl.keystore.password=storepass", "ssl.key.password=storepass",
		"ssl.truststore.location=" + at("clients.p12"), "ssl.truststore.password=storepass", "ssl.client.auth=required",
	}, "\n")), 0o600))
	command(t, "java", "-cp", b.classes, "kafka.tools.StorageTool", "format", "-t", "tidemark-lab-cluster01", "-c", b.config,
		"--add-scram", "SCRAM-SHA-512=[name=bob,password=s3cret]", "--add-scram", "SCRAM-SHA-256=[name=bob256,password=s3cret]")
	t.Cleanup(func() { b.kill() })
	b.start(t)
	return b
}

func (b *labBroker) start(t testing.TB) {
	t.Helper()
	logFile, err := os.OpenFile(filepath.Join(b.dir, "kafka.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	must(t, err)
	defer func() { _ = logFile.Close() }()
	b.process = exec.Command("java", "-Xmx768m", "-cp", b.classes, "kafka.Kafka", b.config)
	b.process.Stdout, b.process.Stderr = logFile, logFile
	b.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	must(t, b.process.Start())
	for range 240 {
		if c, err := net.Dial("tcp", robustTLS); err == nil {
			_ = c.Close()
			time.Sleep(time.Second)
			return
		}
		time.Sleep(500 * time.Millisecond)
	}
	text, _ := os.ReadFile(logFile.Name())
	t.Fatalf("the broker does not start: %.3000s", text)
}

func (b *labBroker) kill() {
	_ = b.process.Process.Kill()
	_ = b.process.Wait()
}

// paddedTopic makes a topic of the given partitions, each with so many records of about 250 bytes: too
// many for one fetch.
func paddedTopic(t testing.TB, cl *kgo.Client, name string, partitions, each int) {
	t.Helper()
	labTopic(t, cl, name, int32(partitions), nil)
	pad := `,"note":"` + strings.Repeat("x", 200) + `"`
	for p := range partitions {
		labProduce(t, cl, name, int32(p), smooth(each, uint64(p)), pad)
	}
}

func TestLabRobust(t *testing.T) {
	b := startRobust(t)
	cl, err := kgo.NewClient(kgo.SeedBrokers(robustPlain), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(kgo.NoCompression()))
	must(t, err)
	defer cl.Close()
	adm := kadm.NewClient(cl)
	ctx := context.Background()

	t.Run("killed at any moment", func(t *testing.T) {
		labTopic(t, cl, "killed", 4, nil)
		killMany(t, []kgo.Opt{kgo.SeedBrokers(robustPlain)}, "killed", 4, 50, "--brokers", robustPlain)
	})

	t.Run("restart in the middle", func(t *testing.T) {
		paddedTopic(t, cl, "restart", 3, 20_000)
		file := filepath.Join(t.TempDir(), "p")
		w := startObserve(t, robustPlain, file, func(o *observe.Request) { o.Topic = "restart"; o.BytesPerSec = 1_000_000 })
		w.until(t, 10_000)
		type answer struct {
			out, err string
			code     int
		}
		answers := make(chan answer, 1)
		go func() {
			out, e, err := run(t, newRecommend, "json", "", "restart", "--brokers", robustPlain, "--field", "event_time", "--max-bytes-per-second", "700000")
			if err != nil {
				e += err.Error()
			}
			answers <- answer{out, e, code(err)}
		}()
		time.Sleep(3 * time.Second)
		b.kill()
		time.Sleep(3 * time.Second)
		b.start(t)
		a := <-answers
		if r := decodeRecommendation(t, a.out); a.code > 1 || r.Records != 60_000 || !r.Complete {
			t.Errorf("recommend: exit %d, %d records: %s", a.code, r.Records, a.err)
		}
		// What is written after the restart arrives as well.
		labProduce(t, cl, "restart", 0, smooth(500, 9), "")
		w.until(t, 60_500)
		w.stop(t)
		p, err := profile.Read(file)
		must(t, err)
		if n := seen(t, p); n != 60_500 {
			t.Errorf("observe: %d records", n)
		}
	})

	t.Run("broker that does not come back", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "p")
		w := startObserve(t, robustPlain, file, func(o *observe.Request) { o.Topic = "restart" })
		w.until(t, 60_500)
		b.kill()
		for range 300 {
			if strings.Contains(w.err.String(), "waiting for the brokers") {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		w.stop(t) // it waits until it is stopped
		if p, err := profile.Read(file); err != nil || seen(t, p) != 60_500 || strings.Count(w.err.String(), "waiting for the brokers") != 1 {
			t.Errorf("%v: %s", err, w.err.String())
		}
		if _, _, err := run(t, newRecommend, "json", "", "restart", "--brokers", robustPlain); code(err) != exitIncomplete || !strings.Contains(err.Error(), "no Kafka broker answers") {
			t.Error(err)
		}
		b.start(t)
	})

	t.Run("logins and stores", func(t *testing.T) {
		labTopic(t, cl, "secured", 1, nil)
		labProduce(t, cl, "secured", 0, smooth(100, 1), "")
		at := func(name string) string { return filepath.Join(b.dir, name) }
		sasl := func(mechanism, jaas string) string {
			return "bootstrap.servers=" + robustSASL + "\nsecurity.protocol=SASL_PLAINTEXT\nsasl.mechanism=" + mechanism + "\nsasl.jaas.config=" + jaas
		}
		tls := func(lines string) string {
			return "bootstrap.servers=" + robustTLS + "\nsecurity.protocol=SSL\n" + lines
		}
		trust := "ssl.truststore.location=" + at("trust.p12") + "\nssl.truststore.password=storepass\n"
		key := "ssl.keystore.location=" + at("client.p12") + "\nssl.keystore.password=storepass\n"
		for name, v := range map[string]struct{ config, fail string }{
			"PLAIN":             {sasl("PLAIN", `x required username="ann" password="s3cret";`), ""},
			"SCRAM 256":         {sasl("SCRAM-SHA-256", `x required username="bob256" password="s3cret";`), ""},
			"SCRAM 512":         {sasl("SCRAM-SHA-512", `x required username="bob" password="s3cret";`), ""},
			"OAUTHBEARER":       {sasl("OAUTHBEARER", `org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="olga";`), ""},
			"expired token":     {sasl("OAUTHBEARER", `x required unsecuredLoginStringClaim_sub="olga" unsecuredLoginNumberClaim_exp="1000";`), "refused the login"},
			"wrong PLAIN":       {sasl("PLAIN", `x required username="ann" password="wrong1";`), "refused the login"},
			"wrong SCRAM 256":   {sasl("SCRAM-SHA-256", `x required username="bob256" password="wrong1";`), "refused the login"},
			"wrong SCRAM 512":   {sasl("SCRAM-SHA-512", `x required username="bob" password="wrong1";`), "refused the login"},
			"mTLS PKCS12":       {tls(trust + key), ""},
			"mTLS JKS":          {tls("ssl.truststore.type=JKS\nssl.truststore.location=" + at("trust.jks") + "\nssl.truststore.password=storepass\nssl.keystore.location=" + at("client.jks") + "\nssl.keystore.password=storepass\nssl.key.password=keypass1\n"), ""},
			"mTLS PEM":          {tls("ssl.truststore.type=PEM\nssl.truststore.location=" + at("server.pem") + "\nssl.keystore.type=PEM\nssl.keystore.location=" + at("client-both.pem")), ""},
			"name not checked":  {tls(trust + key + "ssl.endpoint.identification.algorithm=\n"), ""},
			"no client key":     {tls(trust), "TLS to Kafka failed"},
			"stranger":          {tls(trust + "ssl.keystore.location=" + at("stranger.p12") + "\nssl.keystore.password=storepass\n"), "TLS to Kafka failed"},
			"untrusted":         {tls(key), "TLS to Kafka failed"},
			"store password":    {tls(trust + "ssl.keystore.location=" + at("client.p12") + "\nssl.keystore.password=wrong1\n"), "does not open with this password"},
			"plain on SASL":     {"bootstrap.servers=" + robustSASL, "security.protocol"},
			"plain on TLS":      {"bootstrap.servers=" + robustTLS, "security.protocol"},
			"TLS on plain":      {"bootstrap.servers=" + robustPlain + "\nsecurity.protocol=SSL\n" + trust, "TLS"},
			"unknown mechanism": {sasl("GSSAPI", "x required;"), "is not supported"},
		} {
			config := filepath.Join(t.TempDir(), "client.properties")
			must(t, os.WriteFile(config, []byte(v.config), 0o600))
			_, e, err := run(t, newRecommend, "json", "", "secured", "--kafka-config", config, "--field", "event_time")
			switch {
			case v.fail == "" && code(err) > 1:
				t.Errorf("%s: %v %s", name, err, e)
			case v.fail != "" && (err == nil || !strings.Contains(err.Error(), v.fail) || strings.Contains(err.Error(), "wrong1") || strings.Contains(err.Error(), "\n")):
				t.Errorf("%s: %v", name, err)
			}
		}
	})

	t.Run("permissions", func(t *testing.T) {
		paddedTopic(t, cl, "guarded", 1, 20_000)
		config := filepath.Join(t.TempDir(), "client.properties")
		must(t, os.WriteFile(config, []byte("bootstrap.servers="+robustSASL+"\nsecurity.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config=x required username=\"limited\" password=\"s3cret\";"), 0o600))
		ask := func(more ...string) (string, error) {
			t.Helper()
			out, _, err := run(t, newRecommend, "json", "", append([]string{"guarded", "--kafka-config", config, "--field", "event_time"}, more...)...)
			return out, err
		}
		acl := func(op kadm.ACLOperation) *kadm.ACLBuilder {
			return kadm.NewACLs().Topics("guarded").ResourcePatternType(kmsg.ACLResourcePatternTypeLiteral).Operations(op).Allow("User:limited").AllowHosts()
		}
		denied := func(what string, err error) {
			t.Helper()
			if code(err) != exitIncomplete || !errors.Is(err, kerr.TopicAuthorizationFailed) && !strings.Contains(err.Error(), "may not see it") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v", what, err)
			}
		}
		_, err := ask()
		denied("nothing granted", err)
		_, err = adm.CreateACLs(ctx, acl(kadm.OpDescribe))
		must(t, err)
		_, err = ask()
		denied("DESCRIBE alone", err)
		_, err = adm.CreateACLs(ctx, acl(kadm.OpRead))
		must(t, err)
		out, err := ask()
		if r := decodeRecommendation(t, out); code(err) > 1 || r.Records != 20_000 {
			t.Fatalf("READ and DESCRIBE: %v", err)
		}
		done := make(chan error, 1)
		text := make(chan string, 1)
		go func() {
			out, err := ask("--max-bytes-per-second", "500000")
			text <- out
			done <- err
		}()
		time.Sleep(2 * time.Second)
		for _, op := range []kadm.ACLOperation{kadm.OpRead, kadm.OpDescribe} {
			_, err = adm.DeleteACLs(ctx, acl(op))
			must(t, err)
		}
		out = <-text
		denied("taken away while reading", <-done)
		if r := decodeRecommendation(t, out); r.Complete || r.Records == 0 || r.Records >= 20_000 {
			t.Errorf("the partial result: %d records, complete %v", r.Records, r.Complete)
		}
	})

	t.Run("retention under the reader", func(t *testing.T) {
		paddedTopic(t, cl, "shrinking", 2, 20_000)
		out := make(chan string, 1)
		done := make(chan error, 1)
		go func() {
			text, _, err := run(t, newRecommend, "json", "", "shrinking", "--brokers", robustPlain, "--field", "event_time", "--max-bytes-per-second", "500000")
			out <- text
			done <- err
		}()
		time.Sleep(2 * time.Second)
		_, err := adm.DeleteRecords(ctx, kadm.Offsets{"shrinking": {0: {Topic: "shrinking", Partition: 0, At: 18_000}, 1: {Topic: "shrinking", Partition: 1, At: 18_000}}})
		must(t, err)
		r := decodeRecommendation(t, <-out)
		if err := <-done; code(err) > 1 || r.Records >= 40_000 || r.Records < 4000 || !strings.Contains(strings.Join(r.NotSeen, "\n"), "removed by retention before they could be read") {
			t.Errorf("%v, %d records, not seen %v", err, r.Records, r.NotSeen)
		}
		for _, p := range r.Partitions {
			if !p.Contiguous {
				t.Errorf("partition %d: what retention removed counts as missing", p.ID)
			}
		}
	})

	t.Run("more partitions, then another topic of the name", func(t *testing.T) {
		labTopic(t, cl, "growing", 1, nil)
		labProduce(t, cl, "growing", 0, smooth(500, 1), "")
		file := filepath.Join(t.TempDir(), "p")
		w := startObserve(t, robustPlain, file, func(o *observe.Request) { o.Topic = "growing" })
		w.until(t, 500)
		_, err := adm.CreatePartitions(ctx, 1, "growing")
		must(t, err)
		time.Sleep(time.Second)
		later, err := kgo.NewClient(kgo.SeedBrokers(robustPlain), kgo.RecordPartitioner(kgo.ManualPartitioner()))
		must(t, err)
		defer later.Close()
		labProduce(t, later, "growing", 1, smooth(300, 1), "")
		w.until(t, 800)
		_, err = adm.DeleteTopic(ctx, "growing")
		must(t, err)
		for range 100 {
			if res, err := adm.CreateTopic(ctx, 2, 1, nil, "growing"); err == nil && res.Err == nil {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		if err := <-w.done; code(err) != exitIncomplete || !strings.Contains(err.Error(), "was deleted and created anew") {
			t.Fatal(err)
		}
		if p, err := profile.Read(file); err != nil || seen(t, p) != 800 {
			t.Fatal(err)
		}
	})
}

// A file system of 64 KB, where one may be mounted.
func TestLabFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no file system can be mounted: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	observeFull(t, dir, func(c *exec.Cmd) *exec.Cmd { return c }, "no space left on device")
}
