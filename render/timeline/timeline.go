// Package timeline writes what happened to a job, in the order of time.
package timeline

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/analyze/series"
	"tidemark/render/doc"
	"tidemark/render/figure"
)

// Add adds to a document what happened, in the order of time, and a drawing of every place. Level is that of its heading.
func Add(d *doc.Document, level int, id string, t *series.Timeline) {
	if t == nil {
		return
	}
	if happened := Happened(t); len(happened) > 0 {
		var p doc.Pairs
		for _, h := range happened {
			if n := len(p); n > 0 && p[n-1].Name == h.When {
				p[n-1].Values = append(p[n-1].Values, h.What)
				continue
			}
			p = append(p, doc.Pair{Name: h.When, Values: []string{h.What}})
		}
		d.Add(doc.Heading{Level: level, Text: "What happened, UTC"}, p)
	}
	d.Add(figure.History(id, "Event time of each place", t))
}

// Moment is one line of what happened.
type Moment struct {
	When, What string
	AtMs       int64 // the latest it can have been, epoch ms
}

// mostMoments bounds the moments of a timeline that are reported, the newest.
const mostMoments = 30

// Happened is a timeline in words: when the trouble of each place began and ended, and every event. Times are as exact as
// the readings: a change happened between two of them.
func Happened(t *series.Timeline) []Moment {
	var out []Moment
	add := func(at series.Interval, what string) {
		out = append(out, Moment{When(t, at), what, at.UntilMs})
	}
	for _, track := range t.Tracks {
		if t.Gone(track) {
			continue
		}
		for _, trouble := range track.Troubles() {
			for i, c := range trouble.Changes {
				add(c.Since, trackName(track)+" "+began(c, i > 0))
			}
			if !trouble.Lasts() {
				add(trouble.Ended, trackName(track)+" advanced again")
			}
		}
	}
	for _, e := range t.Events {
		what := string(e.Kind) + ": " + e.Text
		if e.Of != nil {
			what = e.Of.String() + ", " + what
		}
		add(e.At, what)
	}
	slices.SortStableFunc(out, func(a, b Moment) int { return int(a.AtMs - b.AtMs) })
	if n := len(out) - mostMoments; n > 0 {
		out = append([]Moment{{"before", fmt.Sprintf("%d more", n), 0}}, out[n:]...)
	}
	return out
}

// Lines are what happened, one line each.
func Lines(t *series.Timeline) []string {
	var out []string
	for _, h := range Happened(t) {
		out = append(out, h.When+": "+h.What)
	}
	return out
}

func trackName(track *series.Track) string {
	if n := len(track.Subtasks); n > 0 {
		return fmt.Sprintf("%s, %d subtasks from %d on", track.At, n, track.Subtasks[0])
	}
	if track.At.Split != "" && track.At.Vertex != nil {
		return fmt.Sprintf("split %s of %s", track.At.Split, model.QuoteName(track.At.Vertex.Name))
	}
	return track.At.String()
}

// began is how a trouble began; again: the place was in trouble before.
func began(c series.Change, again bool) string {
	known := c.Since.AfterMs > 0
	switch {
	case c.State == catalog.Never && known:
		return "lost its watermark"
	case c.State == catalog.Never:
		return "has had no watermark"
	case c.State == series.Behind && again:
		return "advanced again, behind by more than a minute"
	case c.State == series.Behind && known:
		return "fell behind by more than a minute"
	case c.State == series.Behind:
		return "has been behind by more than a minute"
	case again:
		return "stood"
	case known:
		return "stopped"
	}
	return "has been standing"
}

// When writes an interval: the two readings between which a change was seen, or one exact time.
func When(t *series.Timeline, at series.Interval) string {
	withDay := figure.Long(t)
	until := figure.Moment(at.UntilMs, withDay)
	switch {
	case at.AfterMs == 0:
		return "before " + until
	case at.AfterMs == at.UntilMs:
		return until
	}
	return strings.Join([]string{figure.Moment(at.AfterMs, withDay), until}, " to ")
}
