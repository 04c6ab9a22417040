package fix

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

// lastWindow is for a part of the job whose sources are all silent.
func lastWindow(s site) catalog.Fix {
	f := catalog.Fix{Text: "Nothing is wrong with the strategy, and an idle timeout would not help. To close the last window send a later record or a heartbeat"}
	switch {
	case s.api()&sql == 0 && s.api() != beam && s.has(model.KindWindow):
		f.Text += ", or let the window fire on processing time"
		f.DataStream = "stream.keyBy(…).window(…).trigger(\n    ProcessingTimeoutTrigger.of(EventTimeTrigger.create(), Duration.ofMinutes(1)))"
	case s.hasText("GroupWindowAggregate("):
		f.Text += ", or let the group window fire early (experimental)"
		f.SQL = "SET 'table.exec.emit.early-fire.enabled' = 'true';\nSET 'table.exec.emit.early-fire.delay' = '10 s';"
	}
	f.Text += "."
	return f
}

func (s site) has(kind model.Kind) bool {
	for _, v := range s.job.Vertices {
		for _, op := range v.Chain {
			if op.Kind == kind {
				return true
			}
		}
	}
	return false
}

// at reports an operator of a kind at the place of the finding.
func (s site) at(kind model.Kind) bool {
	return slices.ContainsFunc(s.vertex.Chain, func(op *model.Operator) bool {
		return op.Kind == kind && (s.found.Operator == "" || op.Name == s.found.Operator)
	})
}

func (s site) hasText(prefix string) bool {
	for _, v := range s.job.Vertices {
		for _, op := range v.Chain {
			if strings.HasPrefix(op.Text, prefix) {
				return true
			}
		}
	}
	return false
}

// silentWindow is for a window that never emits a row.
func silentWindow(s site) catalog.Fix {
	if s.api()&sql != 0 {
		return textOnly("Look at the filter or HAVING after the aggregation, and at what the window counts.")
	}
	return catalog.Fix{Text: "Look at trigger, evictor and filter of this window. The default trigger fires once, when the watermark passes the end of the window.",
		DataStream: "stream.keyBy(…).window(…).trigger(EventTimeTrigger.create())"}
}

// uncounted is for an operator that drops late rows without a counter.
func uncounted(s site) catalog.Fix {
	f := catalog.Fix{Text: "Measure the disorder of its inputs instead (tidemark recommend TOPIC)."}
	if s.api()&sql == 0 {
		f.Text = "Measure the disorder of its inputs instead (tidemark recommend TOPIC), or take late records to a side output."
		f.DataStream = "// after between(…)\n.sideOutputLeftLateData(leftLate).sideOutputRightLateData(rightLate)"
		return f
	}
	if col, t := s.column(), table(s.source); col != "" && t != "" {
		f.Text += " Or count the late rows with a query."
		f.SQL = fmt.Sprintf("-- CURRENT_WATERMARK is NULL before the first watermark\nSELECT COUNT(*) FROM %s WHERE %s <= CURRENT_WATERMARK(%s)", t, col, col)
	}
	return f
}

// noEventTime is for a job that does not use event time.
func noEventTime(s site) catalog.Fix {
	f := catalog.Fix{Text: "Nothing to do, unless results were meant to be windowed."}
	if s.api()&sql == 0 {
		return f
	}
	f.Text = "Nothing to do, unless results were meant to be windowed: then use a window table function."
	t := table(s.source)
	col := s.column()
	if t != "" && col != "" {
		f.SQL = fmt.Sprintf("SELECT window_start, window_end, COUNT(*)\nFROM TABLE(TUMBLE(TABLE %s, DESCRIPTOR(%s), INTERVAL '1' MINUTE))\nGROUP BY window_start, window_end", t, col)
	}
	return f
}

// restartLoop is for a job that fails and restarts again and again.
func restartLoop(site) catalog.Fix {
	return textOnly("Fix the exception first. Judge event time afterwards: after each restart sources begin without a watermark.")
}

// notRunning is for a job that has ended.
func notRunning(s site) catalog.Fix {
	if s.job.State == "FAILED" {
		return textOnly("Fix the exception, then restart from the last checkpoint.")
	}
	return textOnly("Start it, if it is meant to run.")
}

// miniBatch is for watermarks that only mark batches.
func miniBatch(s site) catalog.Fix {
	f := catalog.Fix{Text: "Ignore these watermarks. If the query should use event time, declare a watermark and use an event-time operator: the planner then chooses mode=[RowTime]."}
	if table(s.source) != "" && s.column() != "" {
		f.SQL = s.watermark(s.delayOr(5000))
	}
	return f
}
