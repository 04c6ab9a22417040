package prometheus

import (
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/tidwall/gjson"
)

// Answer is the result of a query. Warnings are the server's; if there is any, series may be
// missing.
type Answer struct {
	Series   []Series
	Warnings []string
}

// Series is one time series, oldest point first.
type Series struct {
	Labels map[string]string
	Points []Point
}

// Point is a value at a time, epoch ms.
type Point struct {
	T int64
	V float64
}

// decode decodes an answer of /query or /query_range. It does not use reflection: an answer of a
// large job is megabytes.
func decode(shown string, body []byte) (Answer, error) {
	root := gjson.ParseBytes(body)
	if root.Get("status").Str == "error" {
		return Answer{}, &Error{URL: shown, Status: 200, Cause: root.Get("error").Str}
	}
	data := root.Get("data.result")
	if root.Get("status").Str != "success" || !data.IsArray() {
		return Answer{}, &Error{URL: shown, Status: 200, Cause: "the answer is not that of Prometheus", Hint: "give the URL that /api/v1/query is below"}
	}
	var a Answer
	root.Get("warnings").ForEach(func(_, w gjson.Result) bool {
		a.Warnings = append(a.Warnings, w.String())
		return true
	})
	if root.Get("isPartial").Bool() { // VictoriaMetrics
		a.Warnings = append(a.Warnings, "the result is partial: some storage nodes did not answer")
	}
	data.ForEach(func(_, r gjson.Result) bool {
		s := Series{Labels: map[string]string{}}
		r.ForEach(func(k, v gjson.Result) bool {
			switch k.Str {
			case "metric":
				v.ForEach(func(name, value gjson.Result) bool {
					s.Labels[name.Str] = value.String()
					return true
				})
			case "value":
				s.add(v)
			case "values":
				v.ForEach(func(_, p gjson.Result) bool {
					s.add(p)
					return true
				})
			}
			return true
		})
		a.Series = append(a.Series, s)
		return true
	})
	return a, nil
}

func (s *Series) add(pair gjson.Result) {
	i := 0
	var p Point
	ok := true
	pair.ForEach(func(_, x gjson.Result) bool {
		if i == 0 {
			p.T = int64(math.Round(x.Num * 1000))
		} else {
			var err error
			p.V, err = strconv.ParseFloat(x.String(), 64)
			ok = err == nil && !math.IsNaN(p.V)
		}
		i++
		return true
	})
	if ok && i == 2 {
		s.Points = append(s.Points, p)
	}
}

// join appends a later part of the same range.
func (a *Answer) join(part Answer) {
	a.warn(part.Warnings)
	if len(a.Series) == 0 {
		a.Series = part.Series
		return
	}
	at := map[string]int{}
	for i, s := range a.Series {
		at[s.key()] = i
	}
	for _, s := range part.Series {
		if i, ok := at[s.key()]; ok {
			a.Series[i].Points = append(a.Series[i].Points, s.Points...)
		} else {
			a.Series = append(a.Series, s)
		}
	}
}

// add adds an answer with other series.
func (a *Answer) add(other Answer) {
	a.warn(other.Warnings)
	a.Series = append(a.Series, other.Series...)
}

func (a *Answer) warn(warnings []string) {
	for _, w := range warnings {
		if !slices.Contains(a.Warnings, w) {
			a.Warnings = append(a.Warnings, w)
		}
	}
}

func (s Series) key() string {
	names := make([]string, 0, len(s.Labels))
	for n := range s.Labels {
		names = append(names, n)
	}
	sort.Strings(names)
	key := ""
	for _, n := range names {
		key += n + "\x00" + s.Labels[n] + "\x00"
	}
	return key
}

// last is the newest point in (after, until].
func (s Series) last(after, until int64) (Point, bool) {
	i := sort.Search(len(s.Points), func(i int) bool { return s.Points[i].T > until })
	if i == 0 || s.Points[i-1].T <= after {
		return Point{}, false
	}
	return s.Points[i-1], true
}

// text is a value as REST writes it. Long.MIN_VALUE and Long.MAX_VALUE arrive rounded to a
// double.
func (p Point) text() string {
	switch {
	case p.V <= math.MinInt64:
		return strconv.FormatInt(math.MinInt64, 10)
	case p.V >= math.MaxInt64:
		return strconv.FormatInt(math.MaxInt64, 10)
	case p.V == math.Trunc(p.V):
		return strconv.FormatInt(int64(p.V), 10)
	}
	return strconv.FormatFloat(p.V, 'f', -1, 64)
}
