package fix

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// skew is for a split that is far behind its siblings: alignment bounds the state, unless it is in force.
func skew(s site) catalog.Fix {
	f := catalog.Fix{Text: "Find what writes to that split. "}
	if s.aligned() {
		f.Text += "Alignment is in force already; it bounds the state that the others pile up, not the wait."
		return f
	}
	f.Text += "For a backfill bound the state with watermark alignment; rebalance keys if one partition carries the slow producers."
	return s.align(f, 30_000)
}

func (s site) aligned() bool {
	if s.source == nil {
		return false
	}
	if d, ok := s.job.Declared(s.source); ok && d.Group != "" {
		return true
	}
	for _, t := range s.source.Subtasks {
		if _, ok := t.AlignmentDrift.Value(); ok {
			return true
		}
	}
	return false
}

// align is the code for a drift, ms; the group stays what it is.
func (s site) align(f catalog.Fix, drift int64) catalog.Fix {
	group, update, named := "events", int64(1000), false
	if s.source != nil {
		if d, ok := s.job.Declared(s.source); ok && d.Group != "" {
			group, update, named = d.Group, max(d.UpdateMs, 1), true
		}
	}
	code := fmt.Sprintf("withWatermarkAlignment(\"%s\", %s, %s)", group, units.Java(drift), units.Java(update))
	if s.aligned() && !named { // a DataStream does not show the group that it is in, and stays in it
		code = fmt.Sprintf("withWatermarkAlignment(group, %s, %s)   // the group it is in, and its interval", units.Java(drift), units.Java(update))
	}
	f.DataStream = s.strategy(code)
	if named || !s.aligned() { // of another group nothing would be tried
		f.Try = s.try("alignment", group+","+flag(drift))
	}
	if t := table(s.source); t != "" && !s.below(1, 18) {
		f.SQL = fmt.Sprintf("ALTER TABLE %s SET ('scan.watermark.alignment.group' = '%s',\n    'scan.watermark.alignment.max-drift' = '%s', 'scan.watermark.alignment.update-interval' = '%s');", t, group, units.Option(drift), units.Option(update))
		if clause := s.clause(); clause != "" {
			f.SQL = "-- keeps " + clause + "\n" + f.SQL
		}
	}
	return f
}

// drift is the drift in force, ms: declared, or the upper end of what is inferred; 0 where neither is.
func (s site) drift() int64 {
	if s.source != nil {
		if d, ok := s.job.Declared(s.source); ok && d.DriftMs > 0 {
			return d.DriftMs
		}
	}
	if _, hi, ok := s.job.InferredDrift(); ok {
		return hi
	}
	return 0
}

// alignmentStall is for a group whose announcement stands although no member is behind.
func alignmentStall(site) catalog.Fix {
	return inForce("Restart the job from its last checkpoint, which announces anew; take sources that may be silent or finish out of the group, and upgrade past the bugs that are named for this version.")
}

// driftBelowIdle is for a drift that a silent member uses up before it is declared idle.
func driftBelowIdle(s site) catalog.Fix {
	timeout := int64(0)
	if s.source != nil {
		if d, ok := s.job.Declared(s.source); ok {
			timeout = d.IdleMs
		}
	}
	if _, hi, _, ok := s.job.InferredIdleTimeout(); ok && timeout == 0 {
		timeout = hi
	}
	if timeout == 0 {
		return catalog.Fix{}
	}
	larger := declarable(timeout)
	return s.align(catalog.Fix{Text: fmt.Sprintf("Make the drift at least as large as the idle timeout: %s.", units.Duration(larger))}, larger)
}

// throttle is for a drift that limits the catch-up.
func throttle(s site) catalog.Fix {
	larger := int64(300_000)
	if now := s.drift(); now > 0 {
		larger = declarable(10 * now)
	}
	f := s.align(catalog.Fix{Text: fmt.Sprintf("For the catch-up raise the drift, to %s for example, or shorten the update interval.", units.Duration(larger))}, larger)
	if s.job.Version.AtLeast(2, 3, 0) {
		f.Text += " pipeline.watermark-alignment.buffer-size compares with older samples and is gentler."
	}
	return f
}

// hold is for what trails by its own rule.
func hold(s site) catalog.Fix {
	f := catalog.Fix{Text: "Nothing to do, unless results behind it must come earlier: then narrow the interval of the join."}
	if s.vertex == nil {
		return f
	}
	for _, op := range s.vertex.Chain {
		if op.Name == s.found.Operator && op.Kind == model.KindMiniBatchRow {
			f.Text = "Nothing to do, unless results must come earlier: then lower the latency of the mini-batch."
			if ms, ok := model.HoldOf(op); ok && ms >= 2 {
				f.SQL = fmt.Sprintf("SET 'table.exec.mini-batch.allow-latency' = '%s';   -- now %s", units.Option(ms/2), units.Duration(ms))
			}
		}
	}
	return f
}
