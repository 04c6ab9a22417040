//go:build lab

package cmd_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/analyze/catalog"
	"tidemark/analyze/crosscheck"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/kafkastats/record"
	"tidemark/kafkastats/topic"
	"tidemark/render"
)

// crosschecked is one job of the lab, the delay it was written with and the findings it owes.
type crosschecked struct {
	job     string
	delayMs int64
	flags   []string
	codes   []string // exactly these, infos left out; empty: none
	says    []string // in the summaries
}

var crosschecks = []crosschecked{
	{job: "lab-healthy", delayMs: 2000, flags: []string{"--delay", "2s"}},
	{job: "lab-bound-too-large", delayMs: 600_000, flags: []string{"--delay", "2s"}, codes: []string{"TM801"}, says: []string{"10 min, not 2 s"}},
	{job: "lab-seconds-as-millis", delayMs: 2000, codes: []string{"TM803"}, says: []string{"divided by 1000"}},
	{job: "lab-zone-ahead", delayMs: 2000, codes: []string{"TM804"}, says: []string{"8 h ahead of"}},
	{job: "lab-zone-behind", delayMs: 2000, flags: []string{"--delay", "2s"}, codes: []string{"TM804"}, says: []string{"5 h 30 min behind"}},
	{job: "lab-future-latent", delayMs: 2000, codes: []string{"TM808"}, says: []string{"partition 3 offset"}},
	{job: "lab-idle-partition", delayMs: 2000, codes: []string{"TM808"}, says: []string{"Partition 3 of topic \"silent3\" is empty"}},
	{job: "lab-downstream-assigner", delayMs: 2000, codes: []string{"TM802"}},
	{job: "sql-tumble-5s", delayMs: 5000, flags: []string{"--delay", "5s"}},
	{job: "sql-zone-shift", delayMs: 5000, flags: []string{"--delay", "5s"}, codes: []string{"TM804"}, says: []string{"8 h ahead of"}},
}

func TestCrosscheckOnLiveCluster(t *testing.T) {
	lab := openLab(t)
	if !lab.namesSplits() {
		t.Skipf("Flink %s shows no split watermarks", lab.version)
	}
	kafka := lab.kafka()
	all := []scenario{{job: "lab-late"}}
	for _, c := range crosschecks {
		all = append(all, scenario{job: c.job})
	}
	lab.submit(all)
	for _, c := range crosschecks {
		t.Run(c.job, func(t *testing.T) { c.judge(t, lab.crosscheck(t, kafka, c)) })
	}
	t.Run("late counter", func(t *testing.T) { lab.lateCounter(t, kafka) })
}

func (l *liveLab) kafka() string { return l.setting("TIDEMARK_LAB_KAFKA") }

func (l *liveLab) crosscheck(t *testing.T, kafka string, c crosschecked) render.CrosscheckData {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(l.binary, append([]string{"crosscheck", c.job, "--flink", l.rest, "--brokers", kafka, "--format", "csv", "--field", "2", "-o", "json"}, c.flags...)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		t.Fatalf("crosscheck: %v\n%s", err, stderr.String())
	}
	var d render.CrosscheckData
	if err := json.Unmarshal(stdout.Bytes(), &d); err != nil {
		t.Fatalf("crosscheck did not print JSON: %v\n%.2000s", err, stdout.String())
	}
	return d
}

func (c crosschecked) judge(t *testing.T, d render.CrosscheckData) {
	if len(d.Sources) != 1 {
		t.Fatalf("%d sources", len(d.Sources))
	}
	s := d.Sources[0]
	if f := s.InForce; f == nil || !f.Exact || f.FromMs != c.delayMs || f.ToMs != c.delayMs {
		t.Errorf("delay in force %+v, want exactly %d ms", f, c.delayMs)
	} else {
		t.Logf("delay %d ms explains %d of %d watermarks, field %s, shift %d ms", f.FromMs, f.Agree, f.Observations, f.Field, f.ShiftMs)
	}
	for _, r := range append(slices.Clone(s.Splits), s.Subtasks...) {
		if r.Verdict != crosscheck.Equal {
			t.Errorf("%s is %s by %d ms (%s): shown %s", r.Label, r.Verdict, r.DiffMs, r.Reason, r.Shown)
			continue
		}
		width := int64(-1)
		if r.WidthMs != nil {
			width = *r.WidthMs
		}
		t.Logf("%s shows %s, expected %s to %s (tolerance %d ms of event time)", r.Label, r.Shown, r.From, r.To, width)
	}
	var codes []string
	var text strings.Builder
	for _, f := range d.Job.Findings {
		if f.Severity != catalog.Info {
			codes = append(codes, f.Code)
		}
		text.WriteString(f.Summary + "\n")
	}
	if !slices.Equal(codes, c.codes) {
		t.Errorf("findings %v, want %v:\n%s", codes, c.codes, &text)
	}
	for _, says := range c.says {
		if !strings.Contains(text.String(), says) {
			t.Errorf("no finding says %q:\n%s", says, &text)
		}
	}
}

// lateCounter compares what the job dropped between two metric fetches with what simulate drops of the
// same records. The phase of the real emissions is unknown, so the counters may differ by the records
// of an emission interval at each firing.
func (l *liveLab) lateCounter(t *testing.T, kafka string) {
	path := filepath.Join(t.TempDir(), "late.jsonl")
	if out, err := exec.Command(l.binary, "snapshot", "lab-late", "-o", path, "--flink", l.rest).CombinedOutput(); err != nil {
		t.Fatalf("snapshot: %v\n%s", err, out)
	}
	rec, err := flinkapi.OpenRecording(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	capture, err := rec.Capture(context.Background(), flinkapi.CaptureOptions{Jobs: []string{"lab-late"}})
	if err != nil {
		t.Fatal(err)
	}
	job := model.BuildJob(capture, capture.Jobs[0])
	if !job.Compared() {
		t.Fatal("the two samples are of one metric fetch")
	}
	var before, now [16]int64
	for _, s := range job.Sources()[0].Subtasks {
		for _, sp := range s.Splits {
			var p int
			if _, err := fmt.Sscanf(sp.ID, "late-%d", &p); err != nil {
				t.Fatal(err)
			}
			before[p], now[p] = int64(sp.Offset.Before), int64(sp.Offset.Now)
		}
	}
	var counted float64
	for _, v := range job.Vertices {
		for _, c := range v.Late {
			rise, _ := c.Dropped.Rise()
			counted += rise
		}
	}
	file, started := filepath.Join(t.TempDir(), "late.jsonl"), job.Now.Job.Timestamps["RUNNING"]
	l.dump(t, kafka, "late", file, now, started)
	var dropped [2]int64 // up to each fetch
	var firings int64
	for i, upTo := range [][16]int64{before, now} {
		part := filepath.Join(t.TempDir(), "part.jsonl")
		cutRecords(t, file, part, upTo)
		out, err := exec.Command(l.binary, "simulate", "--records", part, "--sort", "--format", "csv", "--field", "2", "--delay", "2s", "--parallelism", "2",
			"--window", "tumbling:10s", "--tail", "0s", "-o", "json").Output()
		if err != nil {
			t.Fatalf("simulate: %v", err)
		}
		var d render.SimulationData
		if err := json.Unmarshal(out, &d); err != nil {
			t.Fatal(err)
		}
		dropped[i] = d.Strategies[0].Windows[0].Dropped
		firings = d.Strategies[0].Windows[0].Fired - firings
	}
	simulated := dropped[1] - dropped[0]
	perInterval := float64(sum(now)-sum(before)) / float64(job.GapMs) * 200
	allowed := int64(perInterval+1) * max(firings, 1)
	t.Logf("numLateRecordsDropped rose by %.0f in %d ms, simulate dropped %d of the same %d records; %.1f records fall in an emission interval, %d windows fired",
		counted, job.GapMs, simulated, sum(now)-sum(before), perInterval, firings)
	if diff := int64(counted) - simulated; diff > allowed || diff < -allowed {
		t.Errorf("they differ by %d, more than %d", diff, allowed)
	}
	if counted == 0 {
		t.Error("nothing was late, so nothing was compared")
	}
}

func sum(offsets [16]int64) (n int64) {
	for _, o := range offsets {
		n += o
	}
	return n
}

// dump writes a topic up to some offsets as kcat -J lines. What was there when the job started was read
// at its start, so it arrives then.
func (l *liveLab) dump(t *testing.T, kafka, name, path string, upTo [16]int64, started int64) {
	t.Helper()
	conn := []kgo.Opt{kgo.SeedBrokers(kafka)}
	facts, err := topic.Describe(context.Background(), conn, name, false)
	if err != nil {
		t.Fatal(err)
	}
	o := topic.Options{Conn: conn, Topic: name, TopicID: facts.ID}
	for _, p := range facts.Partitions() {
		o.Ranges = append(o.Ranges, topic.Range{Partition: p, PreRoll: facts.Start[p], From: facts.Start[p], To: upTo[p] + 1})
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	_, err = topic.Read(context.Background(), o, func(r *record.Raw) error {
		_, err := fmt.Fprintf(w, `{"topic":%q,"partition":%d,"offset":%d,"tstype":"create","ts":%d,"payload":%q}`+"\n", name, r.Partition, r.Offset, max(r.Timestamp, started), r.Value)
		return err
	})
	if err := errors.Join(err, w.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// cutRecords keeps the lines up to some offsets.
func cutRecords(t *testing.T, from, to string, upTo [16]int64) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, line := range bytes.SplitAfter(text, []byte("\n")) {
		var r struct{ Partition, Offset int64 }
		if len(line) > 0 && json.Unmarshal(line, &r) == nil && r.Offset <= upTo[r.Partition] {
			out.Write(line)
		}
	}
	if err := os.WriteFile(to, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
