package flinkapi

import (
	"errors"

	"github.com/tidwall/gjson"
)

// metricList is a list of ids, with or without values. Such answers, of hundreds of subtasks, are
// most of what a large job sends, so they are decoded without reflection.
type metricList []Metric

var errNoMetrics = errors.New("no list of metrics")

func parseMetrics(body []byte) (metricList, error) {
	if !gjson.ValidBytes(body) {
		return nil, errNoMetrics
	}
	root := gjson.ParseBytes(body)
	if !root.IsArray() && root.Type != gjson.Null {
		return nil, errNoMetrics
	}
	ms := metricList{}
	var err error
	root.ForEach(func(_, m gjson.Result) bool {
		if !m.IsObject() {
			err = errNoMetrics
			return false
		}
		var metric Metric
		m.ForEach(func(k, v gjson.Result) bool {
			switch k.Str {
			case "id":
				metric.ID = v.String()
			case "value":
				metric.Value = v.String()
			}
			return true
		})
		ms = append(ms, metric)
		return true
	})
	if err != nil {
		return nil, err
	}
	return ms, nil
}

// metricIDs are the ids of a list; nil if body is not one.
func metricIDs(body []byte) []string {
	ms, err := parseMetrics(body)
	if err != nil {
		return nil
	}
	return idsOf(ms)
}
