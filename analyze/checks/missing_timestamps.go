package checks

import (
	"fmt"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

const noTimestampTitle = "The job fails: its records carry no timestamp, and the window refuses them"

// noTimestampFix: what is missing is the timestamp, which no generator or interval gives.
var noTimestampFix = catalog.Fix{
	Text: "Give the source a strategy with a timestamp assigner, then restart from the last checkpoint; measure the delay with tidemark recommend TOPIC. A window that does not ask for event time wants processing-time windows.",
	DataStream: "env.fromSource(source, WatermarkStrategy\n    .<Order>forBoundedOutOfOrderness(Duration.ofSeconds(5))\n    .withTimestampAssigner((r, t) -> r.timestampMillis()), \"Orders\")\n" +
		"// or, where event time is not wanted\n.window(TumblingProcessingTimeWindows.of(size))",
}

// missingTimestamps reads the loud form: the window assigner refuses a record without timestamp
// (TumblingEventTimeWindows#assignWindows).
func missingTimestamps(j *model.Job) (catalog.Finding, bool) {
	x := j.Now.Exceptions
	if x == nil {
		return catalog.Finding{}, false
	}
	for _, e := range x.History.Entries {
		if strings.Contains(e.Stacktrace, "Long.MIN_VALUE timestamp") {
			f := catalog.NewFinding("TM101", nil)
			f.Title, f.Fix = noTimestampTitle, noTimestampFix
			f.Summary = fmt.Sprintf("The job fails because its records carry no timestamp (Long.MIN_VALUE): no timestamp assigner or watermark strategy is set before %s", model.QuoteName(e.TaskName))
			f.Prove(nil, model.QuoteName(e.TaskName), "exception", flinkapi.CauseOf(e.Stacktrace))
			if v := j.VertexNamed(e.TaskName); v != nil {
				f.Vertex = v.Ref()
			}
			return f, true
		}
	}
	if strings.Contains(x.RootException, "Long.MIN_VALUE timestamp") {
		f := catalog.NewFinding("TM101", nil)
		f.Title, f.Fix = noTimestampTitle, noTimestampFix
		f.Summary = "The job fails because its records carry no timestamp (Long.MIN_VALUE): no timestamp assigner or watermark strategy is set before the window"
		f.Prove(nil, "job", "root-exception", flinkapi.CauseOf(x.RootException))
		return f, true
	}
	return catalog.Finding{}, false
}
