package render

import (
	"fmt"
	"io"
	"strings"

	"tidemark/analyze"
	"tidemark/render/safe"
)

// The formats of a triage with a line a job: Name is how a job can be given to another command, Wide its
// verdict, name, largest lag, findings and headline between tabs, uncut.
const (
	Name = "name"
	Wide = "wide"
)

// JobFormats are the formats that reports about jobs have next to those of all.
var JobFormats = []string{Name, Wide}

func nameLines(r *analyze.Report) func(io.Writer) error {
	return func(w io.Writer) error {
		var b strings.Builder
		for _, j := range byVerdict(r) {
			if j.Name != "" && j.ShortID == "" {
				b.WriteString(safe.Clean(j.Label()) + "\n")
			} else {
				b.WriteString(safe.Clean(j.ID) + "\n") // the name is another job's as well
			}
		}
		_, err := w.Write(safe.Defuse([]byte(b.String())))
		return err
	}
}

func wideLines(r *analyze.Report) func(io.Writer) error {
	return func(w io.Writer) error {
		b := strings.Builder{}
		b.WriteString("VERDICT\tJOB\tLAG\tFINDINGS\tHEADLINE\n")
		for _, j := range byVerdict(r) {
			var worst *int64
			if v := j.Latest(); v != nil {
				worst = v.LagMs
			}
			codes := or(codesText(j), "-")
			fmt.Fprintf(&b, "%s\t%s\t%s\t%s\t%s\n", strings.ToUpper(string(j.Verdict)), safe.Clean(j.Label()), lagText(worst), codes, safe.Clean(headline(j)))
		}
		_, err := w.Write(safe.Defuse([]byte(b.String())))
		return err
	}
}
