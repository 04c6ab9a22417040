package simulate

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tidemark/internal/units"
	"tidemark/request"
)

// expectation is one limit on the outcome of a simulation, such as late<=0.1% or now.dropped=0.
type expectation struct {
	text     string
	item     int    // index in the list
	strategy string // "" = every strategy
	metric   string
	op       string
	limit    *big.Rat // a count, a share of the records, or ms
	share    bool
}

// windowMetrics are evaluated per window, the others per strategy.
var (
	windowMetrics   = []string{"fired", "again", "dropped", "open", "added-p99", "added-max"}
	strategyMetrics = []string{"late", "records", "lag-p99", "lag-max", "lag-end"}
)

var expectationForm = regexp.MustCompile(`^(?:(.+)\.)?([a-z0-9-]+)\s*(<=|>=|!=|==|=|<|>)\s*([^<>=!]+)$`)

// parseExpectations reads a list of limits: METRIC OP VALUE, with an optional prefix STRATEGY.
// (with the dot). VALUE is a number, a percentage of the records or, for lags, a duration.
func parseExpectations(texts []string, strategies []string, windows int) ([]expectation, error) {
	var all []expectation
	for i, text := range texts {
		for _, one := range strings.Split(text, ",") {
			e, err := parseExpectation(strings.TrimSpace(one))
			switch {
			case err != nil:
			case e.strategy != "" && !slices.Contains(strategies, e.strategy):
				err = fmt.Errorf("%s: unknown strategy %q; the strategies are %s", cut(one), e.strategy, strings.Join(strategies, ", "))
			case windows == 0 && slices.Contains(windowMetrics, e.metric):
				err = fmt.Errorf("%s: %s needs a window", cut(one), e.metric)
			}
			if err != nil {
				return nil, &request.Mistake{Setting: "expect", Item: i, Err: err}
			}
			e.item = i
			all = append(all, e)
		}
	}
	return all, nil
}

// parseExpectation reads one limit. The error continues a sentence that begins with the name of
// the setting.
func parseExpectation(text string) (expectation, error) {
	l, err := ParseLimit(text, append(append([]string{}, strategyMetrics...), windowMetrics...), isDurationMetric)
	e := expectation{text: text, strategy: l.Of, metric: l.Metric, op: l.Op, limit: l.value, share: l.share}
	if err == nil && l.share && l.Metric != "late" && l.Metric != "dropped" {
		err = fmt.Errorf("%s: only late and dropped take a percentage", text)
	}
	return e, err
}

// Limit is METRIC OP VALUE, with an optional prefix OF. (with the dot).
type Limit struct {
	Of, Metric, Op string
	value          *big.Rat // a count, a share, or ms
	share          bool
}

// ParseLimit reads a limit on one of the known metrics; duration tells which metrics take a
// duration. The error continues a sentence that begins with the name of the setting.
func ParseLimit(text string, known []string, duration func(metric string) bool) (l Limit, err error) {
	m := expectationForm.FindStringSubmatch(text)
	if m == nil {
		return l, fmt.Errorf("is %q; it takes METRIC<=VALUE, as in late<=0.1%%,dropped=0,fired>=10", cut(text))
	}
	l.Of, l.Metric, l.Op = m[1], m[2], m[3]
	if !slices.Contains(known, l.Metric) {
		return l, fmt.Errorf("%s: unknown metric %q; the metrics are %s", cut(text), l.Metric, strings.Join(known, ", "))
	}
	value := strings.TrimSpace(m[4])
	if duration(l.Metric) {
		d, err := units.ParseDuration(value)
		if err != nil {
			return l, fmt.Errorf("%s: %w", cut(text), err)
		}
		l.value = new(big.Rat).SetInt64(d.Milliseconds())
		return l, nil
	}
	if number, percent := strings.CutSuffix(value, "%"); percent {
		value, l.share = strings.TrimSpace(number), true
	}
	limit, ok := new(big.Rat).SetString(value)
	if !ok || len(value) > 40 || strings.ContainsAny(value, "eE/_xX") {
		return l, fmt.Errorf("%s: %q is not a number", cut(text), cut(value))
	}
	if l.value = limit; l.share {
		if l.value.Quo(limit, big.NewRat(100, 1)); l.value.Sign() < 0 || l.value.Cmp(big.NewRat(1, 1)) > 0 {
			return l, fmt.Errorf("%s: a percentage is between 0%% and 100%%", text)
		}
	}
	return l, nil
}

// Share reports a limit on a share of the records.
func (l Limit) Share() bool { return l.share }

// Holds compares counts, or durations in ms, exactly: every value from lo to hi must meet the
// limit.
func (l Limit) Holds(lo, hi int64) bool {
	least, most := new(big.Rat).SetInt64(lo), new(big.Rat).SetInt64(hi)
	if l.Op == "!=" {
		return l.value.Cmp(least) < 0 || l.value.Cmp(most) > 0
	}
	return kept(least, l.Op, l.value) && kept(most, l.Op, l.value)
}

// kept compares exactly, as fractions.
func kept(x *big.Rat, op string, limit *big.Rat) bool {
	c := x.Cmp(limit)
	switch op {
	case "<=":
		return c <= 0
	case ">=":
		return c >= 0
	case "<":
		return c < 0
	case ">":
		return c > 0
	case "!=":
		return c != 0
	}
	return c == 0
}

func isDurationMetric(m string) bool {
	return strings.HasPrefix(m, "lag-") || strings.HasPrefix(m, "added-")
}

// judge evaluates the expectation for each strategy and window that it concerns.
func (e expectation) judge(d *Result) []Expectation {
	var out []Expectation
	for _, s := range d.Strategies {
		if e.strategy != "" && e.strategy != s.Name {
			continue
		}
		if slices.Contains(strategyMetrics, e.metric) {
			end, moved := s.Watermark.Millis()
			value := map[string]int64{"late": s.Late, "records": d.Input.Records, "lag-p99": s.Lag.P99, "lag-max": s.Lag.Max, "lag-end": d.Input.EndMs - end}[e.metric]
			out = append(out, e.answer(s.Name, "", value, s.Lag.N > 0 && (moved || e.metric != "lag-end"), d.Input.Records))
			continue
		}
		for _, w := range s.Windows {
			value := map[string]int64{"fired": w.Fired, "again": w.Again, "dropped": w.Dropped, "open": int64(w.Open),
				"added-p99": w.Added.P99, "added-max": w.Added.Max}[e.metric]
			out = append(out, e.answer(s.Name, w.Window, value, w.Added.N > 0, d.Input.Records))
		}
	}
	return out
}

// answer compares exactly, as fractions. A duration that was never measured meets no limit.
func (e expectation) answer(strategy, window string, value int64, measured bool, records int64) Expectation {
	a := Expectation{Item: e.item, Text: e.text, Strategy: strategy, Window: window, Actual: strconv.FormatInt(value, 10)}
	if isDurationMetric(e.metric) {
		if a.Actual = units.Duration(value); !measured {
			a.Actual = "no value: nothing was emitted or fired"
			return a
		}
	}
	x := new(big.Rat).SetInt64(value)
	if e.share {
		if records == 0 {
			a.Actual = "no value: no records"
			return a
		}
		x.SetFrac64(value, records)
		a.Actual += " of " + strconv.FormatInt(records, 10) + " (" + new(big.Rat).Mul(x, big.NewRat(100, 1)).FloatString(4) + " %)"
	}
	a.Met = kept(x, e.op, e.limit)
	return a
}
