package analyze

import (
	"encoding/json"
	"hash/fnv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/analyze/catalog"
	"tidemark/internal/cases"
)

// The same recording gives the same report, byte for byte: nothing may depend on the order of a map.
func TestReportIsDeterministic(t *testing.T) {
	for _, file := range cases.Some(filesIn(t, recordingsDir+"/*/*.jsonl.gz"), 20) {
		first, err := json.Marshal(judgeFile(t, file))
		if err != nil {
			t.Fatal(err)
		}
		for range cases.Of(1, 3) {
			again, _ := json.Marshal(Triage(captureFile(t, file), Options{}))
			if diff := cmp.Diff(string(first), string(again)); diff != "" {
				t.Fatalf("%s differs:\n%s", file, diff)
			}
		}
	}
}

// Whichever half of the metrics is missing, there is no alarm that the whole does not give.
func TestMissingMetricsRaiseNoAlarm(t *testing.T) {
	for _, file := range cases.Some(filesIn(t, recordingsDir+"/*/*.jsonl.gz"), 20) {
		full := onlyJob(t, file)
		for salt := range byte(cases.Of(1, 4)) {
			c := captureFile(t, file)
			for _, s := range c.Jobs[0].Samples {
				for _, v := range s.Vertices {
					for id := range v.Metrics {
						h := fnv.New32a()
						h.Write(append([]byte(id), salt))
						if h.Sum32()>>7&1 == 0 {
							delete(v.Metrics, id)
						}
					}
				}
			}
			j := Triage(c, Options{}).Jobs[0]
			checkReport(t, j)
			for _, f := range j.Findings {
				// A stall without its cause, or one split of a silent source, may remain.
				weaker := full.Verdict == VerdictCritical && (f.Cause == "unexplained" || f.Cause == "idle-split" && hasCause(full.Findings, "quiet-input"))
				if f.Severity == catalog.Critical && !weaker && !hasCause(full.Findings, f.Cause) {
					t.Errorf("%s, half %d: %s: %s", file, salt, placeOf(f), f.Summary)
				}
			}
		}
	}
}

// Findings below MinSeverity are left out of the report but count for the verdict.
func TestMinSeverity(t *testing.T) {
	file := checksDir + "/late-records-past/fires.late-past-2.3.0.jsonl.gz"
	all := Triage(captureFile(t, file), Options{}).Jobs[0]
	few := Triage(captureFile(t, file), Options{MinSeverity: catalog.Warning}).Jobs[0]
	if len(all.Findings) != 1 || len(few.Findings) != 0 || all.Verdict != VerdictInfo || few.Verdict != VerdictInfo {
		t.Errorf("%d findings %s, with a limit %d %s", len(all.Findings), all.Verdict, len(few.Findings), few.Verdict)
	}
}
