package whatif

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tidemark/analyze/model"
	"tidemark/internal/near"
	"tidemark/request"
)

// Setting is one change of a job, such as Orders.idle-timeout=30s.
type Setting struct {
	Column string // that it belongs to, "" = all
	Of     string // a source or an operator, "" = the job
	Name   string
	Value  string
	flag   string
	item   int
	whole  string // the text that was taken for a column, which may be the beginning of Of
}

// String writes the setting without its column.
func (s Setting) String() string {
	if s.Of == "" {
		return s.Name + "=" + s.Value
	}
	return s.Of + "." + s.Name + "=" + s.Value
}

// The settings of sources, operators and the job.
var (
	sourceSettings   = []string{"delay", "idle-timeout", "emit", "place", "alignment", "parallelism"}
	operatorSettings = []string{"lateness", "offset", "parallelism", "delay", "idle-timeout"}
	jobSettings      = []string{"interval", "alignment", "flink-version"}
)

var columnForm = regexp.MustCompile(`^([A-Za-z0-9_-]+):\s*(\S.*)$`)

// ParseSettings parses the values of --set or --known, [COLUMN:][NAME.]SETTING=VALUE. The setting may also come before
// the name: parallelism.Orders=4.
func ParseSettings(flag string, texts []string) ([]Setting, error) {
	var all []Setting
	for i, text := range texts {
		s, err := parseSetting(text)
		if err != nil {
			return nil, &request.Mistake{Setting: flag, Item: i, Err: err}
		}
		if s.flag, s.item = flag, i; s.Column != "" && flag != "set" {
			return nil, &request.Mistake{Setting: flag, Item: i, Err: fmt.Errorf("is %q; only --set has columns", cut(text))}
		}
		all = append(all, s)
	}
	return all, nil
}

func cut(s string) string { return s[:min(len(s), 60)] }

func parseSetting(text string) (s Setting, err error) {
	rest := strings.TrimSpace(text)
	if m := columnForm.FindStringSubmatch(rest); m != nil && strings.Contains(m[2], "=") && !strings.Contains(m[1], "=") {
		s.Column, rest = m[1], m[2]
		s.whole = strings.TrimSpace(strings.TrimSuffix(text, m[2]))
	}
	left, value, ok := strings.Cut(rest, "=")
	left, value = strings.TrimSpace(left), strings.TrimSpace(value)
	if !ok || left == "" || value == "" {
		return s, fmt.Errorf("is %q; it takes NAME.SETTING=VALUE, as in Orders.idle-timeout=30s", cut(text))
	}
	s.Value = value
	if slices.Contains(jobSettings, left) {
		s.Name = left
		return s, nil
	}
	known := slices.Compact(slices.Sorted(slices.Values(slices.Concat(sourceSettings, operatorSettings))))
	if at := strings.LastIndexByte(left, '.'); at > 0 && slices.Contains(known, left[at+1:]) {
		s.Of, s.Name = left[:at], left[at+1:]
		return s, nil
	}
	if first, name, cut := strings.Cut(left, "."); cut && slices.Contains(known, first) && name != "" {
		s.Of, s.Name = name, first
		return s, nil
	}
	word := left
	if at := strings.LastIndexByte(left, '.'); at >= 0 {
		word = left[at+1:]
	}
	return s, fmt.Errorf("%s: no setting %q; near: %s", cut(left), cut(word), strings.Join(near.Words(word, slices.Concat(known, jobSettings), 2), ", "))
}

// resolve corrects settings whose column is the beginning of a source's or operator's name, as in "Trades: fast.delay=2s".
func resolve(j *model.Job, settings []Setting) []Setting {
	names := map[string]bool{}
	for _, v := range j.Vertices {
		for _, op := range v.Chain {
			names[op.Name] = true
		}
		names[model.SourceName(v)] = true
	}
	for i, s := range settings {
		if full := s.whole + " " + s.Of; s.Column != "" && s.Of != "" && names[full] {
			settings[i].Column, settings[i].Of = "", full
		}
	}
	return settings
}

// mistake is an error that names the setting.
func (s Setting) mistake(format string, a ...any) error {
	return &request.Mistake{Setting: s.flag, Item: s.item, Err: fmt.Errorf("%s: "+format, append([]any{cut(s.String())}, a...)...)}
}
