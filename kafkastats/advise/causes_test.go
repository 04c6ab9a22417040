package advise

import (
	"os"
	"regexp"
	"testing"

	"tidemark/analyze/catalog"
)

// A finding takes its code and title from the catalogue: every cause of this package is there.
func TestEveryCauseIsInTheCatalogue(t *testing.T) {
	text, err := os.ReadFile("causes.go")
	if err != nil {
		t.Fatal(err)
	}
	causes := regexp.MustCompile(`Cause\w+ += "([a-z-]+)"`).FindAllStringSubmatch(string(text), -1)
	known := 0
	for _, c := range catalog.Checks() {
		if c.Measured {
			known++
		}
	}
	if len(causes) == 0 || len(causes) != known {
		t.Errorf("%d causes, %d in the catalogue", len(causes), known)
	}
	for _, m := range causes {
		if f := finding(m[1], warning, "", ""); f.Code == "" || f.Title == "" {
			t.Errorf("%s is not in the catalogue", m[1])
		}
	}
}
