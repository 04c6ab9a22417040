package catalog

import (
	"slices"
	"strings"
	"testing"
)

// with runs a test on a catalogue of its own.
func with(t *testing.T, checks ...Check) {
	before := registry
	t.Cleanup(func() { registry = before })
	registry = slices.Clone(checks)
}

func TestRegisterRefusesWhatIsTaken(t *testing.T) {
	for _, c := range []Check{{Code: "TM001", Cause: "other"}, {Code: "TM002", Cause: "first"}, {Code: "TM001", Cause: "first"}} {
		with(t, Check{Code: "TM001", Cause: "first"})
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, "TM001 first") {
					t.Errorf("%s %s was taken, said %q", c.Code, c.Cause, said)
				}
			}()
			Register(c)
		}()
	}
	with(t, Check{Code: "TM001", Cause: "first"})
	if !Register(Check{Code: "TM002", Cause: "second"}) || len(Checks()) != 2 {
		t.Error("a new check was not taken")
	}
}

func TestFormerCausesAreUnderstood(t *testing.T) {
	with(t, Check{Code: "TM001", Cause: "now", Former: []string{"once", "shared"}}, Check{Code: "TM002", Cause: "shared"})
	for name, code := range map[string]string{"once": "TM001", "shared": "TM002", "now": "TM001", "TM002": "TM002", "never": ""} {
		if c, ok := FindCheck(name); c.Code != code || ok != (code != "") {
			t.Errorf("%s is %s, want %s", name, c.Code, code)
		}
	}
	if was := Formerly("shared"); len(was) != 1 || was[0].Code != "TM001" {
		t.Errorf("formerly shared: %v", was)
	}
}
