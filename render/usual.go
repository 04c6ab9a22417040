package render

import (
	"tidemark/analyze"
	"tidemark/internal/units"
	"tidemark/render/doc"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// mostSilent bounds the splits whose silences are listed, the longest first.
const mostSilent = 8

// usual adds how a job runs when nothing is wrong: the basis for limits and an idle timeout.
func usual(d *doc.Document, u *analyze.UsualReport) {
	if u == nil {
		return
	}
	read := words.Plural(u.Readings, "reading", "readings")
	if u.LeftOut > 0 {
		read += ", " + units.Count(u.LeftOut) + " of them in trouble and left out"
	}
	p := doc.Pairs{{Name: "read", Values: []string{read}}}
	if u.LagP99Ms != nil {
		p = append(p, doc.Pair{Name: "largest lag", Values: []string{"at 99 of 100 readings " + units.Duration(*u.LagP99Ms) + " at most, never above " + units.Duration(*u.LagLargestMs)}})
	}
	dropped := "none"
	if u.Dropping > 0 {
		dropped = "at " + units.Count(u.Dropping) + " of the readings, in " + words.Plural(u.DroppingTimes, "stretch", "stretches")
	}
	p = append(p, doc.Pair{Name: "late records dropped", Values: []string{dropped}})
	switch {
	case u.IdleTimeoutMs != nil:
		p = append(p, doc.Pair{Name: "idle timeout", Values: []string{units.Duration(*u.IdleTimeoutMs) + ", by the silences seen"}})
	case len(u.Silences) > 0:
		p = append(p, doc.Pair{Name: "idle timeout", Values: []string{"no split was silent for two scrapes and then sent records again"}})
	}
	d.Add(doc.Heading{Level: 3, Text: "When nothing is wrong"}, p)
	t := doc.Table{Title: "Silences, wall clock", Columns: []doc.Column{{Name: "split", Cut: true}, {Name: "silences", Number: true}, {Name: "half within", Number: true},
		{Name: "90 of 100", Number: true}, {Name: "99 of 100", Number: true}, {Name: "longest", Number: true}, {Name: "left out", Number: true}}}
	for _, s := range u.Silences {
		if s.Count+s.LeftOut == 0 {
			continue
		}
		if len(t.Rows) == mostSilent {
			t.More = "More splits with shorter silences: see -o json."
			break
		}
		in := func(ms int64) string {
			if s.Count == 0 {
				return "-"
			}
			return units.Duration(ms)
		}
		t.Rows = append(t.Rows, doc.Row{Cells: doc.Cells(safe.Name(s.Split, 40), units.Count(s.Count), in(s.HalfMs), in(s.P90Ms), in(s.P99Ms), in(s.LongestMs), units.Count(s.LeftOut))})
	}
	if len(t.Rows) > 0 {
		d.Add(t)
	}
}
