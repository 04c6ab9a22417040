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
		Why:   "A suppression is a promise to fix something by a day. The day is compared with today's clock in UTC, also for a recording. With --policy triage, watch and export say it of each job that it was meant for.",
		Fix:   catalog.Fix{Text: "Fix what it suppressed and remove it, or agree on a new day with a new reason."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM874", Cause: "suppression-unused", Title: "A suppression suppresses nothing",
		Severity: catalog.Info, Needs: catalog.Needs(asks("suppress")),
		Means: "No failed result fits the suppression: what it accepted was fixed, or it names the wrong check, job or vertex.",
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
	expired := x.expired(e.in.NowMs)
	if expired {
		s.fail("TM873", "suppress.until", x.Until.At, s.subject, catalog.Certain, nil, "%s", x.lapse())
	}
	met, judged, skipped := 0, 0, ""
	for i := range results {
		r := &results[i]
		if !x.means(r.Code, r.Subject) {
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
				accepted := x.acceptance()
				r.Suppression = &accepted
			}
		default:
			judged++
		}
	}
	switch {
	case expired || met > 0:
	case skipped != "":
		s.leave("TM874", "suppress", x.At, s.subject, "%s was not judged (%s), so whether it is needed cannot be determined", x.Check.Cause, skipped)
	case judged == 0:
		s.leave("TM874", "suppress", x.At, s.subject, "nothing that it names was read")
	default:
		s.fail("TM874", "suppress", x.At, s.subject, catalog.Certain, nil, "the suppression of %s fits no failed result", x.Check.Cause)
	}
}

// means reports a check at a job, table or script that x names.
func (x *Exemption) means(code string, s Subject) bool {
	return code == x.Check.Code && x.Job.Match(s.Name)
}

func (x *Exemption) expired(nowMs int64) bool {
	return nowMs >= x.Until.Day.AddDate(0, 0, 1).UnixMilli()
}

func (x *Exemption) acceptance() catalog.Acceptance {
	return catalog.Acceptance{Reason: x.Reason.Text, Until: x.Until.Day.Format(time.DateOnly), Location: x.At}
}

// lapse says that the last day has passed.
func (x *Exemption) lapse() string {
	return "the suppression of " + x.Check.Cause + " expired on " + x.Until.Day.Format(time.DateOnly) + ": " + sentence(x.Reason.Text)
}

// fits compares the place of a result; the vertex can be named by a source or operator as well.
func (x *Exemption) fits(s Subject) bool {
	if x.Vertex != nil && !x.Vertex.Match(vertexName(s)) && (s.Operator == "" || !x.Vertex.Match(s.Operator)) {
		return false
	}
	return x.Split == nil || s.Split != "" && x.Split.Match(s.Split)
}
