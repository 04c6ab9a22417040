package policy

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tidemark/analyze/facts"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
)

// draft is a policy in the making. What was read is written as a key, what was not as a comment with
// the reason.
type draft struct {
	strings.Builder
	indent string
}

// line is one of a draft: a key, or a comment in place of one with the reason.
type line struct {
	text, note string
	gap        bool
}

func filled(text, note string) line    { return line{text, note, false} }
func comment(text, reason string) line { return line{text, reason, true} }

func (d *draft) write(lines ...line) {
	for _, l := range lines {
		text := l.text
		if l.gap {
			text = "# " + text
		}
		if l.note != "" {
			text += " # " + oneLine(l.note)
		}
		d.WriteString(d.indent + text + "\n")
	}
}

// oneLine keeps foreign text within a comment.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff {
			return ' '
		}
		return r
	}, s)
}

// Draft writes a policy for the jobs that were read; from says what they were read from.
func Draft(jobs []Job, from string) []byte {
	d := &draft{}
	d.write(filled("# A policy for `tidemark check`, drafted by `tidemark check init` from "+oneLine(from)+".", ""),
		filled("# Keys that are filled hold what was read; the others are comments that say why nothing was. Edit both.", ""),
		filled("# `tidemark check --policy-schema` writes the JSON Schema of this file.", ""),
		filled("version: 1", ""),
		comment("fail-on: warning", "the default; info, critical and none are the others"),
		comment("require: [owner, strategy, delay, idleness, lateness, event-time, replay, drill, alerts]", "what every job must have written down; the default is owner"),
		filled("jobs:", ""))
	if len(jobs) == 0 {
		d.write(filled("  []", "no job was read"))
	}
	for _, same := range byName(jobs) {
		d.rule(same)
	}
	d.write(comment("suppress:", "failed results that are accepted until a day"),
		comment("  - {check: late-records-past, job: \"*\", reason: \"dropped during the first catch-up\", until: 2027-01-31}", ""))
	return []byte(d.String())
}

// rule writes what must hold for every job of a name, since a policy knows jobs by their names.
func (d *draft) rule(same []*Job) {
	name := patternFor(same[0].Report.Name)
	d.indent = "  "
	d.write(filled("- name: "+name, verdicts(same)))
	d.indent = "    "
	d.write(comment("owner: who answers for this job", "the cluster does not show it"))
	running := slices.DeleteFunc(slices.Clone(same), func(j *Job) bool { return unreadableJob(j) != "" })
	if len(running) == 0 {
		d.write(comment("max-lag: 1m", unreadableJob(same[0])))
		d.indent = ""
		return
	}
	d.write(filled("strategy: on-source", ""))
	d.write(merged(running, (*Job).draftLag)...)
	d.write(merged(running, (*Job).draftLateness)...)
	d.write(comment("event-time: {field: ts, unit: ms, zone: UTC}", "REST does not show the field; with delay.measured it is compared with the records"),
		comment("alerts: {rules: flink-event-time.rules.yml}", "written by: tidemark alerts --policy FILE"),
		comment("replay: {records: orders.jsonl, field: ts, strategy: {delay: 5s}, expect: [\"late<=0.1%\", \"lag-end<30s\"]}", "no records were read"),
		comment("whatif: {set: Orders.idle-timeout=30s, field: ts, expect: [\"stands<5s\", \"dropped=0\"]}", "no change is planned"),
		comment("drill: {speed: 5x, catch-up: 2h, checkpoint-size: 20 GB, dropped: 0}", "what a replay from an old offset must show; watch one: tidemark check JOB --for 30m"),
		comment("forbid: [idle-split, quiet-input]", "checks that fail whatever their severity"))
	sources := sourcesOf(running)
	for _, s := range sources {
		if len(sources) > 1 {
			d.indent = "  "
			if jobs := s.jobs(); jobs < len(running) {
				d.write(comment("- {name: "+name+", source: "+patternFor(s[0].Name)+"}", fmt.Sprintf("only %d of the %d jobs of this name have it", jobs, len(running))))
				continue
			}
			d.write(filled("- name: "+name, ""))
			d.indent = "    "
			d.write(filled("source: "+patternFor(s[0].Name), ""))
		}
		d.write(s.draft()...)
	}
	d.indent = ""
}

// usedSources leaves out what no event-time operator depends on, unless that is all.
func usedSources(all []facts.SourceFacts) []facts.SourceFacts {
	var used []facts.SourceFacts
	for _, s := range all {
		if s.Used != model.UseNo {
			used = append(used, s)
		}
	}
	return used
}

func unreadableJob(j *Job) string {
	switch {
	case j.Facts.Batch:
		return "batch job: watermarks do not apply"
	case !j.Facts.Running:
		return "the job is " + j.Report.State + ", so nothing was read of its event time"
	}
	return ""
}

// roundBound writes an inferred delay as somebody would have declared it, well within what it may be off.
func roundBound(b lag.Bound) int64 {
	if b.Declared {
		return b.Ms
	}
	unit := int64(1000)
	switch {
	case b.Ms >= 600_000:
		unit = 60_000
	case b.Ms >= 60_000:
		unit = 10_000
	}
	return (b.Ms + unit/2) / unit * unit
}

// roundUp is the next duration that a person would write.
func roundUp(ms int64) int64 {
	for _, nice := range []int64{30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400} {
		if ms <= nice*1000 {
			return nice * 1000
		}
	}
	return (ms + 86_399_999) / 86_400_000 * 86_400_000
}

// patternFor is a pattern that means the name, in quotes.
func patternFor(name string) string {
	if strings.TrimSpace(name) == "" {
		return `"*"`
	}
	p := Pattern{Text: name}
	if p.isRegexp() {
		name = "/" + regexp.QuoteMeta(name) + "/"
	}
	if len(name) > 400 {
		r := []rune(name)
		name = string(r[:min(len(r), 100)]) + "*"
	}
	text, err := json.Marshal(name)
	if err != nil {
		return `"*"` // a string always encodes
	}
	return string(text)
}
