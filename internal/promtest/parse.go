package promtest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// expr is an expression: one of the forms below.
type expr struct {
	op     string // or, an aggregation, a function; "" = selector
	by     []string
	args   []expr
	match  []labelMatch
	window time.Duration // for a range selector
}

type labelMatch struct {
	label, op, value string
	re               *regexp.Regexp
}

var aggregations = map[string]bool{"count": true, "min": true, "max": true, "sum": true}

var functions = map[string]bool{"count_over_time": true, "last_over_time": true, "max_over_time": true, "min_over_time": true, "timestamp": true}

type parser struct{ rest string }

func parse(text string) (e expr, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("parse error: %v in %q", r, text)
		}
	}()
	p := &parser{text}
	e = p.expr()
	if p.skip(); p.rest != "" {
		panic("unexpected " + p.rest)
	}
	return e, nil
}

func (p *parser) skip() { p.rest = strings.TrimLeft(p.rest, " \n") }

func (p *parser) has(token string) bool {
	if p.skip(); strings.HasPrefix(p.rest, token) {
		p.rest = p.rest[len(token):]
		return true
	}
	return false
}

func (p *parser) need(token string) {
	if !p.has(token) {
		panic("expected " + token + " before " + p.rest)
	}
}

var word = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*`)

func (p *parser) word() string {
	p.skip()
	w := word.FindString(p.rest)
	p.rest = p.rest[len(w):]
	return w
}

func (p *parser) expr() expr {
	e := p.term()
	for p.has("or ") {
		e = expr{op: "or", args: []expr{e, p.term()}}
	}
	return e
}

func (p *parser) term() expr {
	name := p.word()
	if aggregations[name] {
		e := expr{op: name}
		if p.has("by") {
			p.need("(")
			for !p.has(")") {
				e.by = append(e.by, p.word())
				p.has(",")
			}
		}
		p.need("(")
		e.args = []expr{p.expr()}
		p.need(")")
		return e
	}
	if functions[name] {
		p.need("(")
		e := expr{op: name, args: []expr{p.expr()}}
		p.need(")")
		return e
	}
	return p.selector(name)
}

func (p *parser) selector(name string) expr {
	var e expr
	if name != "" {
		e.match = append(e.match, labelMatch{label: "__name__", op: "=", value: name})
	}
	if p.has("{") {
		for !p.has("}") {
			m := labelMatch{label: p.word()}
			for _, op := range []string{"=~", "!~", "!=", "="} {
				if p.has(op) {
					m.op = op
					break
				}
			}
			p.need(`"`)
			m.value = p.quoted()
			if strings.HasSuffix(m.op, "~") {
				m.re = regexp.MustCompile("^(?:" + m.value + ")$")
			}
			e.match = append(e.match, m)
			p.has(",")
		}
	}
	if len(e.match) == 0 {
		panic("no selector at " + p.rest)
	}
	slices.SortStableFunc(e.match, func(a, b labelMatch) int { return len(a.op) - len(b.op) }) // equality is faster
	if p.has("[") {
		text, rest, _ := strings.Cut(p.rest, "]")
		d, err := time.ParseDuration(text)
		if err != nil {
			panic(err)
		}
		e.window, p.rest = d, rest
	}
	return e
}

func (p *parser) quoted() string {
	var b strings.Builder
	for i := 0; i < len(p.rest); i++ {
		switch c := p.rest[i]; c {
		case '\\':
			i++
			if p.rest[i] == 'n' {
				b.WriteByte('\n')
			} else {
				b.WriteByte(p.rest[i])
			}
		case '"':
			p.rest = p.rest[i+1:]
			return b.String()
		default:
			b.WriteByte(c)
		}
	}
	panic("unterminated string")
}

func (m labelMatch) holds(labels map[string]string) bool {
	have := labels[m.label]
	switch m.op {
	case "=":
		return have == m.value
	case "!=":
		return have != m.value
	case "=~":
		return m.re.MatchString(have)
	}
	return !m.re.MatchString(have)
}
