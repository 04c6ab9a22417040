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
	e := expectation{text: text}
	m := expectationForm.FindStringSubmatch(text)
	if m == nil {
		return e, fmt.Errorf("is %q; it takes METRIC<=VALUE, as in late<=0.1%%,dropped=0,fired>=10", cut(text))
	}
	e.strategy, e.metric, e.op = m[1], m[2], m[3]
	known := append(append([]string{}, strategyMetrics...), windowMetrics...)
	if !slices.Contains(known, e.metric) {
		return e, fmt.Errorf("%s: no metric %q; there are %s", cut(text), e.metric, strings.Join(known, ", "))
	}
	value := strings.TrimSpace(m[4])
	if isDurationMetric(e.metric) {
		d, err := units.ParseDuration(value)
		if err != nil {
			return e, fmt.Errorf("%s: %w", cut(text), err)
		}
		e.limit = new(big.Rat).SetInt64(d.Milliseconds())
		return e, nil
	}
	if number, percent := strings.CutSuffix(value, "%"); percent {
		value, e.share = strings.TrimSpace(number), true
	}
	limit, ok := new(big.Rat).SetString(value)
	if !ok || len(value) > 40 || strings.ContainsAny(value, "eE/_xX") {
		return e, fmt.Errorf("%s: %q is no number", cut(text), cut(value))
	}
	if e.limit = limit; e.share {
		if e.metric != "late" && e.metric != "dropped" {
			return e, fmt.Errorf("%s: a share can be asked of late and dropped", text)
		}
		if e.limit.Quo(limit, big.NewRat(100, 1)); e.limit.Sign() < 0 || e.limit.Cmp(big.NewRat(1, 1)) > 0 {
			return e, fmt.Errorf("%s: a share is between 0%% and 100%%", text)
		}
	}
	return e, nil
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
	c := x.Cmp(e.limit)
	switch e.op {
	case "<=":
		a.Met = c <= 0
	case ">=":
		a.Met = c >= 0
	case "<":
		a.Met = c < 0
	case ">":
		a.Met = c > 0
	case "!=":
		a.Met = c != 0
	default:
		a.Met = c == 0
	}
	return a
}
