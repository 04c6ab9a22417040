package analyze

import (
	"testing"
)

// The strategies of these jobs declare a bound of 2 s: with the silence counted, only that is unexplained.
func TestSilenceOfASourceIsPartOfItsLag(t *testing.T) {
	for _, c := range []struct {
		file, vertex string
		silentMs     int64 // sourceIdleTime in the recording, of the subtask that was idle for the least time
	}{
		{"recordings/flink-2.3.0/lab-aligned", "Source: replay", 127_866},
		{"checks/alignment-stall/fires.aligned-stall-2.3.0", "Source: Payments", 0},
		{"checks/quiet-input/fires.quiet-join-stopped-2.3.0", "Source: Payments", 0},
		{"checks/all-inputs-quiet/fires.all-quiet-2.3.0", "Source: Orders", 0},
	} {
		j := Triage(captureFile(t, "../testdata/"+c.file+".jsonl.gz"), Options{}).Jobs[0]
		for _, v := range j.Vertices {
			if v.Name != c.vertex {
				continue
			}
			parts := map[string]int64{}
			for _, p := range v.Budget {
				parts[p.Part] = p.Ms
			}
			if ms := parts["no record for"]; ms < 30_000 || c.silentMs > 0 && ms != c.silentMs {
				t.Errorf("%s: silent for %d ms, want %d: %v", c.file, ms, c.silentMs, v.Budget)
			}
			if rest := parts["unexplained"]; rest < 1500 || rest > 2500 {
				t.Errorf("%s: %d ms unexplained, want the bound of 2 s: %v", c.file, rest, v.Budget)
			}
		}
	}
}

// The budget of a source that is read has no silence; where single splits are silent, it names the split.
func TestSilenceIsNotCountedTwice(t *testing.T) {
	for _, file := range []string{"recordings/flink-2.3.0/lab-healthy", "recordings/flink-2.3.0/lab-skewed", "checks/lost-split/fires.lost-split-2.3.0", "checks/known-bug/fires.resumes-old-2.3.0"} {
		for _, v := range Triage(captureFile(t, "../testdata/"+file+".jsonl.gz"), Options{}).Jobs[0].Vertices {
			for _, p := range v.Budget {
				if p.Part == "no record for" {
					t.Errorf("%s: %s: %v", file, v.Name, v.Budget)
				}
			}
		}
	}
}

// Seconds read as milliseconds: a bound of 2 s must not become one of 23.5 s.
func TestNoBoundIsInferredInAnotherUnit(t *testing.T) {
	j := Triage(captureFile(t, "../testdata/recordings/flink-2.3.0/lab-seconds-as-millis.jsonl.gz"), Options{}).Jobs[0]
	for _, v := range j.Vertices {
		for _, p := range v.Budget {
			if p.Part == "bound (inferred)" {
				t.Errorf("%s: a bound of %d ms", v.Name, p.Ms)
			}
		}
	}
}
