package fix

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// skew is for a split that is far behind its siblings: watermark alignment limits the state, unless it is in force already.
func skew(s site) catalog.Fix {
	f := catalog.Fix{Text: "Find out what writes to that split. "}
	if s.aligned() {
		f.Text += "Watermark alignment is in force already: it limits the state that builds up, not the wait."
		return f
	}
	f.Text += "For a backfill, limit the state with watermark alignment. If the slow producers share a partition, distribute keys differently."
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

// align adds the code for a maximum drift, ms; the alignment group stays as it is.
func (s site) align(f catalog.Fix, drift int64) catalog.Fix {
	group, update, named := "events", int64(1000), false
	if s.source != nil {
		if d, ok := s.job.Declared(s.source); ok && d.Group != "" {
			group, update, named = d.Group, max(d.UpdateMs, 1), true
		}
	}
	code := fmt.Sprintf("withWatermarkAlignment(\"%s\", %s, %s)", group, units.Java(drift), units.Java(update))
	if s.aligned() && !named { // REST does not show the group of a DataStream job
		code = fmt.Sprintf("withWatermarkAlignment(group, %s, %s)   // keep the present group and update interval", units.Java(drift), units.Java(update))
	}
	f.DataStream = s.strategy(code)
	if named || !s.aligned() { // in a made-up group the source would be aligned with none
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

// drift is the maximum drift in force, ms: declared, or the upper end of the inferred range; 0 = unknown.
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

// alignmentStall is for a group whose announced maximum stands still although no member is behind.
func alignmentStall(site) catalog.Fix {
	return textOnly("Restart the job from its last checkpoint: the group then starts again. Take sources that may be silent or finish out of the group, and upgrade to a version without the bugs named here.")
}

// driftBelowIdle is for a maximum drift that is reached before a silent member is declared idle.
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
		f.Text += " A larger pipeline.watermark-alignment.buffer-size compares with older samples, which throttles less."
	}
	return f
}

// hold is for an operator whose watermark is behind its input by design.
func hold(s site) catalog.Fix {
	f := catalog.Fix{Text: "Nothing to do, unless results must come earlier: then narrow the interval of the join."}
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
