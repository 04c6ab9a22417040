package near

import "testing"

func TestNearOnlyLeavesOutWhatIsNothingAlike(t *testing.T) {
	known := []string{"TM101", "TM102", "idle-split", "batch"}
	if got := Alike("nosuch", known, 3); len(got) != 0 {
		t.Errorf("nosuch is like %q", got)
	}
	if got := Alike("idle-splt", known, 3); len(got) != 1 || got[0] != "idle-split" {
		t.Errorf("idle-splt is like %q", got)
	}
}
