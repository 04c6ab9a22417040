package policy

import (
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Pattern names jobs, tables or vertices: a name with * and ? for any characters, or a regular
// expression between slashes. Either has to match the whole name.
type Pattern struct {
	place
	Text string
	re   *regexp.Regexp
}

// many reports a pattern that can fit more than one name.
func (p *Pattern) many() bool { return p.isRegexp() || strings.ContainsAny(p.Text, "*?") }

func (p *Pattern) read(n *yaml.Node, _ reflect.StructTag) string {
	if n.Tag != "!!str" {
		return "it takes a name; put it in quotes"
	}
	p.Text = n.Value
	body := glob(n.Value)
	if p.isRegexp() {
		body = n.Value[1 : len(n.Value)-1]
	}
	if strings.TrimSpace(n.Value) == "" || len(n.Value) > 1000 {
		return "it is empty or above 1000 characters; it takes a name, with * and ? for any characters, or /regular expression/"
	}
	if _, err := regexp.Compile(body); err != nil { // alone, so that the message quotes what was written
		return "it is no regular expression: " + strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	}
	re, err := regexp.Compile(`^(?s:` + body + `)$`)
	if err != nil {
		return "it is no regular expression for a whole name: " + strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	}
	p.re = re
	return ""
}

func (*Pattern) schema(reflect.StructTag) map[string]any {
	return map[string]any{"type": "string", "pattern": `\S`, "maxLength": 1000}
}

func glob(s string) string {
	return strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(s))
}

func (p *Pattern) isRegexp() bool {
	return len(p.Text) > 2 && strings.HasPrefix(p.Text, "/") && strings.HasSuffix(p.Text, "/")
}

// literal reports a pattern that names one thing only.
func (p *Pattern) literal() bool { return !p.isRegexp() && !strings.ContainsAny(p.Text, "*?") }

// Match reports whether a name is meant; a missing pattern means every name.
func (p *Pattern) Match(name string) bool { return p == nil || p.re.MatchString(name) }

// overlaps reports that one name is meant by both for certain: the same text, or one is a plain name.
func (p *Pattern) overlaps(o *Pattern) bool {
	switch {
	case p == nil || o == nil:
		return p == o
	case p.Text == o.Text:
		return true
	case p.literal():
		return o.Match(p.Text)
	case o.literal():
		return p.Match(o.Text)
	}
	return false
}
