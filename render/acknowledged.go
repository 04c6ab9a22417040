package render

import (
	"tidemark/analyze"
	"tidemark/render/doc"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// acknowledged lists the findings of a job that a policy accepts, with the reason and the last day.
func acknowledged(j *analyze.JobReport, now int64, short func(string) string) []doc.Block {
	var out []doc.Block
	if len(j.Acknowledged) > 0 && j.Verdict != analyze.VerdictAcknowledged { // else the verdict says it
		out = append(out, doc.Heading{Level: 3, Text: "Acknowledged"})
	}
	for i := range j.Acknowledged {
		a := &j.Acknowledged[i]
		why := "until " + safe.Short(a.Until, 20) + " (" + short(a.Acceptance.Location.String()) + "): " + a.Reason
		out = append(out, doc.Paragraph{Text: what(&a.Finding, now, short), More: a.Page}, doc.Pairs{{Name: "accepted", Values: []string{words.Sentences([]string{why}, short)}}})
	}
	return out
}
