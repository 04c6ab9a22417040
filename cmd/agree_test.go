package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/internal/cases"
	"tidemark/kafkastats/advise"
)

// sent is a record as it goes to a broker and into a file.
type sent struct {
	partition int32
	at        int64
	value     *string // nil: a tombstone
}

func planned(parts [][]planted) []sent {
	var out []sent
	for i := range parts[0] {
		for p := range parts {
			if i < len(parts[p]) {
				value := fmt.Sprintf(`{"id":%d,"event_time":%d}`, i, parts[p][i].event)
				out = append(out, sent{int32(p), parts[p][i].at, &value})
			}
		}
	}
	return out
}

// store puts the records into a broker and into a file of kcat -J lines.
func store(t *testing.T, records []sent, partitions int32) (addr, file string) {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(partitions, "orders"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	cl, err := kgo.NewClient(kgo.DisableClientMetrics(), kgo.SeedBrokers(c.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	var lines strings.Builder
	var rs []*kgo.Record
	next := map[int32]int64{}
	for _, r := range records {
		rec := &kgo.Record{Topic: "orders", Partition: r.partition, Timestamp: time.UnixMilli(r.at)}
		if r.value != nil {
			rec.Value = []byte(*r.value)
		}
		rs = append(rs, rec)
		line, err := json.Marshal(map[string]any{"topic": "orders", "partition": r.partition, "offset": next[r.partition], "tstype": "create", "ts": r.at, "payload": r.value})
		if err != nil {
			t.Fatal(err)
		}
		next[r.partition]++
		lines.Write(append(line, '\n'))
	}
	if err := cl.ProduceSync(context.Background(), rs...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "records.jsonl")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return c.ListenAddrs()[0], file
}

// The same records from a broker, a file and a profile give the same recommendation.
func TestBrokerRecordsAndProfileAgree(t *testing.T) {
	exponential := disorders()["exponential"]
	odd := func(value string, every int) []sent {
		out := planned([][]planted{plant(2000, 7, exponential), plant(2000, 8, exponential)})
		for i := range out {
			if i%every == every-1 {
				out[i].value = &value
				if value == "" {
					out[i].value = nil
				}
			}
		}
		return out
	}
	many := make([][]planted, 64)
	for p := range many {
		many[p] = plant(100, uint64(p), exponential)
	}
	quiet := [][]planted{plant(4000, 1, exponential), plant(4000, 2, exponential)}
	quiet[1] = append(quiet[1][:100:100], quiet[1][3000:]...) // silent for more than two minutes, then it wakes up
	future := plant(4000, 3, exponential)
	future[2000].event += 365 * 24 * 3_600_000
	hours := plant(6000, 4, exponential)
	for i := range hours {
		hours[i].at, hours[i].event = hours[i].at+int64(i)*3000, hours[i].event+int64(i)*3000
	}
	ties := func(r *rand.Rand) int64 { return r.Int64N(4) * 50 }
	all := map[string]struct {
		records    []sent
		partitions int32
		observe    []string
		ask        []string
		future     uint64
	}{
		"three partitions":   {planned([][]planted{plant(4000, 3, exponential), plant(4000, 4, exponential), plant(4000, 5, exponential)}), 3, nil, nil, 0},
		"one partition":      {planned([][]planted{plant(4000, 3, exponential)}), 1, nil, []string{"--target-late", "p99"}, 0},
		"many partitions":    {planned(many), 64, nil, nil, 0},
		"an empty partition": {planned([][]planted{plant(2000, 3, exponential)}), 2, nil, []string{"--sla", "10s"}, 0},
		"one that wakes up":  {planned(quiet), 2, []string{"--idle-timeout", "1m"}, nil, 0},
		"ties":               {planned([][]planted{plant(3000, 1, ties)}), 1, nil, nil, 0},
		"a future record":    {planned([][]planted{future}), 1, nil, nil, 1},
		"tombstones":         {odd("", 10), 2, nil, nil, 0},
		"broken records":     {odd("{broken", 50), 2, nil, nil, 0},
		"missing fields":     {odd(`{"id":1}`, 7), 2, nil, nil, 0},
		"defaults as times":  {odd(`{"event_time":0}`, 9), 2, nil, nil, 0},
		"some hours":         {planned([][]planted{hours}), 1, nil, []string{"--hours", "02-04", "--zone", "Europe/Berlin"}, 0},
		"dropped, not late":  {planned([][]planted{plant(4000, 3, exponential), plant(4000, 4, exponential)}), 2, nil, []string{"--target-dropped", "0.01%", "--allowed-lateness", "1s"}, 0},
	}
	for _, name := range cases.Some(slices.Sorted(maps.Keys(all)), 1) {
		v := all[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr, file := store(t, v.records, v.partitions)
			prof := filepath.Join(t.TempDir(), "orders.profile")
			zone := []string{}
			if len(v.ask) == 4 && v.ask[2] == "--zone" {
				zone = v.ask[2:]
			}
			observed(t, int64(len(v.records)), prof, addr, slices.Concat([]string{"--window", "1m"}, v.observe, zone)...)
			ask := append([]string{"--window", "1m"}, v.ask...)
			read := append(slices.Clone(ask), v.observe...) // a profile was measured with them
			var got []advise.Recommendation
			for _, input := range [][]string{{"orders", "--brokers", addr, "--field", "event_time"}, {"--records", file, "--field", "event_time"}, {"--profile", prof}} {
				said := read
				if input[0] == "--profile" {
					said = ask
				}
				out, e, err := run(t, newRecommend, "json", "", append(input, said...)...)
				if code(err) > 1 {
					t.Fatal(input, err, e)
				}
				r := decodeRecommendation(t, out)
				if name != "some hours" && input[0] != "--profile" && (r.Advice.Verified == nil || r.Advice.Verified.LateRecords != r.Advice.Verified.Predicted) {
					t.Errorf("%s: replayed through the engine: %+v", input[0], r.Advice.Verified)
				}
				r.Source, r.EventTime, r.NotSeen, r.Assumptions, r.Advice.Verified, r.Sampling = "", advise.EventTime{}, nil, nil, nil, nil
				got = append(got, r)
			}
			// A file does not show that there is a partition without records.
			if diff := cmp.Diff(got[0], got[1]); diff != "" && name != "an empty partition" {
				t.Errorf("broker and file differ: %s", diff)
			}
			if diff := cmp.Diff(got[0], got[2]); diff != "" {
				t.Errorf("broker and profile differ: %s", diff)
			}
			if seen := got[0].Counters.Seen(); name != "some hours" && seen != uint64(len(v.records)) || got[0].Counters.Future != v.future {
				t.Errorf("%d records of %d, %d future", seen, len(v.records), got[0].Counters.Future)
			}
			if n := got[0].Records; name == "some hours" && (n == 0 || n >= 6000) {
				t.Errorf("%d records in two hours of many", n)
			}
		})
	}
}
