//go:build lab

package cmd_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/kafkastats/advise"
)

// TestOnRealFlinkIsTheLocalAnswer measures the same ranges on the cluster and here.
func TestOnRealFlinkIsTheLocalAnswer(t *testing.T) {
	lab := openLab(t)
	kafka, gateway := lab.kafka(), lab.gateway()
	p := newProducer(t, kafka)
	r := rand.New(rand.NewPCG(1, 2))
	base := time.Now().Add(-time.Hour).UnixMilli()
	var events []event
	for i := range int64(60_000) {
		e := event{int32(i % 4), base + i*4, base + i*4 - int64(200*math.Exp(1.2*r.NormFloat64()))}
		switch i {
		case 20_000:
			e.ms += 365 * 24 * 3_600_000
		case 30_000:
			e.ms = 0
		}
		events = append(events, e)
	}
	create := p.topic(t, "onflink", 5, "CreateTime") // the fifth partition stays empty
	p.write(t, create, events...)
	appended := p.topic(t, "onflink-append", 2, "LogAppendTime")
	for i := range events[:20_000] {
		events[i].partition %= 2
	}
	p.write(t, appended, events[:20_000]...)

	for name, v := range map[string]struct {
		topic string
		flags []string
	}{
		"whole topic":       {create, nil},
		"last records":      {create, []string{"--last", "20000"}}, // read from before its range on, to learn the running maximum
		"append time":       {appended, []string{"--target-late", "0.5%"}},
		"another tolerance": {create, []string{"--future-tolerance", "10000h"}},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{v.topic, "--brokers", kafka, "--field", "ms", "--unit", "ms"}, v.flags...)
			local := lab.recommend(t, args...)
			began := time.Now()
			remote := lab.recommend(t, append(args, "--on", "flink", "--sql-gateway", gateway)...)
			t.Logf("%d records on Flink in %s: %s, DataStream %d ms, SQL %d ms", remote.Records, time.Since(began).Round(100*time.Millisecond), remote.Advice.Verdict, remote.Advice.DataStreamMs, remote.Advice.SQLMs)
			if diff := cmp.Diff(countable(local), countable(remote)); diff != "" {
				t.Errorf("local -, on Flink +:\n%s", diff)
			}
			if remote.Records == 0 || remote.Advice.Verified != nil || remote.Advice.GlobalMs != nil || remote.Confluent != nil {
				t.Errorf("%d records, and what only order shows is stated: %+v", remote.Records, remote.Advice)
			}
		})
	}
}

// countable is the part of an answer that counts alone decide.
func countable(r advise.Recommendation) map[string]any {
	late := map[int64]uint64{}
	for _, p := range r.Curve {
		late[p.DelayMs] = p.LateN
	}
	var causes []string
	for _, f := range r.Findings {
		if f.Cause != advise.CauseSeason {
			causes = append(causes, f.Cause)
		}
	}
	partitions := map[int32]any{}
	for _, p := range r.Partitions {
		partitions[p.ID] = []any{p.Records, p.NeedMs, p.Disorder, p.Transport, p.Future, p.Outlier, p.Contiguous}
	}
	return map[string]any{"records": r.Records, "counters": r.Counters, "partitions": partitions, "window": r.Window, "transport": r.Transport, "disorder": r.Disorder, "lag": r.Lag,
		"late": late, "causes": causes, "datastream": r.Advice.DataStreamMs, "sql": r.Advice.SQLMs, "rounded": r.Advice.RoundedMs, "rounded sql": r.Advice.RoundedSQLMs,
		"worst": r.Advice.WorstMs, "late at it": r.Advice.Late.Records, "as is": r.Advice.AsIsLate, "verdict": r.Advice.Verdict,
		"interval": r.Advice.Late.CI95, "guaranteed": r.Advice.GuaranteedMs, "stability": r.Stability}
}

// What can go wrong is one line that names the cause, and no job is left behind.
func TestOnRealFlinkErrors(t *testing.T) {
	lab := openLab(t)
	kafka, gateway := lab.kafka(), lab.gateway()
	p := newProducer(t, kafka)
	topic := p.topic(t, "broken", 1, "CreateTime")
	p.write(t, topic, event{0, 1_700_000_000_000, 1_700_000_000_000}, event{0, 1_700_000_000_001, 1_700_000_000_001})
	spoiled := p.topic(t, "spoiled", 1, "CreateTime")
	if err := p.client.ProduceSync(context.Background(), &kgo.Record{Topic: spoiled, Value: []byte("oops")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]struct {
		args []string
		says string
	}{
		"no gateway":        {[]string{topic, "--sql-gateway", "http://127.0.0.1:1", "--field", "ms", "--unit", "ms"}, "check that the SQL gateway runs there"},
		"not a gateway":     {[]string{topic, "--sql-gateway", lab.rest, "--field", "ms", "--unit", "ms"}, "give the URL of a SQL gateway"},
		"no topic":          {[]string{"no-such-topic", "--sql-gateway", gateway, "--field", "ms", "--unit", "ms"}, `topic "no-such-topic" does not exist`},
		"no format":         {[]string{topic, "--sql-gateway", gateway, "--field", "ms", "--unit", "ms", "--flink-format", "avro"}, "or name another with --flink-format"},
		"no column":         {[]string{topic, "--sql-gateway", gateway, "--flink-columns", "ms BIGINT", "--flink-event", "msx"}, "Column 'msx' not found"},
		"no type":           {[]string{topic, "--sql-gateway", gateway, "--flink-columns", "ms BIGINTT", "--flink-event", "ms"}, "BIGINTT"},
		"no field":          {[]string{topic, "--sql-gateway", gateway, "--field", "nope", "--unit", "ms"}, "no event time in 2 records"},
		"not in the format": {[]string{spoiled, "--sql-gateway", gateway, "--field", "ms", "--unit", "ms"}, "oops"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			cmd := exec.Command(lab.binary, append([]string{"recommend", "--on", "flink", "--brokers", kafka}, v.args...)...)
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() < 2 {
				t.Fatalf("%v: %s%s", err, &stdout, &stderr)
			}
			t.Log(strings.TrimSpace(stderr.String()))
			if text := strings.TrimSpace(stderr.String()); !strings.Contains(text, v.says) || strings.Contains(text, "\n") || stdout.Len() > 0 {
				t.Errorf("want one line with %q", v.says)
			}
		})
	}
	var all struct {
		Jobs []struct{ Name, State string }
	}
	if err := call("GET", lab.rest+"/jobs/overview", nil, &all); err != nil {
		t.Fatal(err)
	}
	for _, j := range all.Jobs {
		if strings.HasPrefix(j.Name, "tidemark measures") && j.State == "RUNNING" {
			t.Errorf("job %q is left running", j.Name)
		}
	}
}
