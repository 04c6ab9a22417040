package ci

import (
	"slices"
	"strings"

	"tidemark/analyze/catalog"

	"tidemark/analyze/policy"
	"tidemark/render/doc"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// Document is what an engineer needs when a build fails: the outcome, what failed by subject, what was skipped or
// suppressed and why, the counts.
func Document(run *policy.Run, o Options) *doc.Document {
	d := &doc.Document{Title: "tidemark check"}
	d.Add(doc.Heading{Level: 1, Label: outcomeLabel(run.Outcome), Text: policyName(run, o), Lead: outcomeLine(run)}, doc.Paragraph{Text: sourcesText(run), Dim: true})
	if line := sinceLine(run, o); line != "" {
		d.Add(doc.Paragraph{Text: line, Dim: true})
	}
	shown := map[catalog.Fix]bool{}
	groups := checkGroups(run)
	for _, g := range groups {
		if failed := g.failed(); len(failed) > 0 {
			d.Add(doc.Heading{Level: 2, Text: g.title(longestName)})
			for _, r := range failed {
				d.Add(failure(run, r, o, shown)...)
			}
		}
	}
	d.Add(since(run)...)
	d.Add(watchedBlocks(run)...)
	if why := incompleteReasons(run); len(why) > 0 {
		var lines doc.List
		for _, w := range why {
			lines = append(lines, safe.Clip(safe.Clean(w.text), 400))
		}
		d.Add(doc.Heading{Level: 2, Text: "Incomplete"}, lines)
	}
	d.Add(others(groups, "Skipped", policy.Skipped, func(r *policy.Result) []string { return []string{skippedText(r)} })...)
	d.Add(others(groups, "Suppressed", policy.Suppressed, func(r *policy.Result) []string {
		lines := []string{suppressedText(r)}
		if r.Change != "" {
			lines[0] += " [" + string(r.Change) + "]"
		}
		if r.Suppression != nil {
			lines = append(lines, "hides: "+checkSentence(r, false)+" Suppressed at "+placeText(located(run, r.Suppression.Location, o))+".")
		}
		return lines
	})...)
	var passed doc.List
	for _, g := range groups {
		for _, r := range g.with(policy.Passed) {
			passed = append(passed, checkName(r)+" at "+g.title(longestName))
		}
	}
	if len(passed) > 0 {
		d.Add(doc.Folded{Title: words.Plural(len(passed), "check", "checks") + " that passed", Blocks: []doc.Block{passed}})
	}
	if len(run.Results) > 0 || run.LeftOut > 0 {
		d.Foot = countsLine(run)
	}
	return d
}

// outcomeLabel colours an outcome like the corresponding verdict.
func outcomeLabel(o policy.Outcome) doc.Label {
	tones := map[policy.Outcome]doc.Tone{policy.OutcomePassed: doc.Healthy, policy.OutcomeFailed: doc.Critical}
	l := doc.Label{Word: string(o), Tone: tones[o]}
	if l.Tone == "" {
		l.Tone = doc.Incomplete
	}
	if l.Word == "" {
		l.Word = "unknown"
	}
	return l
}

func failure(run *policy.Run, r *policy.Result, o Options, shown map[catalog.Fix]bool) []doc.Block {
	title := checkName(r)
	if !slices.Contains([]string{"", r.Code}, r.Title) {
		title += ": " + safe.Clip(safe.Clean(r.Title), 400)
	}
	facts := doc.Pairs{{Name: "at", Values: []string{placeText(located(run, r.Location, o))}}}
	for _, f := range [][2]string{{"in", subjectPart(r.Subject, longestName)}, {"demanded by", safe.Short(r.Key, longestName)}, {"cause", strings.Join(traits(run, r), ", ")}, {"more", safe.Short(r.Page, longestName)}} {
		if f[1] != "" {
			facts = append(facts, doc.Pair{Name: f[0], Values: []string{f[1]}})
		}
	}
	return append([]doc.Block{doc.Heading{Level: 3, Label: words.Label(string(r.Severity)), Text: title, Lead: checkSentence(r, false) + codeMark(r)}},
		words.Facts(facts, r.Evidence, r.Fix, safe.Clean, shown)...)
}

// traits are the small facts about a failed result.
func traits(run *policy.Run, r *policy.Result) []string {
	t := []string{safe.Short(r.Cause, 40)}
	if r.Confidence != "" {
		t = append(t, safe.Short(string(r.Confidence), 20))
	}
	if !counts(run, r) {
		t = append(t, "below --fail-on "+safe.Short(run.FailOn, 20))
	}
	return t
}

// others lists the results of one status, with the reason.
func others(groups []*checkGroup, title string, status policy.Status, why func(*policy.Result) []string) []doc.Block {
	var p doc.Pairs
	for _, g := range groups {
		for _, r := range g.with(status) {
			p = append(p, doc.Pair{Name: resultPlace(r, g.title(longestName)), Values: why(r)})
		}
	}
	if len(p) == 0 {
		return nil
	}
	return []doc.Block{doc.Heading{Level: 2, Text: title}, p}
}
