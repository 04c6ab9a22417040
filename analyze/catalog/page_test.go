package catalog

import "testing"

func TestPage(t *testing.T) {
	if got := Page("TM102"); got != "" {
		t.Errorf("a build that knows no address links to %q", got)
	}
	pages = "https://example.org/docs/checks.md"
	defer func() { pages = "" }()
	if got := Page("TM102"); got != "https://example.org/docs/checks.md#tm102" {
		t.Error(got)
	}
}
