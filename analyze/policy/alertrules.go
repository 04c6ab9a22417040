package policy

import (
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// RuleFile is a file of Prometheus rules, as far as it tells whether event time is watched.
type RuleFile struct {
	Err   string // why it could not be read
	rules []promRule
}

type promRule struct {
	Alert  string `yaml:"alert"`
	Record string `yaml:"record"`
	Expr   string `yaml:"expr"`
}

// ParseRuleFile reads the groups of a Prometheus rule file.
func ParseRuleFile(text []byte) RuleFile {
	var file struct {
		Groups []struct {
			Rules []promRule `yaml:"rules"`
		} `yaml:"groups"`
	}
	if len(text) > 10*MaxSize {
		return RuleFile{Err: "it is too large"}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		return RuleFile{Err: strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: ")), " ")}
	}
	var f RuleFile
	for _, g := range file.Groups {
		f.rules = append(f.rules, g.Rules...)
	}
	if len(f.rules) == 0 {
		f.Err = "it has no groups with rules"
	}
	return f
}

// LagAlert is the name of an alert on the event-time lag of a job, "" where there is none. Rules that
// an alert takes its series from are followed.
func (f RuleFile) LagAlert(job string) string {
	w := watching{rules: f.rules, job: job, records: map[string]reads{}}
	for _, r := range f.rules {
		if r.Alert != "" && w.expr(r.Expr) == (reads{watermark: true, lag: true}) {
			return r.Alert
		}
	}
	return ""
}

// reads says whether an expression reads a watermark of a job, and whether it makes a lag of it.
type reads struct{ watermark, lag bool }

// with adds what a recorded series reads: its lag counts only if it is one of the watermark.
func (r reads) with(o reads) reads {
	return reads{watermark: r.watermark || o.watermark, lag: r.lag || o.watermark && o.lag}
}

// watching looks at expressions for one job. Each recorded series is looked at once: rules may read each other, and
// themselves.
type watching struct {
	rules   []promRule
	job     string
	records map[string]reads
}

func (w watching) expr(expr string) reads {
	if len(expr) > MaxSize {
		return reads{}
	}
	out := reads{lag: clockCall.MatchString(expr)}
	for _, s := range selectorsOf(expr) {
		switch {
		case !s.admits(w.job):
		case lagMetric.MatchString(s.metric):
			out = reads{watermark: true, lag: true}
		case watermarkMetric.MatchString(s.metric):
			out.watermark = true
		default:
			out = out.with(w.record(s.metric))
		}
	}
	return out
}

// record looks at the rules that record a series; it is nothing while they are being looked at.
func (w watching) record(name string) reads {
	if out, seen := w.records[name]; seen || name == "" {
		return out
	}
	w.records[name] = reads{}
	var out reads
	for _, r := range w.rules {
		if r.Record == name {
			out = out.with(w.expr(r.Expr))
		}
	}
	w.records[name] = out
	return out
}

var (
	clockCall       = regexp.MustCompile(`\btime\s*\(\s*\)`)
	watermarkMetric = regexp.MustCompile(`(?i)current(Input\d*|Output)Watermark$`)
	lagMetric       = regexp.MustCompile(`(?i)(^tidemark_event_time_lag_seconds|operator_watermarkLag)$`)
	selectorForm    = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|([a-zA-Z_:][a-zA-Z0-9_:]*)?\s*\{([^{}"']*(?:"(?:[^"\\]|\\.)*"[^{}"']*|'(?:[^'\\]|\\.)*'[^{}"']*)*)\}|[a-zA-Z_:][a-zA-Z0-9_:]*`)
	matcherForm     = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`)
)

type selector struct {
	metric   string
	matchers [][]string
}

func selectorsOf(expr string) []selector {
	var out []selector
	for _, m := range selectorForm.FindAllStringSubmatch(expr, -1) {
		if strings.HasPrefix(m[0], `"`) || strings.HasPrefix(m[0], "'") {
			continue // an argument of a function
		}
		s := selector{metric: m[1]}
		if m[1] == "" && m[2] == "" {
			s.metric = m[0]
		}
		s.matchers = matcherForm.FindAllStringSubmatch(m[2], -1)
		for _, one := range s.matchers {
			if one[1] == "__name__" && one[2] == "=" {
				s.metric = unquote(one[3])
			}
		}
		out = append(out, s)
	}
	return out
}

var notInLabels = regexp.MustCompile(`[^a-zA-Z0-9:_]`)

// admits asks the matchers for the job: by its own name, or as Flink's reporter writes it, with _ for
// every character that a metric's name cannot have (AbstractPrometheusReporter, 1.17 to 2.3).
func (s selector) admits(job string) bool {
	for _, name := range []string{job, notInLabels.ReplaceAllString(job, "_")} {
		all := true
		for _, m := range s.matchers {
			if m[1] == "job_name" || m[1] == "job" && lagMetric.MatchString(s.metric) {
				all = all && matches(m[2], unquote(m[3]), name)
			}
		}
		if all {
			return true
		}
	}
	return false
}

func matches(op, value, name string) bool {
	switch op {
	case "=":
		return value == name
	case "!=":
		return value != name
	}
	re, err := regexp.Compile("^(?:" + value + ")$")
	if err != nil {
		return false
	}
	return re.MatchString(name) == (op == "=~")
}

func unquote(s string) string {
	if strings.HasPrefix(s, "'") {
		s = `"` + strings.ReplaceAll(s[1:len(s)-1], `"`, `\"`) + `"`
	}
	text, err := strconv.Unquote(s)
	if err != nil {
		return s[1 : len(s)-1]
	}
	return text
}
