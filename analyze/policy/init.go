package policy

import (
	"encoding/json"
	"regexp"
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

func (d *draft) key(line, note string) { d.line("", line, note) }

func (d *draft) gap(line, reason string) { d.line("# ", line, reason) }

func (d *draft) line(mark, text, note string) {
	d.WriteString(d.indent + mark + text)
	if note != "" {
		d.WriteString(" # " + oneLine(note))
	}
	d.WriteString("\n")
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
	d.key("# A policy for `tidemark check`, drafted by `tidemark check init` from "+oneLine(from)+".", "")
	d.key("# Keys that are filled hold what was read; the others are comments that say why nothing was. Edit both.", "")
	d.key("# `tidemark check --policy-schema` writes the JSON Schema of this file.", "")
	d.key("version: 1", "")
	d.gap("fail-on: warning", "the default; info, critical and none are the others")
	d.gap("require: [owner, strategy, delay, idleness, lateness, event-time, replay, drill, alerts]", "what every job must have written down; the default is owner")
	d.key("jobs:", "")
	if len(jobs) == 0 {
		d.key("  []", "no job was read")
	}
	for i := range jobs {
		d.job(&jobs[i])
	}
	d.gap("suppress:", "failed results that are accepted until a day")
	d.gap("  - {check: late-records-past, job: \"*\", reason: \"dropped during the first catch-up\", until: 2027-01-31}", "")
	return []byte(d.String())
}

func (d *draft) job(j *Job) {
	d.indent = "  "
	d.key("- name: "+patternFor(j.Report.Name), "verdict of triage: "+string(j.Report.Verdict))
	d.indent = "    "
	d.gap("owner: who answers for this job", "the cluster does not show it")
	if reason := unreadableJob(j); reason != "" {
		d.gap("max-lag: 1m", reason)
		d.indent = ""
		return
	}
	d.key("strategy: on-source", "")
	d.lag(j)
	d.lateness(j)
	d.gap("event-time: {field: ts, unit: ms, zone: UTC}", "REST does not show the field; with delay.measured it is compared with the records")
	d.gap("alerts: {rules: flink-event-time.rules.yml}", "written by: tidemark alerts --policy FILE")
	d.gap("replay: {records: orders.jsonl, field: ts, strategy: {delay: 5s}, expect: [\"late<=0.1%\", \"lag-end<30s\"]}", "no records were read")
	d.gap("whatif: {set: Orders.idle-timeout=30s, field: ts, expect: [\"stands<5s\", \"dropped=0\"]}", "no change is planned")
	d.gap("drill: {speed: 5x, catch-up: 2h, checkpoint-size: 20 GB, dropped: 0}", "what a replay from an old offset must show; watch one: tidemark check JOB --for 30m")
	d.gap("forbid: [idle-split, quiet-input]", "checks that fail whatever their severity")
	sources := usedSources(j.Facts.Sources)
	if len(sources) == 1 {
		d.source(&sources[0], j)
	}
	for i := range sources {
		if len(sources) > 1 {
			d.indent = "  "
			d.key("- name: "+patternFor(j.Report.Name), "")
			d.indent = "    "
			d.key("source: "+patternFor(sources[i].Name), "")
			d.source(&sources[i], j)
		}
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
