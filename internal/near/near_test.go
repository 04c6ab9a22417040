package near

import (
	"strings"
	"testing"
)

func TestNearOnlyLeavesOutWhatIsNothingAlike(t *testing.T) {
	known := []string{"TM101", "TM102", "idle-split", "batch"}
	if got := Alike("nosuch", known, 3); len(got) != 0 {
		t.Errorf("nosuch is like %q", got)
	}
	if got := Alike("idle-splt", known, 3); len(got) != 1 || got[0] != "idle-split" {
		t.Errorf("idle-splt is like %q", got)
	}
}

func TestTheNearestWordStandsFirst(t *testing.T) {
	known := []string{"idle-split", "idle-subtask", "never-emitted", "TM102"}
	for want, first := range map[string]string{"idle-spilt": "idle-split", "never": "never-emitted", "tm101": "TM102", "IDLE-SUBTASKS": "idle-subtask"} {
		if got := Words(want, known, 2); len(got) != 2 || got[0] != first {
			t.Errorf("near %q: %s, want %s first", want, strings.Join(got, ", "), first)
		}
	}
	if got := Words("x", nil, 3); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}
