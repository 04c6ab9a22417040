package policy

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/facts"
	"tidemark/flinkapi"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM877", Cause: "strategy-not-on-source", Title: "A source that feeds event time has no watermark strategy", Symptom: 2,
	Severity: catalog.Critical, Needs: catalog.Needs(asks("strategy")),
	Means: "The policy demands that watermarks are made in the source, split by split. A source has none, or an operator behind it assigns them to the merged stream.",
	Why:   "Without a strategy no watermark is ever sent and nothing that waits for event time fires (TM101). Behind the source a generator sees only the newest partition, so records of a slower one are dropped as late (TM107). The demand is met where the source operator or one of its splits shows a watermark, or where the plan or the SQL declares one in the scan.",
	Fix: catalog.Fix{
		Text:       "Give the strategy to the source.",
		DataStream: "env.fromSource(source, WatermarkStrategy\n    .<Order>forBoundedOutOfOrderness(Duration.ofSeconds(5)), \"Orders\")",
		SQL:        "CREATE TABLE orders (…, ts TIMESTAMP_LTZ(3),\n    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH (…)",
	},
})

// strategy demands a watermark of the source itself.
func (s scope) strategy(at Location) {
	const code, key = "TM877", "strategy"
	for _, f := range s.findings("", "TM107") { // stands at the vertex of the assigner, not of the source
		s.found(code, key, at, f, catalog.Warning)
	}
	behind := len(s.findings("", "TM107")) > 0
	s.eachSource(code, key, at, func(src facts.SourceFacts, sub Subject) {
		switch {
		case src.Vertex.ID != "" && len(s.findings(src.Vertex.ID, "TM107")) > 0: // failed above
		case src.Expr != "" || src.AtSource:
			s.pass(code, key, at, sub, "%s makes its own watermarks", quote(src.Name))
		case len(s.findings(src.Vertex.ID, "TM101")) > 0:
			s.found(code, key, at, s.findings(src.Vertex.ID, "TM101")[0], "")
		case s.script != nil && s.job == nil:
			s.fail(code, key, at, sub, catalog.Certain, nil, "table %s declares no WATERMARK", quote(src.Name))
		case behind:
			s.leave(code, key, at, sub, "an operator behind %s assigns the watermarks", quote(src.Name))
		case s.young() != "":
			s.skip(code, key, at, sub, "%s", s.young())
		case src.Out.State() == flinkapi.None:
			s.skip(code, key, at, sub, "%s has sent no watermark, and no records from which a missing strategy could be told", quote(src.Name))
		default:
			s.skip(code, key, at, sub, "the watermark of the source operator %s could not be read", quote(src.Name))
		}
	})
}

func milliseconds(ms int64) string { return fmt.Sprintf("%d ms", ms) }
