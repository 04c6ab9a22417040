package ci

import (
	"bytes"
	"sort"
	"strings"
	"unicode"

	"tidemark/analyze/catalog"

	"tidemark/analyze/policy"
	"tidemark/render/doc"
	"tidemark/render/explain"
	"tidemark/render/safe"
)

// sarifRules are the checks of a run by code, passed ones too, and the index of each.
func sarifRules(run *policy.Run) ([]sarifRule, map[string]int) {
	first := map[string]*policy.Result{}
	var codes []string
	for i := range run.Results {
		r := &run.Results[i]
		if first[r.Code] == nil {
			first[r.Code] = r
			codes = append(codes, r.Code)
		}
	}
	sort.Strings(codes)
	rules, index := []sarifRule{}, map[string]int{}
	for i, code := range codes {
		c, ok := catalog.FindCheck(code)
		if !ok || c.Code != code {
			r := first[code] // a check of another version: what the result says of it must do
			c = catalog.Check{Code: sarifID(code), Cause: safe.Short(r.Cause, 40), Title: safe.Clip(safe.Clean(r.Title), 400), Severity: r.Severity}
		}
		rule := sarifRuleOf(c)
		rule.HelpURI = first[code].Page
		rules = append(rules, rule)
		index[code] = i
	}
	return rules, index
}

func sarifRuleOf(c catalog.Check) sarifRule {
	var plain, markdown bytes.Buffer
	d := explain.Check(c)
	_ = doc.Text(&plain, d, doc.Look{Width: 100}) // a buffer takes everything
	_ = doc.Markdown(&markdown, d, 0)
	return sarifRule{
		ID: sarifID(c.Code), Name: pascal(c.Cause),
		Short:  sarifText{Text: sarifProse(safe.Clip(safe.Clean(orTitle(c.Title, c.Code)), 400))},
		Full:   sarifText{Text: sarifProse(safe.Clip(safe.Clean(orTitle(c.Means, c.Title)), 900))},
		Help:   sarifText{Text: sarifProse(plain.String()), Markdown: markdown.String()},
		Config: sarifConfig{sarifLevel(c.Severity)},
		Bag:    map[string]any{"tags": []string{"event-time", "flink"}, "problem.severity": problemSeverity(c.Severity)},
	}
}

func orTitle(s, other string) string {
	if s != "" {
		return s
	}
	return sarifID(other)
}

// problemSeverity is the word by which GitHub's code scanning filters.
func problemSeverity(s catalog.Severity) string {
	switch s {
	case catalog.Critical:
		return "error"
	case catalog.Warning:
		return "warning"
	}
	return "recommendation"
}

// pascal turns a slug into the form SARIF wants for names of rules: idle-split becomes IdleSplit.
func pascal(slug string) string {
	words := strings.FieldsFunc(safe.Short(slug, 60), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range words {
		first := []rune(w)
		first[0] = unicode.ToUpper(first[0])
		words[i] = string(first)
	}
	if len(words) == 0 {
		return "Unnamed"
	}
	return strings.Join(words, "")
}
