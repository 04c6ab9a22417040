package policy

import (
	"regexp"
	"strings"
)

// Limits are the thresholds of alerts for a set of jobs. Jobs and Exclude are regular expressions for
// the whole job_name of Flink's Prometheus reporter; no job is in two of a list.
type Limits struct {
	Name          string // the pattern as the policy writes it
	Jobs, Exclude string
	MaxLagMs      int64   // 0 = the policy names none
	LateShare     float64 // meaningless unless HasShare
	HasShare      bool
}

// AlertLimits turns the rules about jobs into sets of jobs with the limits that hold for each: of all
// rules that apply to a job the strictest. Two patterns that may share a job are an error, unless both ask for the
// same.
func AlertLimits(policies []*Policy) ([]Limits, error) {
	var rules []*Rule
	for _, p := range policies {
		for _, r := range p.Jobs {
			if r.Name != nil {
				rules = append(rules, r)
			}
		}
	}
	var es Errors
	sets := distinctNames(rules)
	for i, a := range sets {
		for _, b := range sets[i+1:] {
			if !a.literal() && !b.literal() && !a.everything() && !b.everything() && !disjoint(a, b) && limitsOf(a, rules) != limitsOf(b, rules) {
				es.add(b.At, "a job could match %s and also %s at %s, with different limits for alerts; give them the same limits, or names that cannot meet", quote(b.Text), quote(a.Text), a.At)
			}
		}
	}
	if len(es) > 0 {
		return nil, es
	}
	var out []Limits
	var earlier []string
	for _, p := range sets {
		l := limitsOf(p, rules)
		l.Name, l.Jobs, l.Exclude = p.Text, jobRegexp(p), strings.Join(earlier, "|")
		out, earlier = append(out, l), append(earlier, l.Jobs)
	}
	return out, nil
}

// distinctNames lists each name once: plain names first, then patterns, then the one for every job, so
// that each set can leave out those before it.
func distinctNames(rules []*Rule) []*Pattern {
	var sets [3][]*Pattern
	seen := map[string]bool{}
	for _, r := range rules {
		if seen[r.Name.Text] {
			continue
		}
		seen[r.Name.Text] = true
		rank := 1
		switch {
		case r.Name.literal():
			rank = 0
		case r.Name.everything():
			rank = 2
		}
		sets[rank] = append(sets[rank], r.Name)
	}
	return append(append(sets[0], sets[1]...), sets[2]...)
}

// limitsOf is the strictest of the rules that mean all jobs of a pattern.
func limitsOf(p *Pattern, rules []*Rule) Limits {
	var l Limits
	for _, r := range rules {
		if r.Name.Text != p.Text && !r.Name.everything() && !(p.literal() && r.Name.Match(p.Text)) || r.Source != nil {
			continue
		}
		if r.MaxLag != nil && (l.MaxLagMs == 0 || r.MaxLag.Ms < l.MaxLagMs) {
			l.MaxLagMs = max(1, r.MaxLag.Ms)
		}
		if r.Late != nil && r.Late.Share != nil && (!l.HasShare || r.Late.Share.Value < l.LateShare) {
			l.LateShare, l.HasShare = r.Late.Share.Value, true
		}
	}
	return l
}

// everything is the pattern for every job.
func (p *Pattern) everything() bool { return p.Text == "*" || p.Text == "/.*/" }

// disjoint reports that no name matches both: their fixed beginnings differ.
func disjoint(a, b *Pattern) bool {
	x, y := a.prefix(), b.prefix()
	n := min(len(x), len(y))
	return x[:n] != y[:n]
}

func (p *Pattern) prefix() string {
	if p.isRegexp() {
		literal, _ := p.re.LiteralPrefix() // "" behind the anchor, so that nothing is claimed
		return literal
	}
	return p.Text[:strings.IndexAny(p.Text+"*", "*?")]
}

// jobRegexp is a pattern for the label job_name: the name itself, or with _ for every character that
// the reporter filters.
func jobRegexp(p *Pattern) string {
	if p.isRegexp() {
		return p.Text[1 : len(p.Text)-1]
	}
	raw := glob(p.Text)
	filtered := glob(notInPattern.ReplaceAllString(p.Text, "_"))
	if raw == filtered {
		return raw
	}
	return "(" + raw + "|" + filtered + ")"
}

var notInPattern = regexp.MustCompile(`[^a-zA-Z0-9:_*?]`)
