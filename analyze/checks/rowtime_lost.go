package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM601", Cause: "rowtime-lost", Title: "A SQL operator drops the time attribute",
	Headline: "{vertex} drops the time attribute",
	Severity: catalog.Warning, Needs: catalog.Needs(catalog.Plan), Script: catalog.ByPlan,
	Means: "A regular join, a non-window aggregation or a cast was planned where an event-time operator was meant: the time attribute is lost after it, and state grows without limit.",
	Why:   "A join on a time range becomes an IntervalJoin only while both columns are still time attributes; after a CAST or a non-window aggregation the planner makes a regular Join with the range as an ordinary condition, which keeps all rows forever and ignores watermarks. An event-time operator behind a regular join or aggregation sees no useful event time.",
	Fix: catalog.Fix{
		Text: "Keep the rowtime column as it is up to the join or window; use window TVFs or a window join instead of the plain forms.",
		SQL:  "SELECT … FROM o JOIN p ON o.k = p.k\n    AND o.ts BETWEEN p.ts - INTERVAL '15' SECOND\n            AND p.ts + INTERVAL '20' SECOND\n-- o.ts and p.ts must be the WATERMARK columns themselves, not CAST(ts AS …)",
	},
	Run: runRowtimeLost,
})

func runRowtimeLost(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Vertices {
		for i, op := range v.Chain {
			where, _ := model.Property(op.Text, "where")
			if op.Kind == model.KindRegularJoin && model.RangeJoin.MatchString(where) {
				f := catalog.NewFinding("TM601", v)
				f.Operator, f.Confidence = op.Name, catalog.Likely
				f.Summary = fmt.Sprintf("%s joins on a time range but is a regular join: its time columns are no time attributes, so it ignores watermarks and keeps every row", model.QuoteName(op.Name))
				f.Prove(v, model.QuoteName(op.Name), "plan: where", model.Shorten(where, 160))
				out = append(out, f)
				continue
			}
			if !op.Kind.LosesRowtime() {
				continue
			}
			if user, ok := eventTimeBehind(v, i); ok {
				f := catalog.NewFinding("TM601", v)
				f.Operator, f.Confidence = op.Name, catalog.Likely
				f.Summary = fmt.Sprintf("%s drops the time attribute, and %s behind it works on event time", model.QuoteName(op.Name), model.QuoteName(user.Name))
				f.Prove(v, model.QuoteName(op.Name), "plan", model.Shorten(op.Text, 160))
				f.Prove(v, model.QuoteName(user.Name), "plan", model.Shorten(user.Text, 160))
				out = append(out, f)
			}
		}
	}
	return out
}

// eventTimeBehind finds an event-time operator after position at, with no assigner in between.
func eventTimeBehind(v *model.Vertex, at int) (*model.Operator, bool) {
	for _, op := range v.Chain[at+1:] {
		if op.Kind == model.KindAssigner {
			return nil, false
		}
		if op.Kind.UsesEventTime() {
			return op, true
		}
	}
	for _, e := range v.Out {
		if op, ok := eventTimeBehind(e.To, -1); ok {
			return op, true
		}
	}
	return nil, false
}
