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
	item     int    // of the list it stands in
	strategy string // "" = every strategy
	metric   string
	op       string
	limit    *big.Rat // a count, a share of the records, or ms
	share    bool
}

// windowMetrics are asked of every window, the others of the strategy.
var (
	windowMetrics   = []string{"fired", "again", "dropped", "open", "added-p99", "added-max"}
	strategyMetrics = []string{"late", "records", "lag-p99", "lag-max", "lag-end"}
)

var expectationForm = regexp.MustCompile(`^(?:(.+)\.)?([a-z0-9-]+)\s*(<=|>=|!=|==|=|<|>)\s*([^<>=!]+)$`)

// parseExpectations reads a list of limits, each METRIC OP VALUE, optionally with STRATEGY. before it.
// VALUE is a number, a percentage of the records, or a duration for lags.
func parseExpectations(texts []string, strategies []string, windows int) ([]expectation, error) {
	var all []expectation
	for i, text := range texts {
		for _, one := range strings.Split(text, ",") {
			e, err := parseExpectation(strings.TrimSpace(one))
			switch {
			case err != nil:
			case e.strategy != "" && !slices.Contains(strategies, e.strategy):
				err = fmt.Errorf("%s: no strategy %q; there are %s", cut(one), e.strategy, strings.Join(strategies, ", "))
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

// parseExpectation reads one limit; the error goes on from the name of the setting.
func parseExpectation(text string) (expectation, error) {
	l, err := ParseLimit(text, append(append([]string{}, strategyMetrics...), windowMetrics...), isDurationMetric)
	e := expectation{text: text, strategy: l.Of, metric: l.Metric, op: l.Op, limit: l.value, share: l.share}
	if err == nil && l.share && l.Metric != "late" && l.Metric != "dropped" {
		err = fmt.Errorf("%s: a share can be asked of late and dropped", text)
	}
	return e, err
}

// Limit is METRIC OP VALUE, optionally with OF. before it, as expectations are written.
type Limit struct {
	Of, Metric, Op string
	value          *big.Rat // a count, a share, or ms
	share          bool
}

// ParseLimit reads a limit on one of the metrics that are known; of a duration the value is one. The error
// goes on from the name of the setting.
func ParseLimit(text string, known []string, duration func(metric string) bool) (l Limit, err error) {
	m := expectationForm.FindStringSubmatch(text)
	if m == nil {
		return l, fmt.Errorf("is %q; it takes METRIC<=VALUE, as in late<=0.1%%,dropped=0,fired>=10", cut(text))
	}
	l.Of, l.Metric, l.Op = m[1], m[2], m[3]
	if !slices.Contains(known, l.Metric) {
		return l, fmt.Errorf("%s: no metric %q; there are %s", cut(text), l.Metric, strings.Join(known, ", "))
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
		return l, fmt.Errorf("%s: %q is no number", cut(text), cut(value))
	}
	if l.value = limit; l.share {
		if l.value.Quo(limit, big.NewRat(100, 1)); l.value.Sign() < 0 || l.value.Cmp(big.NewRat(1, 1)) > 0 {
			return l, fmt.Errorf("%s: a share is between 0%% and 100%%", text)
		}
	}
	return l, nil
}

// Share reports a limit on a share of the records.
func (l Limit) Share() bool { return l.share }

// Holds compares counts, or durations in ms, exactly: all from lo to hi must keep the limit.
func (l Limit) Holds(lo, hi int64) bool {
	least, most := new(big.Rat).SetInt64(lo), new(big.Rat).SetInt64(hi)
	if l.Op == "!=" {
		return l.value.Cmp(least) < 0 || l.value.Cmp(most) > 0
	}
	return kept(least, l.Op, l.value) && kept(most, l.Op, l.value)
}

// kept compares in fractions.
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

// judge asks every strategy and window that the expectation is about.
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

// answer compares exactly, in fractions. A duration that was never measured meets nothing.
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
