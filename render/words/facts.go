package words

import (
	"slices"
	"strings"

	"tidemark/analyze/catalog"

	"tidemark/render/doc"
)

// Label is a verdict or severity; an unknown one is coloured as incomplete.
func Label(v string) doc.Label {
	tone := doc.Tone(v)
	if !slices.Contains([]doc.Tone{doc.Critical, doc.Warning, doc.Info, doc.Healthy}, tone) {
		tone = doc.Incomplete
	}
	return doc.Label{Word: v, Tone: tone}
}

// Facts are facts, the evidence with one line per reading, and the code of the fix, once in a document: shown are the fixes
// whose code was written already.
func Facts(p doc.Pairs, evidence []catalog.Evidence, f catalog.Fix, short func(string) string, shown map[catalog.Fix]bool) []doc.Block {
	var lines []string
	for _, e := range evidence {
		lines = append(lines, Evidence(e, short))
	}
	if len(lines) > 0 {
		p = append(p, doc.Pair{Name: "evidence", Values: lines})
	}
	code := Code(f)
	if shown[f] && len(code) > 0 {
		return []doc.Block{append(p, doc.Pair{Name: "code", Values: []string{"the same as above"}})}
	}
	shown[f] = true
	return append([]doc.Block{p}, code...)
}

// Code is the code of a fix.
func Code(f catalog.Fix) []doc.Block {
	var out []doc.Block
	for _, c := range []doc.Code{{Title: "DataStream", Language: "java", Text: f.DataStream}, {Title: "SQL", Language: "sql", Text: f.SQL}} {
		if strings.TrimSpace(c.Text) != "" {
			out = append(out, c)
		}
	}
	return out
}
