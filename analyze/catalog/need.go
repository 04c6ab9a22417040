package catalog

import (
	"strings"

	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// Reading is one thing that a check may have to read. What no job holds (records, a script, a policy)
// has a text alone.
type Reading struct {
	Text    string
	In      func(*model.Job) bool        // whether it was read of a job; nil where no job holds it
	Hides   func(flinkapi.MetricID) bool // the metrics it is made of: where an answer lacks them, it was not all read
	Sources bool                         // it is made of metrics of sources alone
	Missing func(*model.Job) string      // says why a job lacks it, where "not readable here" would not do
}

// Named is a reading that no job holds.
func Named(text string) Reading { return Reading{Text: text} }

// As is the same reading by another name.
func (r Reading) As(text string) Reading {
	r.Text = text
	return r
}

// Need is what a check cannot judge without: any one of its readings.
type Need struct {
	Any      []Reading
	Optional bool // it makes the finding more exact; the check judges without it
	apart    bool // a comma stands before the last "or"
}

// Or is met by one of the readings.
func Or(any ...Reading) Need { return Need{Any: any} }

// Apart writes a comma before the last "or": for readings whose names are long.
func (n Need) Apart() Need {
	n.apart = true
	return n
}

// Helps is a need without which a check judges as well.
func (r Reading) Helps() Need { return Need{Any: []Reading{r}, Optional: true} }

// String writes "a, b or c".
func (n Need) String() string {
	names := make([]string, len(n.Any))
	for i, r := range n.Any {
		names[i] = r.Text
	}
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	or := " or "
	if n.apart {
		or = ", or "
	}
	return strings.Join(names[:last], ", ") + or + names[last]
}

// Needs lists what a check needs, all of it: readings, and needs that one of several meets.
func Needs(all ...interface{ need() Need }) []Need {
	out := make([]Need, len(all))
	for i, n := range all {
		out[i] = n.need()
	}
	return out
}

func (r Reading) need() Need { return Or(r) }
func (n Need) need() Need    { return n }

// NeedTexts are the needs for people.
func (c Check) NeedTexts() []string {
	out := make([]string, len(c.Needs))
	for i, n := range c.Needs {
		out[i] = n.String()
	}
	return out
}
