//go:build slow

package pseudonym_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/flinkapi/pseudonym"
)

// recordings are all those of testdata.
func recordings(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, dir := range []string{"checks/*", "faults", "recordings/*"} {
		some, err := filepath.Glob("../../testdata/" + dir + "/*.jsonl*")
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, some...)
	}
	if len(files) < 100 {
		t.Fatalf("%d recordings", len(files))
	}
	return files
}

// judged is what a report says, with places under the names that rename gives; sentences are left out.
func judged(t *testing.T, entries []flinkapi.Entry, rename func(string) string) []string {
	t.Helper()
	r := analyze.Triage(flinkapi.Assemble(entries), analyze.Options{})
	var out []string
	say := func(format string, a ...any) { out = append(out, fmt.Sprintf(format, a...)) }
	ref := func(v *model.Ref) string {
		if v == nil {
			return "-"
		}
		return v.ID + " " + rename(v.Name)
	}
	number := func(n *int) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprint(*n)
	}
	finding := func(f catalog.Finding) {
		say("  %s %s %s %s %v split %s operator %s", f.Code, f.Severity, f.Confidence, ref(f.Vertex), f.Subtasks, rename(f.Split), rename(f.Operator))
	}
	for _, j := range r.Jobs {
		say("%s %s %s incomplete %v unread %v sql %v", j.ID, rename(j.Name), j.Verdict, j.Incomplete, j.Unread, j.SQL)
		for _, f := range j.Findings {
			finding(f)
		}
		for _, v := range j.Vertices {
			say("  %s %s %v %v lag %v", v.Kind, rename(v.Name), v.Min, v.Inputs, v.UnexplainedMs)
			if v.Holder != nil {
				say("    held by %s %s %s %s", ref(v.Holder.Vertex), number(v.Holder.Subtask), rename(v.Holder.Split), v.Holder.Code)
			}
			for _, o := range v.Operators {
				say("    %s %v %v", rename(o.Name), o.In, o.Out)
			}
			for _, s := range v.Subtasks {
				for _, p := range s.Splits {
					say("    %d %s %v", s.Index, rename(p.ID), p.Watermark)
				}
			}
		}
		for _, x := range j.NotChecked {
			say("  not checked %s", x.Code)
		}
	}
	slices.Sort(out) // names decide some orders
	return out
}

// Under other names every recording keeps its verdict, findings and places, and none of its names.
func TestRecordingsAreJudgedAlikeUnderOtherNames(t *testing.T) {
	names := pseudonym.New()
	for _, file := range recordings(t) {
		t.Run(strings.TrimPrefix(file, "../../testdata/"), func(t *testing.T) {
			rec, err := flinkapi.OpenRecording(file, nil)
			if errors.Is(err, flinkapi.ErrNotRecording) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			var renamed []flinkapi.Entry
			for _, e := range rec.Entries {
				to, err := names.Entry(e)
				if err != nil {
					t.Fatal(err)
				}
				renamed = append(renamed, to)
			}
			same := func(s string) string { return s }
			want, got := judged(t, rec.Entries, names.Text), judged(t, renamed, same)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("another judgement (-want +got):\n%s", d)
			}
			capture, err := (&flinkapi.Recording{Entries: renamed}).Capture(context.Background(), flinkapi.CaptureOptions{})
			if err != nil && len(capture.Jobs) == 0 {
				t.Error(err)
			}
		})
	}
}
