// Package explain is the explanation of a check, as a document.
package explain

import (
	"strings"

	"tidemark/analyze/catalog"

	"tidemark/render/doc"
	"tidemark/render/words"
)

// Check explains a check: the symptom, why it happens, how to distinguish it, what to do.
func Check(c catalog.Check) *doc.Document {
	d := &doc.Document{Title: c.Code + " " + c.Cause}
	d.Add(doc.Heading{Level: 1, Text: c.Code + " " + c.Cause, Lead: c.Title}, doc.Paragraph{Text: strings.Join(traits(c), "; "), Dim: true})
	for _, s := range [][2]string{{"What you see", c.Means}, {"Why, and how to distinguish it", c.Why}, {"What to do", c.Fix.Text}} {
		if s[1] == "" {
			continue
		}
		d.Add(doc.Heading{Level: 2, Text: s[0]})
		for _, p := range strings.Split(s[1], "\n\n") {
			d.Add(doc.Paragraph{Text: strings.Join(strings.Fields(p), " ")})
		}
	}
	for _, code := range words.Code(c.Fix) {
		code := code.(doc.Code)
		d.Add(doc.Heading{Level: 2, Text: code.Title}, doc.Code{Language: code.Language, Text: code.Text})
	}
	return d
}

// traits are the small facts about a check.
func traits(c catalog.Check) []string {
	t := []string{"severity " + string(c.Severity)}
	if c.Since != "" {
		t = append(t, "since Flink "+c.Since)
	}
	if len(c.Former) > 0 {
		t = append(t, "formerly "+strings.Join(c.Former, ", "))
	}
	if len(c.Needs) > 0 {
		t = append(t, "needs "+strings.Join(c.NeedTexts(), ", "))
	}
	return t
}
