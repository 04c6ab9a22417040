package analyze

import (
	"path/filepath"
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
	"tidemark/internal/cases"
	"tidemark/internal/jobtest"
)

// Jobs that look stalled but are not, or of which this is unknown: the verdict says which.
func TestTraps(t *testing.T) {
	for _, c := range []struct {
		file       string
		verdict    Verdict
		samples    int
		findings   string
		notChecked string
	}{
		{"checks/idle-split/quiet.edit-one-fetch", VerdictIncomplete, 1, "split-skew", "TM902"}, // it is far behind; whether it moves is unknown from one fetch
		{"checks/late-records/quiet.edit-one-fetch", VerdictIncomplete, 1, "", "TM902"},
		{"checks/operator-stall/quiet.edit-one-fetch", VerdictIncomplete, 1, "", "TM902"},
		{"checks/idle-split/quiet.edit-cache-frozen", VerdictIncomplete, 1, "", "TM903"},
		{"checks/idle-split/quiet.edit-cancelled", VerdictInfo, 1, "not-running", ""},
		{"checks/not-running/fires.healthy-cancelled-2.3.0", VerdictInfo, 1, "not-running", ""},
		{"checks/idle-split/quiet.edit-just-restarted", VerdictIncomplete, 2, "", "TM906"},
		{"checks/idle-split/quiet.edit-low-traffic", VerdictInfo, 2, "sparse-input", ""},
		{"checks/idle-split/quiet.edit-below-timeout", VerdictIncomplete, 2, "", "TM906"},
		{"checks/restart-loop/quiet.edit-one-old-restart", VerdictHealthy, 2, "", ""},
		{"checks/end-of-input-max/quiet.bounded-2.3.0", VerdictHealthy, 2, "", ""},
		{"checks/quiet-input/quiet.control-stream-declared-2.3.0", VerdictHealthy, 2, "", ""},
		{"checks/quiet-input/quiet.control-stream-declared-1.20.3", VerdictHealthy, 2, "", ""},
		{"checks/late-records/quiet.late-past-2.3.0", VerdictInfo, 2, "late-records-past", ""},
		{"checks/late-records/fires.between-windows-2.3.0", VerdictCritical, 2, "late-records", ""},
		{"checks/late-records/quiet.edit-no-meter", VerdictIncomplete, 2, "", "TM401"}, // no row reached the counter: not healthy
		{"checks/idle-split/quiet.partition-added-2.3.0", VerdictInfo, 2, "late-records-past", ""},
		{"checks/quiet-input/fires.and-idle-split-2.3.0", VerdictCritical, 2, "idle-split quiet-input", ""},
	} {
		t.Run(c.file, func(t *testing.T) {
			j := onlyJob(t, "../testdata/"+c.file+".jsonl.gz")
			if j.Verdict != c.verdict || j.Samples != c.samples {
				t.Errorf("verdict %s of %d samples, want %s of %d: %v %v", j.Verdict, j.Samples, c.verdict, c.samples, placesOf(j.Findings), j.NotChecked)
			}
			var causes []string
			for _, f := range j.Findings {
				causes = append(causes, f.Cause)
			}
			if got := strings.Join(causes, " "); got != c.findings {
				t.Errorf("findings %q, want %q", got, c.findings)
			}
			if c.notChecked != "" && !notCheckedFor(j, c.notChecked, "") {
				t.Errorf("%s is missing: %v", c.notChecked, j.NotChecked)
			}
			if c.samples == 1 {
				for _, v := range j.Vertices {
					if v.Moving != nil {
						t.Errorf("%s: moving is %v with nothing to compare", v.Name, *v.Moving)
					}
				}
			}
		})
	}
}

// If a sample broke off before some vertices, or lost the job, what was read is judged.
func TestJobVanishesInTheSecondSample(t *testing.T) {
	c := captureFile(t, recordingsDir+"/flink-2.3.0/lab-over-parallel.jsonl.gz")
	s := c.Jobs[0].Samples
	s[1].HasJob = false
	s[1].Missing = append(s[1].Missing, flinkapi.Gap{Path: "/jobs/x", Status: 404, Cause: "Job x not found"})
	j := Triage(c, Options{}).Jobs[0]
	if !hasCause(j.Findings, "excess-parallelism") || j.Samples != 1 || !notCheckedFor(j, "TM902", "") {
		t.Errorf("%s of %d samples: %v, %v", j.Verdict, j.Samples, placesOf(j.Findings), j.NotChecked)
	}
	c = captureFile(t, recordingsDir+"/flink-2.3.0/lab-over-parallel.jsonl.gz")
	for _, v := range c.Jobs[0].Samples[1].Vertices {
		delete(c.Jobs[0].Samples[1].Vertices, v.ID)
	}
	if j = Triage(c, Options{}).Jobs[0]; !hasCause(j.Findings, "excess-parallelism") {
		t.Errorf("without vertices in the second sample: %v", placesOf(j.Findings))
	}
	c = captureFile(t, recordingsDir+"/flink-2.3.0/lab-over-parallel.jsonl.gz")
	c.Jobs[0].Samples = nil
	if j = Triage(c, Options{}).Jobs[0]; j.Verdict != VerdictIncomplete || len(j.NotChecked) == 0 {
		t.Errorf("a job without a sample is %s", j.Verdict)
	}
}

// A job with half of its metrics refused must neither be healthy nor have a stall that does not exist.
func TestHalfOfTheMetrics(t *testing.T) {
	all := filesIn(t, recordingsDir+"/*/*.jsonl.gz")
	for _, file := range cases.Some(all, len(all)/3) {
		c := captureFile(t, file)
		full := onlyJob(t, file)
		for _, s := range c.Jobs[0].Samples {
			for _, v := range s.Vertices {
				for id := range v.Metrics {
					if strings.HasSuffix(id, "Watermark") {
						delete(v.Metrics, id)
					}
				}
				v.Aggregates = nil
			}
		}
		j := Triage(c, Options{}).Jobs[0]
		if j.State == "RUNNING" && (j.Verdict == VerdictHealthy || j.Verdict == VerdictInfo) {
			t.Errorf("%s: %s without a single watermark; %v", file, j.Verdict, j.NotChecked)
		}
		for _, f := range j.Findings {
			if f.Severity == catalog.Critical && !hasCause(full.Findings, f.Cause) {
				t.Errorf("%s: invents %s: %s", file, f.Cause, f.Summary)
			}
		}
	}
}

// In its first minute a job may still be waiting for an idle timeout that REST does not show.
func TestYoungJobIsWarnedOf(t *testing.T) {
	for _, c := range []struct {
		uptime int64
		want   string
	}{
		{44_000, ""},
		{50_000, "idle-split warning @Orders #1 split silent-0"},
		{61_000, "idle-split critical @Orders #1 split silent-0"},
	} {
		j := judge(jobtest.StuckSplit().Uptime(c.uptime), t)
		got := ""
		for _, f := range j.Findings {
			if f.Severity != catalog.Info {
				got += placeOf(f)
			}
		}
		if got != c.want {
			t.Errorf("after %d ms: %q, want %q", c.uptime, got, c.want)
		}
	}
}

// The headline of a job without a fault says how it runs, not how large a harmless number is.
func TestHeadlines(t *testing.T) {
	for file, want := range map[string]string{
		"recordings/flink-1.20.3/lab-healthy":                              "The watermark advances everywhere; largest lag 2.4 s",
		"checks/all-inputs-quiet/fires.all-quiet-plain-2.3.0":              "Every source is silent",
		"checks/no-event-time/fires.no-event-time-2.3.0":                   "No operator of the job uses event time",
		"checks/warming-up/fires.warming-up-2.3.0":                         "\"Window10s\" could not be judged: the job has run for 34.7 s only, too short to tell whether it advances",
		"checks/source-backlog/fires.catching-up-2.3.0":                    "\"Orders\" is catching up",
		"checks/not-running/fires.healthy-cancelled-2.3.0":                 "The job is CANCELED",
		"checks/batch/fires.batch-2.3.0":                                   "Batch job: watermarks do not apply",
		"recordings/flink-2.3.0/lab-idle-partition":                        "Partition silent3-3 is silent: no window behind \"Orders\" can fire",
		"recordings/flink-2.3.0/sql-statement-set":                         "\"Deduplicate[78]\" could not be judged: it is 2 min 5 s late",
		"checks/end-of-input-max/quiet.bounded-2.3.0":                      "No fault found; largest watermark lag",
		"recordings/flink-2.3.0/sql-interval-join":                         "Whether the watermark of \"KafkaSource-o\" advances is unknown: its metrics could not be read: the request was longer than Flink accepts; read the job again",
		"recordings/flink-2.3.0/sql-tumble-5s":                             "Not every watermark of \"KafkaSource-o\" could be read: the request was longer than Flink accepts; read the job again",
		"checks/window-without-output/fires.custom-trigger-1.20.3":         "\"Window10s\" receives records but has never emitted a row",
		"checks/future-record/quiet.built-clock-half-a-minute-ahead-2.3.0": "The watermark advances everywhere; ahead of the clock by 29.5 s, at",
		"checks/idle-split/fires.sql-current-watermark-1.20.3":             "Partition silent3-3 is silent: \"Calc[2]\" gets no watermark",
		"checks/known-bug/fires.idle-below-newest-2.1.1":                   "\"KafkaSource-o\" shows FLINK-38454, a bug of Flink 2.1.1",
		"checks/quiet-input/quiet.control-stream-declared-1.20.3":          "No fault found",
		"checks/restart-loop/fires.no-timestamps-2.3.0":                    "The job fails: its records carry no timestamp, and the window refuses them",
		"checks/minibatch-proctime/fires.sql-mini-batch-proctime-2.3.0":    "No operator of the job uses event time",
	} {
		if j := onlyJob(t, "../testdata/"+file+".jsonl.gz"); !strings.HasPrefix(j.Headline, want) {
			t.Errorf("%s: %q, want %q", file, j.Headline, want)
		}
	}
}

// A headline that calls for action says where: an operator, a partition, or the whole job.
func TestHeadlinesNameAPlace(t *testing.T) {
	files, err := filepath.Glob("../testdata/checks/*/fires.*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	told := 0
	for _, file := range files {
		for _, j := range judgeFile(t, file).Jobs {
			if j.Verdict != VerdictCritical && j.Verdict != VerdictWarning {
				continue
			}
			told++
			switch first, _, _ := strings.Cut(j.Headline, " "); {
			case strings.Contains(j.Headline, `"`), first == "Partition", first == "Split", strings.HasPrefix(j.Headline, "The job "), strings.HasPrefix(j.Headline, "This Flink version"):
			default:
				t.Errorf("%s: %q names no place", file, j.Headline)
			}
			if len([]rune(j.Headline)) > 160 {
				t.Errorf("%s: %q is no headline", file, j.Headline)
			}
		}
	}
	if told < 50 {
		t.Errorf("only %d headlines", told)
	}
}

// With one fetch a silent input is recognised by sourceIdleTime; the record that it read last is not old data.
func TestOneFetchOfASilentSource(t *testing.T) {
	for file, want := range map[string]string{
		"checks/quiet-input/fires.quiet-join-stopped-2.3.0":            "quiet-input",
		"checks/all-inputs-quiet/fires.all-quiet-plain-2.3.0":          "all-inputs-quiet",
		"checks/alignment-stall/fires.aligned-stall-1.18.1":            "",
		"recordings/flink-2.3.0/lab-bound-too-large":                   "bound-too-large",
		"recordings/flink-2.3.0/lab-healthy":                           "",
		"checks/idle-split/quiet.sparse-2.3.0":                         "",
		"checks/source-backlog/fires.catching-up-one-split-2.3.0":      "source-backlog",
		"checks/old-data/fires.old-data-2.3.0":                         "old-data",
		"checks/operator-stall/fires.timer-blocked-2.3.0":              "backpressure",
		"checks/quiet-input/quiet.control-stream-declared-2.3.0":       "",
		"checks/idle-split/quiet.idle-partition-declared-2.3.0":        "",
		"checks/excess-parallelism/quiet.over-parallel-declared-2.3.0": "",
	} {
		c := captureFile(t, "../testdata/"+file+".jsonl.gz")
		c.Jobs[0].Samples = c.Jobs[0].Samples[:1]
		j := Triage(c, Options{}).Jobs[0]
		if want != "" && !hasCause(j.Findings, want) {
			t.Errorf("%s: %v, want %s", file, placesOf(j.Findings), want)
		}
		for _, f := range j.Findings {
			if f.Cause != want && f.Severity != catalog.Info && f.Confidence == catalog.Certain {
				t.Errorf("%s: certain of %s from one fetch: %s", file, f.Cause, f.Summary)
			}
		}
	}
}

// A partition that was added to a running job has been silent since it was added, any other since the start of the job.
func TestSilenceOfAnAddedSplit(t *testing.T) {
	for file, want := range map[string]string{
		"fires.partition-added-silent-2.3.0":  "grown-silent-2 of source \"Orders\" (subtask 1) has sent no record since it was assigned 4 min 5 s ago",
		"fires.partition-added-silent-1.20.3": "fx8504-growsq-4 of source \"Orders\" (subtask 1) has sent no record since it was assigned 2 min 38 s ago",
		"fires.partition-added":               "has sent no record since it was assigned 54.4 s ago",
		"fires.idle-partition-2.3.0":          "has sent no record since the job started",
	} {
		j := onlyJob(t, checksDir+"/idle-split/"+file+".jsonl.gz")
		if got := j.Findings[0].Summary; !strings.Contains(got, want) {
			t.Errorf("%s: %q does not say %q", file, got, want)
		}
	}
}
