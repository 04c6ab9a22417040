package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM502", Cause: "drift-below-idle", Title: "Alignment drift is smaller than the idle timeout",
	Headline: "{vertex}: the alignment drift is smaller than the idle timeout",
	Severity: catalog.Warning, Needs: catalog.Needs(catalog.Or(catalog.PlanSQL, catalog.IdleSplitMetrics).Apart()),
	Script: catalog.ByText,
	Means:  "When one member of an alignment group falls silent, the others reach the drift limit and pause before the silent one is marked idle: reading stops for the difference, again and again.",
	Why:    "The others may advance by at most the drift while the silent member still counts, and it counts until its idle timeout. If the plan does not show the strategy, both are inferred: the drift from watermarkAlignmentDrift, the timeout from an idle split's silence minus its idle time.",
	Fix: catalog.Fix{
		Text:       "Make the drift at least as large as the idle timeout.",
		DataStream: ".withIdleness(Duration.ofSeconds(10)).withWatermarkAlignment(\"g\", Duration.ofSeconds(30), Duration.ofSeconds(1))",
		SQL:        "WITH ('scan.watermark.idle-timeout' = '10 s', 'scan.watermark.alignment.max-drift' = '30 s', …)",
	},
	Run: runDriftBelowIdle,
})

func runDriftBelowIdle(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	declared := false
	for _, v := range j.Sources() {
		d, ok := j.Declared(v)
		if !ok || d.Group == "" {
			continue
		}
		declared = true
		if d.IdleMs > d.DriftMs {
			f := catalog.NewFinding("TM502", v)
			f.Operator = model.HeadName(v)
			f.Summary = fmt.Sprintf("Source %s is aligned in group %s with a drift of %s and an idle timeout of %s: a silent member stops the others for %s", model.SourceLabel(v), model.QuoteName(d.Group), units.Duration(d.DriftMs), units.Duration(d.IdleMs), units.Duration(d.IdleMs-d.DriftMs))
			f.Prove(v, model.SourceLabel(v), "plan: watermarkAlignment max drift", units.Duration(d.DriftMs))
			f.Prove(v, model.SourceLabel(v), "plan: idle timeout", units.Duration(d.IdleMs))
			out = append(out, f)
		}
	}
	if declared {
		return out
	}
	_, driftHi, okDrift := j.InferredDrift()
	driftLo := driftHi - 4000
	idleLo, idleHi, from, okIdle := j.InferredIdleTimeout()
	if !okDrift || !okIdle || idleLo <= driftHi {
		return out
	}
	f := catalog.NewFinding("TM502", from.Vertex)
	f.Operator, f.Confidence, f.Subtasks = model.HeadName(from.Vertex), catalog.Likely, []int{from.Index}
	f.Summary = fmt.Sprintf("The alignment drift (inferred: %s to %s) is smaller than the idle timeout (inferred: %s to %s): when a member falls silent the others pause until it is declared idle",
		units.Duration(driftLo), units.Duration(driftHi), units.Duration(idleLo), units.Duration(idleHi))
	f.ProveGauge(from.Vertex, model.SubtaskLabel(from), "sourceIdleTime", from.SourceIdle)
	f.ProveGauge(from.Vertex, "split "+from.Splits[0].ID, "accumulatedIdleTimeMs", from.Splits[0].IdleMs)
	for _, s := range j.AlignedSubtasks() {
		f.ProveGauge(s.Vertex, model.SubtaskLabel(s), "watermarkAlignmentDrift", s.AlignmentDrift)
	}
	return append(out, f)
}
