package policy

import (
	"strings"

	"tidemark/analyze/facts"
)

// judgeTables compares the sources that read a table with the rules for that table.
func (e *evaluation) judgeTables(rules []*Rule, used map[*Rule]bool) Errors {
	var es Errors
	at := func(subject Subject, src facts.SourceFacts, sink bool, j *Job, script *Script) {
		var mine []*Rule
		for _, r := range rules {
			if r.Table != nil && matchTable(r.Table, src) && !(sink && r.Table.many()) {
				mine = append(mine, r)
				used[r] = true
			}
		}
		es = append(es, pairwise(mine)...)
		if len(mine) > 0 {
			e.required(subject, mine)
		}
		for _, r := range mine {
			scope{evaluation: e, rule: r, subject: subject, job: j, script: script, sources: []facts.SourceFacts{src}}.keys()
		}
	}
	for i := range e.in.Jobs {
		j := &e.in.Jobs[i]
		for _, src := range j.Facts.Sources {
			at(Subject{Kind: "table", Name: tableName(src)}, src, false, j, nil)
		}
	}
	for i := range e.in.Scripts {
		script := &e.in.Scripts[i]
		for _, src := range script.Sources {
			if !src.Named {
				continue
			}
			at(Subject{Kind: "table", Name: tableName(src.Facts)}, src.Facts, src.Sink, nil, script)
		}
	}
	return es
}

func tableName(src facts.SourceFacts) string {
	if src.Table != "" {
		return src.Table
	}
	name, _, _ := strings.Cut(src.Name, "[")
	return name
}
