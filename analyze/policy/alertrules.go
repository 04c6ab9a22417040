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
	for _, r := range f.rules {
		if r.Alert == "" {
			continue
		}
		if watermark, lag := f.watches(r.Expr, job, 0); watermark && lag {
			return r.Alert
		}
	}
	return ""
}

// watches reports whether an expression reads a watermark of the job, and whether it makes a lag of it.
func (f RuleFile) watches(expr, job string, depth int) (watermark, lag bool) {
	if depth > 8 || len(expr) > MaxSize {
		return false, false
	}
	lag = clockCall.MatchString(expr)
	for _, s := range selectorsOf(expr) {
		switch {
		case !s.admits(job):
		case lagMetric.MatchString(s.metric):
			watermark, lag = true, true
		case watermarkMetric.MatchString(s.metric):
			watermark = true
		default:
			for _, r := range f.rules {
				if r.Record == s.metric && r.Record != "" {
					w, l := f.watches(r.Expr, job, depth+1)
					watermark, lag = watermark || w, lag || w && l
				}
			}
		}
	}
	return watermark, lag
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
