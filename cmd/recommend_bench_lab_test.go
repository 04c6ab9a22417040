//go:build lab

package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/topic"
)

// The benchmarks need a broker, and are skipped without:
//
//	testdata/lab/lab up --kafka-only && export $(testdata/lab/lab env)
//	go test -tags lab -run '^$' -bench LabRecommend -benchtime 1x ./cmd
//
// TIDEMARK_BENCH_RECORDS sets the size of the topic (3000000), TIDEMARK_BENCH_PAIRS how often each
// reader runs (5), TIDEMARK_BENCH_HOURS the stretch of time its records cover (24).
const benchPartitions = 8

func benchSetting(b testing.TB, name string, otherwise int) int {
	text := os.Getenv("TIDEMARK_BENCH_" + name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	must(b, err)
	return n
}

func benchBroker(b testing.TB) string {
	addr := os.Getenv("TIDEMARK_LAB_KAFKA")
	if addr == "" {
		b.Skip("TIDEMARK_LAB_KAFKA names no broker")
	}
	return addr
}

// benchTopic fills a topic with JSON records of about 180 bytes, or finds the one of an earlier run.
func benchTopic(b testing.TB, addr string, records, hours int) string {
	b.Helper()
	name := fmt.Sprintf("bench-%d-%d", records, hours)
	cl, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(kgo.Lz4Compression()))
	must(b, err)
	defer cl.Close()
	forever := "-1"
	res, err := kadm.NewClient(cl).CreateTopic(context.Background(), benchPartitions, 1, map[string]*string{"retention.ms": &forever}, name)
	if errors.Is(err, kerr.TopicAlreadyExists) {
		return name
	}
	must(b, errors.Join(err, res.Err))
	each := records / benchPartitions
	end := time.Now().Truncate(time.Hour).UnixMilli()
	step := float64(hours) * 3_600_000 / float64(each)
	for p := range int32(benchPartitions) {
		r := rand.New(rand.NewPCG(uint64(p), 7))
		for i := range each {
			at := end - int64(float64(each-i)*step)
			value := fmt.Appendf(nil, `{"id":%d,"customer":"c-%07d","amount":%d.%02d,"currency":"EUR","event_time":%d,"note":"%x some text that makes the record as long as records are"}`,
				i, r.IntN(9_999_999), r.IntN(1000), r.IntN(100), at-int64(r.ExpFloat64()*3000), r.Uint64())
			cl.Produce(context.Background(), &kgo.Record{Topic: name, Partition: p, Timestamp: time.UnixMilli(at), Value: value}, nil)
		}
	}
	must(b, cl.Flush(context.Background()))
	return name
}

// TestLabBareLoop is the reference, run as a process of its own by the benchmark: it polls and counts.
func TestLabBareLoop(t *testing.T) {
	name, settings := os.Getenv("TIDEMARK_BENCH_TOPIC"), os.Getenv("TIDEMARK_BENCH_FETCH")
	if name == "" {
		t.Skip("runs inside the benchmark only")
	}
	opts := []kgo.Opt{kgo.SeedBrokers(benchBroker(t)), kgo.ConsumeTopics(name), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart())}
	if settings == "same" {
		opts = append(opts, topic.FetchSettings()...)
	}
	cl, err := kgo.NewClient(opts...)
	must(t, err)
	defer cl.Close()
	for n, want := 0, benchSetting(t, "RECORDS", 3_000_000); n < want; {
		n += cl.PollFetches(context.Background()).NumRecords()
	}
}

// cost is what a child took: seconds of wall clock and of processor, peak memory in MB.
type cost struct{ wall, cpu, rss float64 }

func timed(b testing.TB, c *exec.Cmd, out *bytes.Buffer) cost {
	b.Helper()
	c.Stdout = out
	start := time.Now()
	err := c.Run()
	took := time.Since(start).Seconds()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1 && !strings.Contains(out.String(), "FAIL")) {
		b.Fatalf("%s: %v: %.2000s", c, err, out)
	}
	state := c.ProcessState
	usage, _ := state.SysUsage().(*syscall.Rusage)
	return cost{took, (state.UserTime() + state.SystemTime()).Seconds(), float64(usage.Maxrss) / 1024}
}

// BenchmarkLabRecommend reads one topic with `recommend` and with the references, in turn, each in a
// process of its own. The figures are ratios: the machine's speed cancels out.
func BenchmarkLabRecommend(b *testing.B) {
	addr := benchBroker(b)
	records, pairs := benchSetting(b, "RECORDS", 3_000_000), benchSetting(b, "PAIRS", 5)
	name := benchTopic(b, addr, records, benchSetting(b, "HOURS", 24))
	binary := filepath.Join(b.TempDir(), "tidemark")
	command(b, "go", "build", "-o", binary, "tidemark")
	bare := func(fetch string) cost {
		c := exec.Command(os.Args[0], "-test.run", "^TestLabBareLoop$")
		c.Env = append(os.Environ(), "TIDEMARK_BENCH_TOPIC="+name, "TIDEMARK_BENCH_FETCH="+fetch)
		return timed(b, c, &bytes.Buffer{})
	}
	recommend := func() cost {
		return timed(b, exec.Command(binary, "recommend", name, "--brokers", addr, "--field", "event_time", "-o", "json"), &bytes.Buffer{})
	}
	recommend() // both start with the topic in the page cache
	for b.Loop() {
		var same, usual, cpu, rate, memory []float64
		for range pairs {
			s, o, d := bare("same"), recommend(), bare("default")
			same, usual, cpu = append(same, s.wall/o.wall), append(usual, d.wall/o.wall), append(cpu, s.cpu/o.cpu)
			rate, memory = append(rate, float64(records)/o.wall), append(memory, o.rss)
		}
		b.Logf("%d records, %d pairs (min, median, max):", records, pairs)
		logSpread(b, "of the records/s of a bare loop with the same fetch settings", same)
		logSpread(b, "of the records/s of a bare loop with franz-go's defaults", usual)
		logSpread(b, "of the records per processor second of a bare loop with the same fetch settings", cpu)
		logSpread(b, "records/s", rate)
		logSpread(b, "MB peak RSS", memory)
		b.ReportMetric(median(same), "x-bare")
		b.ReportMetric(median(memory), "MB-peak")
	}
}

// pipeline is one percentile as it is read from a topic without a tool: p99.9 of disorder, per partition,
// over all records. kcat prints partition and payload, jq picks the field, sort ranks.
const pipeline = `set -o pipefail
kcat -b "$BROKER" -t "$TOPIC" -C -o beginning -e -q -f '{"p":%p,"v":%s}\n' |
jq -r '[.p, .v.event_time] | @tsv' |
awk '{ if ($1 in top) { print top[$1] - $2; if ($2 > top[$1]) top[$1] = $2 } else top[$1] = $2 }' |
sort -n |
awk '{ d[NR] = $1 } END { i = int(NR * 0.999); if (i < NR * 0.999) i++; print d[i] }'`

// BenchmarkLabRecommendPipeline puts the tool next to kcat, jq, awk and sort, which must be installed.
func BenchmarkLabRecommendPipeline(b *testing.B) {
	addr := benchBroker(b)
	for _, tool := range []string{"kcat", "jq", "awk", "sort"} {
		if _, err := exec.LookPath(tool); err != nil {
			b.Skip(err)
		}
	}
	records, pairs := benchSetting(b, "RECORDS", 3_000_000), benchSetting(b, "PAIRS", 3)
	name := benchTopic(b, addr, records, benchSetting(b, "HOURS", 24))
	binary := filepath.Join(b.TempDir(), "tidemark")
	command(b, "go", "build", "-o", binary, "tidemark")
	for b.Loop() {
		var wall, cpu []float64
		for range pairs {
			var answer, out bytes.Buffer
			c := exec.Command("bash", "-c", pipeline)
			c.Env = append(os.Environ(), "BROKER="+addr, "TOPIC="+name)
			theirs := timed(b, c, &answer)
			ours := timed(b, exec.Command(binary, "recommend", name, "--brokers", addr, "--field", "event_time", "-o", "json"), &out)
			wall, cpu = append(wall, theirs.wall/ours.wall), append(cpu, theirs.cpu/ours.cpu)
			var r advise.Recommendation
			must(b, json.Unmarshal(out.Bytes(), &r))
			exact, err := strconv.ParseInt(strings.TrimSpace(answer.String()), 10, 64)
			must(b, err)
			if got := r.Disorder.P999; got < exact || float64(got) > 1.008*float64(exact) {
				b.Errorf("p99.9 is %d ms here, exactly %d by the pipeline", got, exact)
			}
		}
		b.Logf("%d records, %d pairs (min, median, max):", records, pairs)
		logSpread(b, "times as fast as kcat | jq | awk | sort", wall)
		logSpread(b, "times less processor time", cpu)
		b.ReportMetric(median(wall), "x-pipeline")
	}
}

func median(v []float64) float64 {
	sorted := slices.Sorted(slices.Values(v))
	return sorted[len(sorted)/2]
}

func logSpread(b *testing.B, what string, v []float64) {
	b.Logf("%10.2f %10.2f %10.2f  %s", slices.Min(v), median(v), slices.Max(v), what)
}
