package policy

import (
	"tidemark/analyze/catalog"
	"tidemark/analyze/facts"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM862", Cause: "emission-differs", Title: "Watermarks leave at another time than the policy allows",
	Severity: catalog.Warning, Needs: catalog.Needs(asks("emission-interval"), catalog.Or(catalog.Named("cluster configuration"), catalog.PlanSQL).Apart()),
	Means: "The interval between periodic watermarks, or the emit strategy, is not within what the policy allows. An interval of 0 turns periodic watermarks and idleness off altogether.",
	Why: "pipeline.auto-watermark-interval is read from the cluster's configuration (Flink's default is 200 ms); a job can set its own in code, which REST does not show, so the confidence is \"likely\". " +
		"A short interval costs one watermark per subtask and channel each time; a long one is added to the latency of every result.",
	Fix: catalog.Fix{
		Text:       "Set the interval where the job is started.",
		DataStream: "env.getConfig().setAutoWatermarkInterval(200)",
		SQL:        "SET 'pipeline.auto-watermark-interval' = '200 ms'",
	},
})

func (s scope) emission(e *Emission) {
	const code = "TM862"
	if e.Min != nil || e.Max != nil {
		s.eachSource(code, "emission-interval", e.At, func(src facts.SourceFacts, sub Subject) { s.interval(e, src, sub) })
	}
	if e.Strategy != nil {
		key, at := "emission-interval.strategy", e.Strategy.At
		s.eachSource(code, key, at, func(src facts.SourceFacts, sub Subject) {
			switch got := src.Emission.Strategy; got {
			case "":
				s.skip(code, key, at, sub, "the emit strategy of %s is not shown", quote(src.Name))
			case e.Strategy.Text:
				s.pass(code, key, at, sub, "%s emits %s", quote(src.Name), got)
			default:
				s.fail(code, key, at, sub, catalog.Certain, evidence(src.Name, "watermarkEmitStrategy", got), "%s emits %s; the policy demands %s", quote(src.Name), got, e.Strategy.Text)
			}
		})
	}
}

func (s scope) interval(e *Emission, src facts.SourceFacts, sub Subject) {
	const code, key = "TM862", "emission-interval"
	ms := src.Emission.IntervalMs
	from := "Flink's default"
	if src.Emission.FromConfig {
		from = "the cluster's configuration"
	}
	text := units.Duration(ms) + " by " + from
	proof := evidence("pipeline.auto-watermark-interval", "value", text)
	switch {
	case src.Emission.Strategy == "on-event":
		s.leave(code, key, e.At, sub, "%s emits on every event", quote(src.Name))
	case !src.Emission.Known:
		s.skip(code, key, e.At, sub, "the interval is not shown before the job runs")
	case e.Min != nil && ms < e.Min.Ms:
		s.fail(code, key, e.Min.At, sub, catalog.Likely, proof, "%s sends watermarks every %s, below the %s allowed", quote(src.Name), text, e.Min)
	case e.Max != nil && ms > e.Max.Ms:
		s.fail(code, key, e.Max.At, sub, catalog.Likely, proof, "%s sends watermarks every %s, above the %s allowed", quote(src.Name), text, e.Max)
	default:
		s.pass(code, key, e.At, sub, "%s sends watermarks every %s", quote(src.Name), text)
	}
}
