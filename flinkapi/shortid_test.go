package flinkapi

import "testing"

func TestShortIDTellsJobsOfANameApart(t *testing.T) {
	c := &Capture{Jobs: []JobCapture{{ID: "7a4b696c1111", Name: "orders"}, {ID: "clicks000000", Name: "clicks"}},
		Listed: []JobOverview{{ID: "7a4b696c1111", Name: "orders", State: "RUNNING"}, {ID: "ffff00000000", Name: "orders", State: "RESTARTING"}, {ID: "eeee00000000", Name: "clicks", State: "FAILED"}}}
	for id, want := range map[string]string{"7a4b696c1111": "7a4b696c", "clicks000000": ""} {
		name := "orders"
		if want == "" {
			name = "clicks" // one that has ended does not count unless it was read
		}
		if got := c.ShortID(id, name); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	c.Jobs = append(c.Jobs, JobCapture{ID: "7a4b696c1112", Name: "orders"}, JobCapture{ID: "eeee00000000", Name: "clicks"})
	if got := c.ShortID("7a4b696c1111", "orders"); got != "7a4b696c1111" {
		t.Errorf("ids that begin alike: %q", got)
	}
	if got := c.ShortID("clicks000000", "clicks"); got != "clicks00" {
		t.Errorf("a failed job that was read: %q", got)
	}
}
