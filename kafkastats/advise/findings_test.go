package advise

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A script reads the fix of a finding in records as text, and an empty list where nothing was found.
func TestFixesOfFindingsInRecordsAreText(t *testing.T) {
	was := Findings{finding(CauseDuplicates, warning, "7 % of the records stand twice", "name the identity with --by")}
	text, err := json.Marshal(was)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"fix":"name the identity with --by"`, `"cause":"duplicate-records"`, `"evidence":[]`, `"vertex":null`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	var again Findings
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(was, again); d != "" {
		t.Error(d)
	}
	if text, err := json.Marshal(Findings(nil)); string(text) != "[]" {
		t.Errorf("nothing found is %s, %v", text, err)
	}
}
