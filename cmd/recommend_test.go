package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/internal/cases"
	"tidemark/kafkastats/advise"
	"tidemark/request"
)

// run drives one command as the root would.
func run(t testing.TB, build func(*globals) *cobra.Command, output, stdin string, args ...string) (out, errOut string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	return runUnder(ctx, build, output, stdin, args...)
}

func runUnder(ctx context.Context, build func(*globals) *cobra.Command, output, stdin string, args ...string) (out, errOut string, err error) {
	var o, e bytes.Buffer
	g := globals{}
	g.env = env{In: strings.NewReader(stdin), Out: &o, Err: &e, Now: time.Now, Getenv: environment(nil),
		HomeDir: func() (string, error) { return "", errors.New("no home") }, IsTerminal: func(any) bool { return false }}
	c := build(&g)
	args = append([]string{}, args...) // nil would be the arguments of the test binary
	if output != "" {
		args = append(args, "-o", output)
	}
	c.SetArgs(args)
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return request.Bad(err) })
	c.SetOut(&e)
	c.SetErr(&e)
	err = c.ExecuteContext(ctx)
	return o.String(), e.String(), err
}

func code(err error) int { return exitCode(err, true, false) }

type planted struct{ at, event int64 }

// plant invents one partition: 20 a second, delays by the given function.
func plant(n int, seed uint64, delay func(*rand.Rand) int64) []planted {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]planted, n)
	for i := range out {
		at := int64(1_796_000_000_000) + int64(i)*50
		out[i] = planted{at, at - delay(r)}
	}
	return out
}

// exact is the smallest delay by the definition: rank k+1 of running maximum minus event time.
func exact(parts [][]planted, num, den int) int64 {
	var ds []int64
	n := 0
	for _, p := range parts {
		top := p[0].event
		for i, x := range p {
			n++
			if i > 0 {
				ds = append(ds, top-x.event)
			}
			top = max(top, x.event)
		}
	}
	slices.Sort(ds)
	slices.Reverse(ds)
	return max(0, ds[n*num/den])
}

func kcatFile(parts [][]planted) string {
	var b strings.Builder
	for i := range parts[0] {
		for p := range parts {
			x := parts[p][i]
			fmt.Fprintf(&b, `{"topic":"orders","partition":%d,"offset":%d,"tstype":"logappend","ts":%d,"payload":"{\"id\":%d,\"event_time\":%d}"}`+"\n", p, i, x.at, i, x.event)
		}
	}
	return b.String()
}

func disorders() map[string]func(*rand.Rand) int64 {
	return map[string]func(*rand.Rand) int64{
		"uniform":     func(r *rand.Rand) int64 { return r.Int64N(5000) },
		"exponential": func(r *rand.Rand) int64 { return int64(r.ExpFloat64() * 1000) },
		"in order":    func(*rand.Rand) int64 { return 20 },
	}
}

func decodeRecommendation(t *testing.T, text string) advise.Recommendation {
	t.Helper()
	var r advise.Recommendation
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return r
}

func TestRecommendFromRecordsFindsFieldAndDelay(t *testing.T) {
	all := disorders()
	for _, name := range cases.Some(slices.Sorted(maps.Keys(all)), 1) {
		delay := all[name]
		t.Run(name, func(t *testing.T) {
			parts := [][]planted{plant(4000, 1, delay), plant(4000, 2, delay)}
			want := exact(parts, 1, 1000)
			file := filepath.Join(t.TempDir(), "records.jsonl")
			if err := os.WriteFile(file, []byte(kcatFile(parts)), 0o600); err != nil {
				t.Fatal(err)
			}
			out, errOut, err := run(t, newRecommend, "json", "", "--records", file, "--exact")
			r := decodeRecommendation(t, out)
			if code(err) > 1 || r.Advice.DataStreamMs != want || r.Records != 8000 || r.EventTime.Field != "event_time" || r.Topic != "orders" {
				t.Fatalf("exact %d, want %d; %+v; %v %s", r.Advice.DataStreamMs, want, r.EventTime, err, errOut)
			}
			if !strings.Contains(errOut, `event time chosen: json "event_time"`) {
				t.Errorf("the choice is not stated: %s", errOut)
			}
			stdin, _, _ := run(t, newRecommend, "json", kcatFile(parts), "--records", "-", "--field", "event_time")
			r2 := decodeRecommendation(t, stdin)
			if got := r2.Advice.DataStreamMs; got < want || float64(got) > 1.008*float64(want) || r2.Records != 8000 {
				t.Errorf("from buckets %d, exact %d", got, want)
			}
		})
	}
}

func brokerWith(t testing.TB, parts [][]planted) string {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(int32(len(parts)), "orders"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	fill(t, c.ListenAddrs()[0], parts)
	return c.ListenAddrs()[0]
}

func fill(t testing.TB, addr string, parts [][]planted) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.DisableClientMetrics(), kgo.SeedBrokers(addr), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	for p := range parts {
		var rs []*kgo.Record
		for i, x := range parts[p] {
			rs = append(rs, &kgo.Record{Topic: "orders", Partition: int32(p), Timestamp: time.UnixMilli(x.at), Value: fmt.Appendf(nil, `{"id":%d,"event_time":%d}`, i, x.event)})
		}
		if err := cl.ProduceSync(context.Background(), rs...).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestObserveResumesWhereItStopped(t *testing.T) {
	t.Parallel()
	delay := disorders()["uniform"]
	all := [][]planted{plant(6000, 6, delay)}
	addr := brokerWith(t, [][]planted{all[0][:2500]})
	prof := filepath.Join(t.TempDir(), "p")
	observed(t, 2500, prof, addr)
	fill(t, addr, [][]planted{all[0][2500:]})
	observed(t, 6000, prof, addr)
	out, e, err := run(t, newRecommend, "json", "", "--profile", prof)
	if code(err) > 1 {
		t.Fatal(err, e)
	}
	r := decodeRecommendation(t, out)
	if want := exact(all, 1, 1000); r.Records != 6000 || r.Advice.DataStreamMs < want || float64(r.Advice.DataStreamMs) > 1.008*float64(want) {
		t.Fatalf("%d records, delay %d, exact %d", r.Records, r.Advice.DataStreamMs, want)
	}
}

func TestBadInputIsOneClearLine(t *testing.T) {
	addr := brokerWith(t, [][]planted{plant(10, 1, disorders()["in order"])})
	line := `{"partition":0,"offset":1,"tstype":"create","ts":1796000000000,"payload":"{\"ts\":1796000000000}"}` + "\n"
	for name, v := range map[string]struct {
		args  []string
		stdin string
		code  int
		want  string
	}{
		"nothing":         {nil, "", 2, "give a topic, or --records FILE, or --profile FILE"},
		"bad target":      {[]string{"x", "--target-late", "often"}, "", 2, "write a share such as 0.1%"},
		"no broker":       {[]string{"orders"}, "", 2, "no broker given"},
		"dead broker":     {[]string{"orders", "--brokers", "127.0.0.1:1"}, "", 3, "no Kafka broker answers"},
		"missing topic":   {[]string{"order", "--brokers", addr}, "", 3, `near: "orders"`},
		"no such field":   {[]string{"orders", "--brokers", addr, "--field", "tss"}, "", 2, `no event time in field "tss" of the first 10 records; found: json "event_time"`},
		"bad line":        {[]string{"--records", "-", "--field", "ts"}, line + "oops\n", 3, "stdin:2: not a JSON object"},
		"missing file":    {[]string{"--records", "/no/such"}, "", 2, "no such file"},
		"bad unit":        {[]string{"--records", "-", "--unit", "h"}, line, 2, "--unit"},
		"bad zone":        {[]string{"--records", "-", "--zone", "Mars"}, line, 2, "--zone"},
		"drops no window": {[]string{"--records", "-", "--target-dropped", "1%"}, line, 2, "needs --window"},
		"bad profile":     {[]string{"--profile", "/no/such"}, "", 2, "open profile"},
	} {
		t.Run(name, func(t *testing.T) {
			out, _, err := run(t, newRecommend, "json", v.stdin, v.args...)
			if code(err) != v.code || !strings.Contains(err.Error(), v.want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("code %d, %v; out %.80s", code(err), err, out)
			}
			if name == "bad line" && decodeRecommendation(t, out).Complete {
				t.Error("the partial result is not marked")
			}
		})
	}
}
