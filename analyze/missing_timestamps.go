package analyze

import (
	"fmt"
	"strings"

	"tidemark/flinkapi"
)

const noTimestampTitle = "Records carry no timestamp, and the window refuses them"

// missingTimestamps reads the loud form: the window assigner refuses a record without timestamp
// (TumblingEventTimeWindows#assignWindows).
func missingTimestamps(j *Job) (Finding, bool) {
	x := j.Now.Exceptions
	if x == nil {
		return Finding{}, false
	}
	for _, e := range x.History.Entries {
		if strings.Contains(e.Stacktrace, "Long.MIN_VALUE timestamp") {
			f := newFinding("TM101", nil)
			f.Title = noTimestampTitle
			f.Summary = fmt.Sprintf("The job fails because its records carry no timestamp (Long.MIN_VALUE): no timestamp assigner or watermark strategy is set before %s", quoteName(e.TaskName))
			f.prove(nil, quoteName(e.TaskName), "exception", flinkapi.CauseOf(e.Stacktrace))
			if v := j.vertexNamed(e.TaskName); v != nil {
				f.Vertex = v.Ref()
			}
			return f, true
		}
	}
	if strings.Contains(x.RootException, "Long.MIN_VALUE timestamp") {
		f := newFinding("TM101", nil)
		f.Title = noTimestampTitle
		f.Summary = "The job fails because its records carry no timestamp (Long.MIN_VALUE): no timestamp assigner or watermark strategy is set before the window"
		f.prove(nil, "job", "root-exception", flinkapi.CauseOf(x.RootException))
		return f, true
	}
	return Finding{}, false
}

// vertexNamed finds the vertex of a task name such as "Window10s -> Sink: Writer (1/2) - execution #3".
func (j *Job) vertexNamed(task string) *Vertex {
	for _, v := range j.Vertices {
		if v.Name != "" && strings.HasPrefix(task, v.Name) {
			return v
		}
	}
	return nil
}
