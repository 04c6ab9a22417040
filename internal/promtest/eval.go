package promtest

import (
	"encoding/json"
	"sort"
	"strconv"
)

const lookback = 5 * 60 * 1000 // ms, Prometheus's own lookback

// sample is an element of an instant vector.
type sample struct {
	labels map[string]string
	t      int64 // when it was scraped
	v      float64
	text   string
	run    *Series // for a range selector
	from   int
	to     int
}

func (s *Server) eval(e expr, at int64) []sample {
	switch {
	case e.op == "":
		return s.selected(e, at)
	case e.op == "or":
		return append(s.eval(e.args[0], at), s.eval(e.args[1], at)...)
	case aggregations[e.op]:
		return aggregate(e, s.eval(e.args[0], at))
	}
	var out []sample
	for _, x := range s.eval(e.args[0], at) {
		v, ok := apply(e.op, x)
		if ok {
			labels := map[string]string{}
			for k, l := range x.labels {
				if k != "__name__" || e.op == "last_over_time" {
					labels[k] = l
				}
			}
			out = append(out, sample{labels: labels, t: at, v: v, text: strconv.FormatFloat(v, 'f', -1, 64)})
		}
	}
	return out
}

func apply(op string, x sample) (float64, bool) {
	if op == "timestamp" {
		return float64(x.t) / 1000, true
	}
	if x.run == nil || x.from == x.to {
		return 0, false
	}
	v := number(x.run.V[x.to-1])
	switch op {
	case "count_over_time":
		return float64(x.to - x.from), true
	case "max_over_time", "min_over_time":
		for _, text := range x.run.V[x.from:x.to] {
			if n := number(text); op[1] == 'a' && n > v || op[1] == 'i' && n < v {
				v = n
			}
		}
	}
	return v, true
}

func number(text string) float64 { f, _ := strconv.ParseFloat(text, 64); return f }

func (s *Server) selected(e expr, at int64) []sample {
	var out []sample
	for _, one := range s.matching(e) {
		to := sort.Search(len(one.T), func(i int) bool { return one.T[i] > at })
		if e.window > 0 {
			from := sort.Search(len(one.T), func(i int) bool { return one.T[i] >= at-e.window.Milliseconds() })
			if from < to {
				out = append(out, sample{labels: one.Labels, run: one, from: from, to: to})
			}
			continue
		}
		old := int64(lookback)
		if s.Stale > 0 {
			old = s.Stale.Milliseconds()
		}
		if to > 0 && one.T[to-1] > at-old {
			out = append(out, sample{labels: one.Labels, t: one.T[to-1], v: number(one.V[to-1]), text: one.V[to-1]})
		}
	}
	return out
}

// matching are the series that a selector matches: looked up by name first.
func (s *Server) matching(e expr) []*Series {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil {
		s.names = map[string][]*Series{}
		for i := range s.Series {
			name := s.Series[i].Labels["__name__"]
			s.names[name] = append(s.names[name], &s.Series[i])
		}
	}
	key := ""
	for _, m := range e.match {
		key += m.label + m.op + m.value + "\x00"
	}
	if found, ok := s.matched[key]; ok {
		return found
	}
	var found []*Series
	for name, all := range s.names {
		if !holdsAll(e.match, map[string]string{"__name__": name}, func(l string) bool { return l == "__name__" }) {
			continue
		}
		for _, one := range all {
			if holdsAll(e.match, one.Labels, func(l string) bool { return l != "__name__" }) {
				found = append(found, one)
			}
		}
	}
	if s.matched == nil {
		s.matched = map[string][]*Series{}
	}
	s.matched[key] = found
	return found
}

func holdsAll(match []labelMatch, labels map[string]string, of func(string) bool) bool {
	for _, m := range match {
		if of(m.label) && !m.holds(labels) {
			return false
		}
	}
	return true
}

func aggregate(e expr, in []sample) []sample {
	groups := map[string]*sample{}
	var order []string
	for _, x := range in {
		labels, key := map[string]string{}, ""
		for _, l := range e.by {
			if v := x.labels[l]; v != "" {
				labels[l] = v
			}
			key += x.labels[l] + "\x00"
		}
		g := groups[key]
		if g == nil {
			g = &sample{labels: labels, v: x.v}
			if e.op == "count" {
				g.v = 1
			}
			groups[key] = g
			order = append(order, key)
			continue
		}
		switch e.op {
		case "count":
			g.v++
		case "sum":
			g.v += x.v
		case "min":
			g.v = min(g.v, x.v)
		case "max":
			g.v = max(g.v, x.v)
		}
	}
	var out []sample
	for _, k := range order {
		g := groups[k]
		g.text = strconv.FormatFloat(g.v, 'f', -1, 64)
		out = append(out, *g)
	}
	return out
}

func pair(ms int64, text string) []any {
	return []any{json.Number(strconv.FormatFloat(float64(ms)/1000, 'f', 3, 64)), text}
}

// instant is data of /query: a vector, or a matrix for a range selector.
func (s *Server) instant(e expr, at int64) any {
	type element struct {
		Metric map[string]string `json:"metric"`
		Value  []any             `json:"value,omitempty"`
		Values [][]any           `json:"values,omitempty"`
	}
	result, kind := []element{}, "vector"
	for _, x := range s.eval(e, at) {
		el := element{Metric: x.labels}
		if x.run != nil {
			kind = "matrix"
			for i := x.from; i < x.to; i++ {
				el.Values = append(el.Values, pair(x.run.T[i], x.run.V[i]))
			}
		} else {
			el.Value = pair(at, x.text)
		}
		result = append(result, el)
	}
	return map[string]any{"resultType": kind, "result": result}
}

// maxPoints is the limit of Prometheus for a series of /query_range.
const maxPoints = 11_000

func (s *Server) ranged(e expr, from, to, step int64) any {
	if step <= 0 || (to-from)/step >= maxPoints {
		return "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)"
	}
	type element struct {
		Metric map[string]string `json:"metric"`
		Values [][]any           `json:"values"`
	}
	result, at := []*element{}, map[string]*element{}
	for t := from; t <= to; t += step {
		for _, x := range s.eval(e, t) {
			key, _ := json.Marshal(x.labels)
			el := at[string(key)]
			if el == nil {
				el = &element{Metric: x.labels}
				at[string(key)] = el
				result = append(result, el)
			}
			el.Values = append(el.Values, pair(t, x.text))
		}
	}
	return map[string]any{"resultType": "matrix", "result": result}
}
