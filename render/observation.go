package render

import (
	"fmt"
	"strings"

	"tidemark/analyze"
	"tidemark/internal/units"
	"tidemark/kafkastats/observe"
	"tidemark/render/doc"
	"tidemark/render/words"
)

// SchemaObservation names the JSON form of an observation.
const SchemaObservation = "tidemark.observation/v1"

// ObservationData is what one run of observe added to a profile, and what the profile holds since. Times are
// epoch ms, durations ms.
type ObservationData struct {
	Schema string       `json:"schema"`
	Tool   analyze.Tool `json:"tool"`
	observe.Result
}

// Observation is what one run of observe added to a profile.
func Observation(d *ObservationData) Result {
	return Result{Data: d, Document: func() *doc.Document { return observation(d) }}
}

func observation(o *ObservationData) *doc.Document {
	d := &doc.Document{Title: "Observation"}
	lead := words.Plural(int(o.Records), "record was", "records were") + " added to " + o.Profile.Path
	if o.Records == 0 {
		lead = "nothing was added to " + o.Profile.Path
		if o.Ended == observe.FileRead {
			lead += ", which holds the offsets of all its records already"
		}
	}
	h := doc.Heading{Level: 1, Text: o.Topic, Lead: lead}
	if o.Ended == observe.Failed {
		h.Label = words.Label(string(analyze.VerdictIncomplete))
	}
	d.Add(h, doc.Paragraph{Text: o.run(), Dim: true})
	if o.Reason != "" {
		d.Add(doc.Paragraph{Label: h.Label, Text: o.Reason})
	}
	d.Add(o.facts())
	d.Add(part("Not seen", o.unseen())...)
	d.Add(o.partitions())
	d.Add(doc.Heading{Level: 2, Text: "Next"}, doc.Code{Text: "tidemark recommend --profile " + shellWord(o.Profile.Path)})
	d.Add(doc.Folded{Title: "what became of the records in the profile", Blocks: []doc.Block{countTable(o.Profile.Counters)}})
	return d
}

// run says from when to when records were observed, and what ended it.
func (o *ObservationData) run() string {
	end := map[observe.Ended]string{observe.FileRead: "the file was read to its end", observe.TimeOver: "the time given with --for was over",
		observe.Interrupted: "it was interrupted", observe.Failed: "it could not continue"}[o.Ended]
	return fmt.Sprintf("%s, observed from %s to %s (%s), until %s", o.Source, words.Clock(o.BeganMs), words.Clock(o.EndedMs), units.Duration(o.EndedMs-o.BeganMs), end)
}

// facts are the figures of the run and of the whole profile.
func (o *ObservationData) facts() doc.Pairs {
	p := doc.Pairs{}
	if o.Span.N > 0 {
		p = append(p, doc.Pair{Name: "arrived", Values: []string{stretch(o.Span.FirstArrival, o.Span.LastArrival)}}, doc.Pair{Name: "event times", Values: []string{stretch(o.Span.FirstEvent, o.Span.LastEvent)}})
	}
	since := "continued by this run"
	if o.Profile.Begun {
		since = "begun by this run"
	}
	holds := units.Count(o.Profile.Records) + " records"
	if o.Profile.Span.N > 0 {
		holds += ", arrived " + stretch(o.Profile.Span.FirstArrival, o.Profile.Span.LastArrival)
	}
	p = append(p, doc.Pair{Name: "the profile holds", Values: []string{holds}, Strong: true},
		doc.Pair{Name: "file", Values: []string{o.Profile.Path + ", " + units.Size(o.Profile.Bytes) + ", " + since}},
		doc.Pair{Name: "event time", Values: []string{o.EventTime.String()}})
	var windows []string
	for _, ms := range o.Windows {
		windows = append(windows, units.Exact(ms))
	}
	if len(windows) > 0 {
		p = append(p, doc.Pair{Name: "windows", Values: []string{strings.Join(windows, ", ")}})
	}
	if o.IdleMs > 0 {
		p = append(p, doc.Pair{Name: "idle timeout", Values: []string{units.Exact(o.IdleMs)}})
	}
	return p
}

// stretch writes an interval, in UTC.
func stretch(from, to int64) string {
	return words.Clock(from) + " to " + units.DayClock(to) + " (" + units.Duration(to-from) + ")"
}

// unseen lists what the figures do not cover.
func (o *ObservationData) unseen() []string {
	var out []string
	for i, g := range o.Gaps {
		if i == mostGaps {
			out = append(out, words.Plural(len(o.Gaps)-i, "further stretch of offsets", "further stretches of offsets"))
			break
		}
		out = append(out, g.String())
	}
	if o.LeftOut != nil {
		out = append(out, o.LeftOut.String())
	}
	return out
}

// mostGaps is how many gaps are listed; the data has them all.
const mostGaps = 20

func (o *ObservationData) partitions() doc.Table {
	t := doc.Table{Title: "Partitions", Columns: []doc.Column{{Name: "partition", Number: true}, {Name: "offsets from", Number: true}, {Name: "up to", Number: true}, {Name: "records added", Number: true}, {Name: "in the profile", Number: true}}}
	for i, p := range o.Partitions {
		if i == mostSplits {
			t.More = words.Plural(len(o.Partitions)-i, "more partition", "more partitions")
			break
		}
		t.Rows = append(t.Rows, doc.Row{Cells: doc.Cells(fmt.Sprint(p.ID), fmt.Sprint(p.From), fmt.Sprint(p.To), units.Count(p.Records), units.Count(p.Held))})
	}
	return t
}
