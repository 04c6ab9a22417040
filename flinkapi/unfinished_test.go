package flinkapi

import (
	"context"
	"os"
	"strings"
	"testing"
)

// A recording cut between two lines is reported as cut if any value of its last sample is missing.
func TestRecordingCutBetweenLines(t *testing.T) {
	f, err := os.Open("../testdata/recordings/flink-2.3.0/lab-idle-partition.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	whole, err := ReadRecording("whole", f)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := whole.Capture(context.Background(), CaptureOptions{}); err != nil || whole.Damage != nil || len(c.Jobs[0].Samples) != 2 {
		t.Fatalf("%v, damage %v", err, whole.Damage)
	}
	job, gets := 0, []int{} // the line that opens the second sample, and those with values
	for i, e := range whole.Entries {
		if strings.HasPrefix(e.Path, "/jobs/") && strings.Count(e.Path, "/") == 2 && e.Path != "/jobs/overview" {
			job = i
		}
		if strings.Contains(e.Path, "/metrics?get=") {
			gets = append(gets, i)
		}
	}
	last := gets[len(gets)-1]
	for n := job + 1; n <= len(whole.Entries); n++ {
		cut := &Recording{Name: "cut", Entries: whole.Entries[:n]}
		if _, err := cut.Capture(context.Background(), CaptureOptions{}); err != nil {
			t.Fatal(err)
		}
		if damaged := cut.Damage != nil; damaged != (n <= last) {
			t.Errorf("%d of %d lines: damage %v", n, len(whole.Entries), cut.Damage)
		}
		once := &Recording{Name: "cut", Entries: whole.Entries[:n]}
		if _, err := once.Capture(context.Background(), CaptureOptions{Once: true}); err != nil || once.Damage != nil {
			t.Errorf("the first sample is whole: %v %v", err, once.Damage)
		}
	}
}
