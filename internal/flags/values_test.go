package flags

import (
	"testing"
	"time"
)

func TestDurationsRepeatAndReplaceTheDefault(t *testing.T) {
	windows := []time.Duration{time.Minute}
	f := &durationsFlag{into: &windows}
	if f.String() != "1 min" {
		t.Errorf("the default reads %q", f.String())
	}
	for _, text := range []string{"10s,5 min", "PT1H"} {
		if err := f.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	if got := f.String(); got != "10 s,5 min,1 h" {
		t.Errorf("got %s", got)
	}
}
