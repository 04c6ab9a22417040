package analyze

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

// foundAt is the first finding of a code in a recording of one job.
func foundAt(t *testing.T, file, code string) catalog.Finding {
	t.Helper()
	for _, f := range onlyJob(t, "../testdata/"+file+".jsonl.gz").Findings {
		if f.Code == code {
			return f
		}
	}
	t.Fatalf("%s: no %s", file, code)
	return catalog.Finding{}
}

// Three causes look the same in REST: none is preferred, and the fix lists them in the order in which to look.
func TestNoWatermarkNamesThreeCauses(t *testing.T) {
	for _, version := range []string{"1.20.3", "2.3.0"} {
		for _, name := range []string{"lab-interval-zero", "lab-custom-never-emits"} {
			f := foundAt(t, "recordings/flink-"+version+"/"+name, "TM101")
			if strings.Contains(f.Summary, "Most likely") || !strings.Contains(f.Summary, "REST does not show") {
				t.Errorf("%s: %s", name, f.Summary)
			}
			for _, text := range []string{f.Summary, f.Fix.Text} {
				at := 0
				for _, cause := range []string{"strategy", "a custom generator", "pipeline.auto-watermark-interval"} {
					i := strings.Index(text[at:], cause)
					if i < 0 {
						t.Errorf("%s: %q is not in order in %s", name, cause, text)
						break
					}
					at += i
				}
			}
			if !strings.Contains(f.Fix.DataStream, "emitWatermark(") || !strings.Contains(f.Fix.DataStream, "setAutoWatermarkInterval(200)") {
				t.Errorf("%s: %s", name, f.Fix.DataStream)
			}
		}
	}
}

// A watermark is said to stand still for as long as that was observed, and never for longer than the job runs.
func TestStandingIsWhatWasSeen(t *testing.T) {
	for _, pattern := range []string{recordingsDir + "/*/*.jsonl.gz", "../testdata/checks/*/*.jsonl.gz", "../testdata/faults/restart-long-ago*.jsonl.gz", "../testdata/faults/generator-stopped.jsonl.gz"} {
		for _, file := range filesIn(t, pattern) {
			for i, report := range judgeFile(t, file).Jobs {
				for _, f := range report.Findings {
					if f.Code != "TM110" {
						continue
					}
					c := captureFile(t, file)
					if j := model.BuildJob(c, c.Jobs[i]); *f.SinceMs > min(j.UptimeMs, j.GapMs) {
						t.Errorf("%s: stands still for %d ms, observed for %d of %d ms", file, *f.SinceMs, j.GapMs, j.UptimeMs)
					}
					if !strings.Contains(f.Summary, "time column") && !strings.Contains(f.Summary, "a split whose times are far behind") {
						t.Errorf("%s: %s", file, f.Summary)
					}
				}
			}
		}
	}
}

// An unknown delay is not reported as none, and no delay is proposed that is smaller than the lateness of records read.
func TestDelayThatCannotBeTold(t *testing.T) {
	f := foundAt(t, "recordings/flink-2.3.0/lab-late", "TM401")
	if !strings.Contains(f.Fix.DataStream, "is not known: 0 ms to 3.8 s") || strings.Contains(f.Fix.DataStream, "about 0 ms") {
		t.Error(f.Fix.DataStream)
	}
	for _, pattern := range []string{recordingsDir + "/*/*.jsonl.gz", "../testdata/checks/*/*.jsonl.gz"} {
		for _, file := range filesIn(t, pattern) {
			for i, report := range judgeFile(t, file).Jobs {
				for _, f := range report.Findings {
					if strings.Contains(f.Fix.DataStream, "about 0 ms, inferred") {
						t.Errorf("%s %s: %s", file, f.Code, f.Fix.DataStream)
					}
					m := proposed.FindStringSubmatch(f.Fix.DataStream)
					if f.Code != "TM401" || m == nil {
						continue
					}
					c := captureFile(t, file)
					j := model.BuildJob(c, c.Jobs[i])
					if len(j.Sources()) != 1 {
						continue
					}
					n, _ := strconv.ParseInt(m[2], 10, 64)
					ms := n * map[string]int64{"Millis": 1, "Seconds": 1000, "Minutes": 60_000, "Hours": 3_600_000}[m[1]]
					if lo, hi, ok := j.Sources()[0].EmitLag(); ok && float64(ms+100) < hi-lo {
						t.Errorf("%s: %d ms is proposed, and records were %.0f to %.0f ms old", file, ms, lo, hi)
					}
				}
			}
		}
	}
}

var proposed = regexp.MustCompile(`forBoundedOutOfOrderness\(Duration\.of(\w+)\((\d+)\)\)`)

// A source that keeps its watermark below its newest record leaves windows open that are due, until a later record comes.
func TestKeptBelowItsNewestIsNotFine(t *testing.T) {
	const file = "faults/known-bug-missing-38454"
	if f := foundAt(t, file, "TM650"); f.Severity != catalog.Warning || !strings.Contains(f.Fix.Text, "later record") {
		t.Errorf("%s: %s", f.Severity, f.Fix.Text)
	}
	if f := foundAt(t, file, "TM106"); !strings.Contains(f.Summary, "are due, and stay open") || strings.Contains(f.Fix.Text, "Nothing is wrong") {
		t.Errorf("%s: %s", f.Summary, f.Fix.Text)
	}
}

// While a watermark stands still no record becomes late: dropped records are from a split that is behind.
func TestDropsUnderAStandingWatermark(t *testing.T) {
	for _, j := range Triage(captureFile(t, "../testdata/faults/restart-long-ago.18.1.jsonl.gz"), Options{}).Jobs {
		for _, f := range j.Findings {
			if f.Code == "TM110" && (f.Confidence != catalog.Possible || !strings.Contains(f.Summary, "in another unit, or far behind")) {
				t.Errorf("%s: %s", f.Confidence, f.Summary)
			}
		}
	}
}

// A known bug with its own evidence accounts for a standstill; a mere note about one does not.
func TestAKnownBugAccountsForWhatItStops(t *testing.T) {
	for file, want := range map[string]string{"checks/known-bug/fires.resumes-old-2.3.0": "TM650", "faults/covered-by-info-1200": ""} {
		j := onlyJob(t, "../testdata/"+file+".jsonl.gz")
		if hasCause(j.Findings, "unexplained") {
			t.Errorf("%s: %v", file, j.Findings)
		}
		for _, v := range j.Vertices {
			for _, c := range v.Account {
				if c.Claim == catalog.Movement && !c.Good && c.By != want {
					t.Errorf("%s: %s is accounted for by %q, want %q", file, v.Name, c.By, want)
				}
			}
		}
	}
}
