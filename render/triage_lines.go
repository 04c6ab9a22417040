package render

import (
	"fmt"
	"io"
	"strings"

	"tidemark/analyze"
	"tidemark/render/safe"
)

// The formats of a triage with one line per job. Name is how a job is given to another command; Wide is verdict, name,
// largest lag, findings and headline, separated by tabs and not shortened.
const (
	Name = "name"
	Wide = "wide"
)

// JobFormats are the formats that only reports about jobs have.
var JobFormats = []string{Name, Wide}

func nameLines(r *analyze.Report) func(io.Writer) error {
	return func(w io.Writer) error {
		var b strings.Builder
		for _, j := range byVerdict(r) {
			if j.Name != "" && j.ShortID == "" {
				b.WriteString(safe.Clean(j.Label()) + "\n")
			} else {
				b.WriteString(safe.Clean(j.ID) + "\n") // another job has the same name
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
