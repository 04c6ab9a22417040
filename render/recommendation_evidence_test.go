package render

import (
	"bytes"
	"strings"
	"testing"

	"tidemark/kafkastats/advise"
)

// Every format has what a design review asks for.
func TestTheEvidenceIsInEveryFormat(t *testing.T) {
	r := recommended(t, "orders")
	need, other := int64(1900), int64(4)
	r.Candidates = []advise.Candidate{{Format: "json", Field: "measured", Chosen: true, NeedMs: &need, Command: "tidemark recommend orders --field measured"},
		{Format: "json", Field: "received", Handled: true, NeedMs: &other, Command: "tidemark recommend orders --field received"}}
	r.Advice.Verdict, r.EventTime.Looked = advise.Choose, []string{`"ts" is "09/21/2026"`}
	r.By = &advise.By{Field: "device", Values: 3, Groups: []advise.Group{{Value: "d7 <b>", Records: 700, LateN: 190, Late: 0.27, OfLate: 1}, {Value: "others", Records: 9300, Others: 2}}}
	if r.Stability == nil || len(r.Stability.Over) < 2 {
		t.Fatal("the sample has no stability")
	}
	for _, format := range Formats {
		var b bytes.Buffer
		if err := Recommendation(r).Write(&b, format, Options{Verbose: true, Width: 160}); err != nil {
			t.Fatal(err)
		}
		out := strings.Join(strings.Fields(b.String()), " ")
		wants := []string{"received", "stamped on the way", "--field received", "late share over time, with", "late share by partition", "what each delay costs", "2 others", "09/21/2026"}
		if format == JSON || format == YAML {
			wants = []string{"stamped_on_the_way", "over_time", "records_held", "late_records_by_delay", "of_all_late", "looked_at"}
		}
		for _, want := range wants {
			if !strings.Contains(out, want) && !strings.Contains(strings.ToLower(out), strings.ToLower(want)) {
				t.Errorf("%s: no %q", format, want)
			}
		}
		if format == HTML && strings.Contains(out, "d7 <b>") {
			t.Error("a value becomes markup")
		}
	}
}
