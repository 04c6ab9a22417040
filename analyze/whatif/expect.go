package whatif

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/engine/simulate"
	"tidemark/internal/units"
	"tidemark/request"
)

// Expectation is one limit on a column and whether it was met. A range meets a limit if every number in it does.
type Expectation struct {
	Text     string `json:"text"`
	Column   string `json:"column"`
	Operator string `json:"operator"`
	Met      bool   `json:"met"`
	Unknown  bool   `json:"unknown"` // there is no reliable number, so it is not met: actual says why
	Actual   string `json:"actual"`
	Item     int    `json:"-"` // index of the limit in the request
	Named    bool   `json:"-"` // the limit itself names the column
}

// Reason says what was expected and what the column has.
func (e Expectation) Reason() string {
	return fmt.Sprintf("expected %s, column %s, %s has %s", e.Text, e.Column, e.Operator, e.Actual)
}

var expectMetrics = []string{"windows", "rows", "dropped", "latency-p50", "latency-p99", "peak", "stands"}

func isDuration(metric string) bool {
	return strings.HasPrefix(metric, "latency-") || metric == "stands"
}

type expected struct {
	simulate.Limit
	text string
	item int
}

// parseExpectations reads limits such as dropped=0,changed.windows>=6; columns are those that there will be.
func parseExpectations(texts []string, columns []string) ([]expected, error) {
	var all []expected
	for i, text := range texts {
		for _, one := range strings.Split(text, ",") {
			one = strings.TrimSpace(one)
			l, err := simulate.ParseLimit(one, expectMetrics, isDuration)
			switch {
			case err != nil:
			case l.Share():
				err = fmt.Errorf("%s: limits of whatif are numbers, not shares", cut(one))
			case l.Of != "" && !slices.Contains(columns, l.Of):
				err = fmt.Errorf("%s: no column %q; there are %s", cut(one), cut(l.Of), strings.Join(columns, ", "))
			}
			if err != nil {
				return nil, &request.Mistake{Setting: "expect", Item: i, Err: err}
			}
			all = append(all, expected{l, one, i})
		}
	}
	return all, nil
}

// judge applies the limits to the columns with changes, and to the unchanged job if there is no change or a limit names
// it.
func (r *Result) judge(all []expected) {
	r.Expected = []Expectation{}
	for _, e := range all {
		for i, c := range r.Columns {
			if e.Of == c.Name || e.Of == "" && (i > 0 || len(r.Columns) == 1) {
				r.Expected = append(r.Expected, e.ask(c)...)
			}
		}
	}
}

func (e expected) ask(c Column) []Expectation {
	var out []Expectation
	answer := func(name string, met, unknown bool, actual string) {
		out = append(out, Expectation{Text: e.text, Column: c.Name, Operator: name, Met: met, Unknown: unknown, Actual: actual, Item: e.item, Named: e.Of != ""})
	}
	if e.Metric == "stands" {
		for _, v := range c.Vertices {
			switch {
			case !v.Uses:
			case len(c.Estimates) > 0:
				answer(v.Vertex.Name, false, true, noValue(c.Estimates...))
			default:
				answer(v.Vertex.Name, e.Holds(v.StandsMs, v.StandsMs), false, units.Duration(v.StandsMs))
			}
		}
		if len(out) == 0 {
			answer("no operator", false, false, "no value: no operator of the job uses event time")
		}
		return out
	}
	for _, o := range c.Operators {
		r := map[string]Range{"windows": o.Windows, "rows": o.Rows, "dropped": o.Dropped, "latency-p50": o.p50, "latency-p99": o.p99, "peak": o.peak}[e.Metric]
		switch {
		case !o.Fires && e.Metric != "dropped" && e.Metric != "peak":
		case o.Unknown || o.Roughly != "" || len(c.Estimates) > 0:
			answer(o.Operator, false, true, noValue(append([]string{o.Roughly}, c.Estimates...)...))
		case e.Metric == "peak" && o.Peak == nil:
			answer(o.Operator, false, true, "no value: the records that this operator keeps are not counted")
		case isDuration(e.Metric) && o.Latency.N == 0:
			answer(o.Operator, false, false, "no value: nothing fired")
		case isDuration(e.Metric) && o.silent:
			answer(o.Operator, false, true, "no value: whether anything fires depends on the phase of timers")
		default:
			answer(o.Operator, e.Holds(r.Low, r.High), false, rangeText(r, isDuration(e.Metric)))
		}
	}
	if len(out) == 0 {
		answer("no operator", false, false, "no value: the job has no such operator")
	}
	return out
}

func noValue(why ...string) string {
	return "no reliable value: " + strings.TrimSpace(strings.Join(why, " "))
}

func rangeText(r Range, duration bool) string {
	text := units.Count[int64]
	if duration {
		text = units.Duration
	}
	if low, high := text(r.Low), text(r.High); low != high {
		return low + " to " + high
	}
	return text(r.Twin)
}

// Met reports whether every limit was met.
func (r *Result) Met() bool {
	return !slices.ContainsFunc(r.Expected, func(e Expectation) bool { return !e.Met })
}
