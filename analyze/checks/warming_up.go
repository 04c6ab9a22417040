package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM702", Cause: "warming-up", Title: "The job just started: no watermark yet is normal",
	Severity: catalog.Info, Needs: catalog.Needs(catalog.Uptime),
	Means: "The job runs for less than a minute and some watermarks are still none. That is normal until every split spoke once and an idle timeout, where set, has passed.",
	Why:   "After a start or a restore all event time is rebuilt from the sources; from 1.19.1 and 1.20.0 on a silent restored split holds the watermark until it speaks or is declared idle (FLINK-32828). Earlier drops and values may come back lower than before.",
	Fix:   catalog.Fix{Text: "Look again in a minute."},
	Run:   runWarmingUp,
})

func runWarmingUp(j *model.Job) []catalog.Finding {
	if !j.Running() || !j.WarmingUp() {
		return nil
	}
	none := 0
	var first *model.Vertex
	for _, v := range j.Vertices {
		if s := v.Watermark().Now.State(); s == flinkapi.None || s == flinkapi.Absent {
			none++
			if first == nil {
				first = v
			}
		}
	}
	if none == 0 {
		return nil
	}
	f := catalog.NewFinding("TM702", first)
	f.Since(j.UptimeMs)
	waiting := "1 vertex has"
	if none != 1 {
		waiting = fmt.Sprintf("%d vertices have", none)
	}
	f.Summary = fmt.Sprintf("The job runs for %s; %s no event time yet, which is normal", units.Duration(j.UptimeMs), waiting)
	f.Prove(nil, "job", "uptime", units.Duration(j.UptimeMs))
	if c := j.Now.Checkpoints; c != nil && c.Latest.Restored != nil {
		f.Prove(nil, "job", "restored", units.Time(c.Latest.Restored.RestoreTimestamp))
	}
	return []catalog.Finding{f}
}
