package cmd

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tidemark/internal/cases"
	"tidemark/internal/expect"
	"tidemark/kafkastats/record"
	"tidemark/render"
)

// A part of a file is measured and simulated as the same part of a topic with these records.
func TestAPartOfAFileIsThatOfItsTopic(t *testing.T) {
	t.Parallel()
	cases.Slow(t)
	parts := [][]planted{plant(1500, 3, disorders()["uniform"]), plant(1500, 4, disorders()["exponential"])}
	addr := brokerWith(t, parts)
	file := expect.File(t, "orders.jsonl", kcatFile(parts))
	at := func(i int) string { return time.UnixMilli(parts[0][i].at).UTC().Format(time.RFC3339Nano) }
	for name, v := range map[string]struct {
		args []string
		left bool
	}{
		"all":          {nil, false},
		"since":        {[]string{"--since", at(500)}, true},
		"until":        {[]string{"--until", at(900)}, true},
		"both":         {[]string{"--since", at(500), "--until", at(900)}, true},
		"former names": {[]string{"--from", at(500), "--to", at(900)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			measured := func(source ...string) ([]string, *record.LeftOut) {
				args := append(append(source, "--field", "event_time", "--emit-interval", "0s"), v.args...)
				out, e, err := run(t, newRecommend, "json", "", args...)
				if code(err) > 1 {
					t.Fatal(err, e)
				}
				r := decodeRecommendation(t, out)
				left := r.LeftOut
				// These say where the records were, and whose their timestamps are.
				r.Counters.Append, r.Counters.SameAsKafka = 0, 0
				r.Source, r.Sampling, r.LeftOut, r.NotSeen, r.Review.NotSeen, r.Findings, r.Assumptions = "", nil, nil, nil, "", nil, nil
				return lines(t, r), left
			}
			topic, none := measured("orders", "--brokers", addr)
			of, left := measured("--records", file)
			if d := cmp.Diff(topic, of); d != "" {
				t.Error(d)
			}
			if none != nil || (left != nil) != v.left || left != nil && left.Before+left.After == 0 {
				t.Errorf("left out of the topic %v, of the file %v", none, left)
			}
			if name == "former names" {
				return
			}
			simulated := func(source ...string) (got []render.SimulatedStrategy, input render.SimulationInput, notes string) {
				out, e, err := run(t, newSimulate, "json", "", append(append(source, "--field", "event_time", "--delay", "1s"), v.args...)...)
				if err != nil {
					t.Fatal(err, e)
				}
				var d render.SimulationData
				if err := json.Unmarshal([]byte(out), &d); err != nil {
					t.Fatal(err)
				}
				return d.Strategies, d.Input, strings.Join(d.Notes, "\n")
			}
			topicSays, _, _ := simulated("--topic", "orders", "--brokers", addr)
			fileSays, input, notes := simulated("--records", file, "--sort")
			if d := cmp.Diff(lines(t, topicSays), lines(t, fileSays)); d != "" {
				t.Error(d)
			}
			if (input.LeftOut != nil) != v.left || strings.Contains(notes, "left out as asked") != v.left {
				t.Errorf("left out %v, notes %s", input.LeftOut, notes)
			}
		})
	}
}

// A partition that was silent in the part holds the watermark back, as it does for a job that begins there.
func TestASilentPartitionOfAPartIsThere(t *testing.T) {
	file := expect.File(t, "a.csv", "0,1000,1000\n1,2000,2000\n0,3000,3000\n0,4000,4000\n")
	out, _, err := run(t, newSimulate, "json", "", "--records", file, "--since", "1970-01-01T00:00:03Z")
	var d render.SimulationData
	if err != nil || json.Unmarshal([]byte(out), &d) != nil || d.Input.Records != 2 || len(d.Input.Partitions) != 2 || d.Strategies[0].Watermark.IsKnown() {
		t.Errorf("%v %s", err, out)
	}
}

func TestWhatAFileCannotBeCutBy(t *testing.T) {
	without := expect.File(t, "none.jsonl", `{"topic":"orders","partition":0,"offset":1,"tstype":"unknown","ts":-1,"payload":"{\"ts\":1796000000000}"}`+"\n")
	prof := filepath.Join(t.TempDir(), "p")
	for want, lines := range map[string][]string{
		"--since cannot be used: " + without + ":1 has no arrival time": {"recommend --since 7d --records " + without, "simulate --field ts --since 7d --records " + without, "observe orders --since 7d --profile " + prof + " --records " + without},
		"--last is not used: a file of records is read once":            {"recommend --last 5 --records " + without, "simulate --last 5 --records -"},
		"--segments is not used: only a topic can be read in segments":  {"recommend --segments 3 --records " + without},
		"--until is not used: only a topic or a file can be cut":        {"recommend --until 1h --profile " + prof},
		"--since is not used: a topic is observed from its end on":      {"observe orders --since 7d --brokers h:1 --profile " + prof},
		"--since is \"1h\", which is not before --until":                {"recommend --since 1h --until 1h --records " + without, "simulate --since 1h --until 1h --records " + without},
	} {
		for _, line := range lines {
			f := newFake(nil)
			if code := Main(strings.Fields(line), f.env); code != exitUsage || !strings.Contains(f.err.String(), want) || f.out.Len() > 0 {
				t.Errorf("%s: %d %s%s, want %s", line, code, f.err, f.out, want)
			}
		}
	}
}
