package fix

import (
	"fmt"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// losers are codes of causes that drop records whatever the delay: they are to be fixed first.
var losers = []string{"TM201", "TM202", "TM203", "TM204", "TM108", "TM504", "TM107"}

// late is for disorder that the delay does not cover.
func late(s site) catalog.Fix {
	for _, code := range losers {
		for _, f := range s.all {
			if f.Code != code || f.Latent || f.Severity == catalog.Info || !s.behind(f.Vertex) {
				continue
			}
			if code == "TM107" {
				return catalog.Fix{Text: "TM107 may be the cause: the delay must cover the distance between partitions as well. Fix that first, then measure (tidemark recommend TOPIC).", After: code}
			}
			return catalog.Fix{Text: "Caused by " + code + ": fix that first. A larger delay does not help.", After: code}
		}
	}
	f := catalog.Fix{Text: "Nothing else explains this: measure the disorder (tidemark recommend TOPIC) and declare the delay that covers it"}
	larger, now := s.larger()
	f.SQL = "-- a larger delay" + now + ", until it is measured\n" + s.watermark(larger)
	f.DataStream = bounded(larger) + "   // a larger delay" + now + ", until it is measured"
	f.Try = s.try("delay", flag(larger))
	if s.api()&dataStream != 0 {
		f.Text += ", or allow lateness, or send late records to a side output"
		lateness := "Duration.ofMinutes(1)"
		if s.below(2, 0) {
			lateness = "Time.minutes(1)"
		}
		f.DataStream += "\n// or at the window\n.allowedLateness(" + lateness + ").sideOutputLateData(lateTag)"
		if s.vertex != nil && s.at(model.KindMatch) { // a pattern has no allowed lateness
			f.Text = strings.Replace(f.Text, ", or allow lateness, or", ", or", 1)
			f.DataStream = strings.Replace(f.DataStream, "// or at the window\n.allowedLateness("+lateness+")", "// or at the pattern\npatternStream", 1)
		}
	}
	f.Text += "."
	if own := s.ownBefore(); own != "" {
		f.Text += " If records are in order at the source, " + own + " delays them or changes their times."
	}
	if s.api() == beam {
		f.Text = "Nothing else explains this: measure the disorder (tidemark recommend TOPIC), and allow that lateness, or let the source's timestamp policy wait longer."
		f.Beam, f.DataStream = true, beamMark+"Window.<T>into(FixedWindows.of(size)).withAllowedLateness(Duration.standardMinutes(1)).accumulatingFiredPanes()"
	}
	return f
}

// ownBefore is the name of a user function between the sources and the place, "" where there is none.
func (s site) ownBefore() string {
	if s.vertex == nil {
		return ""
	}
	for _, v := range s.vertex.Ancestors() {
		for _, op := range v.Chain {
			if op.Kind == model.KindUnknown && !v.IsSource() {
				return model.QuoteName(op.Name)
			}
		}
	}
	return ""
}

// larger is a delay, ms, above the one in force and not below the disorder seen; now says what is known of the one in
// force.
func (s site) larger() (ms int64, now string) {
	ms, now = s.above()
	return max(ms, declarable(s.disorder())), now
}

// disorder is how far the oldest record seen is behind the newest that there can be, ms.
func (s site) disorder() int64 {
	if s.source == nil || s.source.IsSQLScan() {
		return 0
	}
	lo, hi, seen := s.source.EmitLag()
	if !seen {
		return 0
	}
	if b, ok := lag.BoundOf(s.job, s.source); ok && !b.Declared && !b.Upper {
		lo = min(lo, float64(b.NewestMs))
	}
	return int64(hi - max(lo, 0))
}

func (s site) above() (ms int64, now string) {
	if b, ok := s.delay(); ok {
		now = " (now about " + units.Duration(b.Ms) + ", inferred)"
		if b.Declared {
			now = " (now " + units.Exact(b.Ms) + ")"
		}
		return declarable(2*b.Ms + 4000), now
	}
	if s.source != nil {
		if b, ok := lag.BoundOf(s.job, s.source); ok && b.Untold() {
			return declarable(b.Ms + b.MoreMs + 4000), " (the one in force is not known: " + b.Range() + ")"
		} else if ok {
			return declarable(2*b.Ms + 4000), " (now at most " + units.Duration(b.Ms) + ")"
		}
	}
	return 30_000, ""
}

// behind reports that the place of the finding is at, or downstream of, the given vertex.
func (s site) behind(at *model.Ref) bool {
	if at == nil || s.vertex == nil {
		return at == nil
	}
	for _, v := range append([]*model.Vertex{s.vertex}, s.vertex.Ancestors()...) {
		if v.ID == at.ID {
			return true
		}
	}
	return false
}

// smaller is for a bound that makes up the lag: a smaller one must still cover the ages seen.
func smaller(s site) catalog.Fix {
	f := catalog.Fix{Text: "Measure the topic (tidemark recommend TOPIC) and declare the delay that covers the share of late records you can accept."}
	b, ok := s.delay()
	if s.source == nil {
		return f
	}
	lo, hi, seen := s.source.EmitLag()
	if !seen || s.source.IsSQLScan() {
		if ok {
			f.Text += " REST does not show how small a delay would do."
		}
		return f
	}
	ms := max(declarable(int64(hi-lo)), 5000)
	if ok && ms >= b.Ms {
		return f
	}
	f.Text += fmt.Sprintf(" The records seen were %s to %s old, so %s would cover those.", units.Duration(max(int64(lo), 0)), units.Duration(int64(hi)), units.Duration(ms))
	f.DataStream = fmt.Sprintf("%s   // instead of about %s", bounded(ms), units.Duration(b.Ms))
	f.SQL = s.watermark(ms)
	f.Try = s.try("delay", flag(ms))
	return f
}

// Declared is for a source that runs with another delay than the one that was declared, ms.
func Declared(j *model.Job, v *model.Vertex, ms int64) catalog.Fix {
	s := site{job: j, vertex: v, source: v, found: &catalog.Finding{}}
	return catalog.Fix{Text: "Submit the job again with the intended delay, or correct the declared one.", DataStream: bounded(ms), SQL: s.watermark(ms)}
}
