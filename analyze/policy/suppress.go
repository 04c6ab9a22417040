package policy

import (
	"time"

	"tidemark/analyze/catalog"
)

var (
	_ = catalog.Register(catalog.Check{
		Code: "TM873", Cause: "suppression-expired", Title: "A suppression has expired",
		Severity: catalog.Warning, Needs: catalog.Needs(asks("suppress")),
		Means: "The last day on which a failed result was accepted has passed: the result counts again.",
		Why:   "A suppression is a promise to fix something by a day. The day is compared with today's clock in UTC, also for a recording.",
		Fix:   catalog.Fix{Text: "Fix what it suppressed and remove it, or agree on a new day with a new reason."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM874", Cause: "suppression-unused", Title: "A suppression suppresses nothing",
		Severity: catalog.Info, Needs: catalog.Needs(asks("suppress")),
		Means: "No failed result fits the suppression: what it accepted was mended, or it names the wrong check, job or vertex.",
		Why:   "An unused suppression hides the next fault of its kind. It is only called unused where the check could judge a subject that it names.",
		Fix:   catalog.Fix{Text: "Remove it, or correct its names."},
	})
)

// suppress marks failed results that a suppression accepts, and judges the suppressions themselves.
func (e *evaluation) suppress() {
	results := e.run.Results // without those about suppressions
	for _, p := range e.policies {
		for _, x := range p.Suppress {
			e.apply(x, results)
		}
	}
}

func (e *evaluation) apply(x *Exemption, results []Result) {
	s := scope{evaluation: e, subject: Subject{Kind: "policy", Name: x.Check.Cause}}
	until := x.Until.Day.Format(time.DateOnly)
	expired := e.in.NowMs >= x.Until.Day.AddDate(0, 0, 1).UnixMilli()
	if expired {
		s.fail("TM873", "suppress.until", x.Until.At, s.subject, catalog.Certain, nil, "the suppression of %s expired on %s: %s", x.Check.Cause, until, sentence(x.Reason.Text))
	}
	met, judged, skipped := 0, 0, ""
	for i := range results {
		r := &results[i]
		if r.Code != x.Check.Code || !x.Job.Match(r.Subject.Name) {
			continue
		}
		switch {
		case r.Status == Skipped:
			skipped = r.Reason
		case r.Status == Passed:
			judged++
		case x.fits(r.Subject):
			met++
			if !expired {
				r.Status = Suppressed
				r.Suppression = &SuppressedBy{Reason: x.Reason.Text, Until: until, Location: x.At}
			}
		default:
			judged++
		}
	}
	switch {
	case expired || met > 0:
	case skipped != "":
		s.leave("TM874", "suppress", x.At, s.subject, "%s was not judged (%s), so whether it is needed cannot be told", x.Check.Cause, skipped)
	case judged == 0:
		s.leave("TM874", "suppress", x.At, s.subject, "nothing that it names was read")
	default:
		s.fail("TM874", "suppress", x.At, s.subject, catalog.Certain, nil, "the suppression of %s fits no failed result", x.Check.Cause)
	}
}

// fits compares the place of a result; the vertex can be named by a source or operator as well.
func (x *Exemption) fits(s Subject) bool {
	if x.Vertex != nil && !x.Vertex.Match(vertexName(s)) && (s.Operator == "" || !x.Vertex.Match(s.Operator)) {
		return false
	}
	return x.Split == nil || s.Split != "" && x.Split.Match(s.Split)
}
