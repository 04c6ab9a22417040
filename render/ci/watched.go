package ci

import (
	"strings"

	"tidemark/analyze/drill"
	"tidemark/analyze/policy"
	"tidemark/internal/units"
	"tidemark/render/doc"
	"tidemark/render/safe"
	"tidemark/render/timeline"
	"tidemark/render/words"
)

// watchedBlocks say what the jobs did while they were read: the figures of a replay, and the events.
func watchedBlocks(run *policy.Run) []doc.Block {
	var d doc.Document
	for _, w := range run.Watched {
		d.Add(doc.Heading{Level: 2, Text: watchedTitle(w)})
		if p := drillFigures(w.Drill); len(p) > 0 {
			d.Add(p)
		}
		timeline.Add(&d, 3, "went-"+safe.Short(w.ID, 40), w.Timeline)
	}
	return d.Blocks
}

// watchedLines are the same as plain text, for formats without figures.
func watchedLines(w policy.Watched) []string {
	lines := []string{watchedTitle(w)}
	for _, p := range drillFigures(w.Drill) {
		lines = append(lines, p.Name+": "+strings.Join(p.Values, "; "))
	}
	for _, l := range timeline.Lines(w.Timeline) {
		lines = append(lines, safe.Clean(l))
	}
	return lines
}

func watchedTitle(w policy.Watched) string {
	return "How " + safe.Name(w.Job, longestName) + " went from " + words.Clock(w.Timeline.FromMs) + " to " + words.Clock(w.Timeline.UntilMs)
}

// drillFigures are the figures that limits of a drill are compared with, also where no limits are given.
func drillFigures(r *drill.Result) doc.Pairs {
	if r == nil {
		return nil
	}
	var p doc.Pairs
	for _, s := range r.Sources {
		p = append(p, doc.Pair{Name: safe.Name(s.Of.Name, longestName), Values: sourceFigures(s)})
	}
	add := func(name string, n drill.Number, write func(float64) string) {
		if !n.Moot {
			p = append(p, doc.Pair{Name: name, Values: []string{figure(n, write)}})
		}
	}
	add("between sources", r.SourcesApart, inTime)
	if size, ok := r.CheckpointSize.Get(); ok {
		lines := []string{"up to " + inBytes(size) + ", in up to " + figure(r.CheckpointMs, inTime)}
		if by, ok := r.SizeGrowth.Get(); ok {
			lines = append(lines, "last third against first: size "+inTimes(by)+", time "+figure(r.DurationGrowth, inTimes))
		}
		if failed, _ := r.FailedCheckpoints.Get(); failed > 0 {
			lines = append(lines, units.Number(failed)+" failed")
		}
		p = append(p, doc.Pair{Name: "checkpoints", Values: lines})
	} else {
		add("checkpoints", r.CheckpointSize, inBytes)
	}
	for _, d := range r.Drops {
		text := figure(d.Dropped, units.Number)
		if share, ok := d.Share.Get(); ok && share > 0 {
			text += " (" + units.Share(share) + " of its input)"
		}
		p = append(p, doc.Pair{Name: "dropped by " + safe.Name(d.Operator, longestName), Values: []string{text}})
	}
	return p
}

func sourceFigures(s drill.SourceResult) []string {
	var lines []string
	if first, ok := s.First.Get(); ok {
		now, _ := s.Behind.Get()
		lines = append(lines, inTime(first)+" behind at first, "+inTime(now)+" at the end")
	}
	speed, ok := s.Speed.Get()
	rate, counted := s.Records.Get()
	switch {
	case ok && counted:
		lines = append(lines, "event time advanced at "+inTimes(speed)+" the speed of the clock, "+units.Number(rate)+" records a second")
	case ok:
		lines = append(lines, "event time advanced at "+inTimes(speed)+" the speed of the clock")
	default:
		lines = append(lines, s.Speed.Why)
	}
	rest, known := s.Left.Get()
	whole, _ := s.CatchUp.Get()
	switch {
	case s.Done != nil:
		lines = append(lines, "caught up after "+inTime(whole)+", at "+words.Clock(s.Done.UntilMs))
	case s.Left.Never:
		lines = append(lines, "never catches up")
	case known && rest > 0:
		lines = append(lines, inTime(rest)+" left at that speed")
	}
	if apart, ok := s.Apart.Get(); ok {
		lines = append(lines, "splits up to "+inTime(apart)+" apart")
	}
	return lines
}

func figure(n drill.Number, write func(float64) string) string {
	if v, ok := n.Get(); ok {
		return write(v)
	}
	return n.Why
}

func inTime(ms float64) string     { return units.Duration(int64(ms)) }
func inBytes(bytes float64) string { return units.Size(int64(bytes)) }
func inTimes(x float64) string     { return units.Number(x) + "x" }
