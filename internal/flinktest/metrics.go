package flinktest

import (
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"strings"
)

// maxRequestLine is Flink's limit for the request line: longer GETs are answered with 404.
const maxRequestLine = 4096

// tooLong answers as Flink does if the request line is too long (seen on 2.3.0).
func tooLong(w http.ResponseWriter, r *http.Request) bool {
	if len("GET "+r.URL.RequestURI()+" HTTP/1.1") <= maxRequestLine {
		return false
	}
	reply(w, 404, []byte(`{"errors":["Unable to load requested file /bad-request."]}`))
	return true
}

func reply(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

func replyJSON(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		reply(w, 500, []byte(`{"errors":["Internal server error."]}`))
		return
	}
	reply(w, 200, body)
}

func notFound(w http.ResponseWriter, what string) {
	body, _ := json.Marshal(map[string][]string{"errors": {"org.apache.flink.runtime.rest.NotFoundException: " + what +
		"\n\tat org.apache.flink.runtime.rest.handler\nCaused by: org.apache.flink.runtime.rest.NotFoundException: " + what + "\n\t... 7 more\n"}})
	reply(w, 404, body)
}

// wantedIDs are the ids of a get query; ok is false if the request asks for the list of ids.
func wantedIDs(q url.Values) (ids []string, ok bool) {
	if !q.Has("get") {
		return nil, false
	}
	return strings.Split(q.Get("get"), ","), true
}

type idValue struct {
	ID    string `json:"id"`
	Value string `json:"value,omitempty"`
}

// answerMetrics is JobVertexMetricsHandler: all ids, or the values of those that exist.
func answerMetrics(w http.ResponseWriter, q url.Values, values map[string]string, listed []string) {
	out := []idValue{}
	ids, ok := wantedIDs(q)
	if !ok {
		for _, id := range listed {
			out = append(out, idValue{ID: id})
		}
	}
	for _, id := range ids {
		if v, has := values[id]; has {
			out = append(out, idValue{id, v})
		}
	}
	replyJSON(w, out)
}

// bySubtask splits "3.op.metric" into metric and subtask.
func bySubtask(values map[string]string) map[string][]string {
	out := map[string][]string{}
	keys := make([]string, 0, len(values))
	for id := range values {
		keys = append(keys, id)
	}
	sort.Strings(keys)
	for _, id := range keys {
		if n, rest, ok := strings.Cut(id, "."); ok {
			if _, err := strconv.Atoi(n); err == nil {
				out[rest] = append(out[rest], values[id])
			}
		}
	}
	return out
}

// answerAggregates is AggregatingSubtasksMetricsHandler: one id without a value empties the whole
// answer, a value that is not a number drops its id, and Long.MIN_VALUE and Long.MAX_VALUE become
// doubles.
func answerAggregates(w http.ResponseWriter, q url.Values, values func(id string) []string) {
	ids, _ := wantedIDs(q)
	out := []map[string]any{}
	for _, id := range ids {
		vs := values(id)
		if len(vs) == 0 {
			replyJSON(w, []any{})
			return
		}
		if agg, ok := aggregate(id, vs, q.Get("agg")); ok {
			out = append(out, agg)
		}
	}
	replyJSON(w, out)
}

func aggregate(id string, values []string, wanted string) (map[string]any, bool) {
	low, high, sum := math.Inf(1), math.Inf(-1), 0.0
	for _, v := range values {
		f, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return nil, false
		}
		low, high, sum = math.Min(low, f), math.Max(high, f), sum+f
	}
	agg := map[string]any{"id": id}
	all := wanted == ""
	for _, a := range strings.Split(strings.ToLower(wanted), ",") {
		if a == "min" || all {
			agg["min"] = jsonDouble(low)
		}
		if a == "max" || all {
			agg["max"] = jsonDouble(high)
		}
		if a == "sum" || all {
			agg["sum"] = jsonDouble(sum)
		}
		if a == "avg" || all {
			agg["avg"] = jsonDouble(sum / float64(len(values)))
		}
	}
	return agg, true
}

// jsonDouble writes doubles in Java's spelling, and NaN as Jackson does: as a string.
func jsonDouble(f float64) any {
	if math.IsNaN(f) {
		return "NaN"
	}
	return json.Number(strings.Replace(strconv.FormatFloat(f, 'E', -1, 64), "E+", "E", 1))
}

// everySecond keeps every second element of a JSON list; other JSON stays as it is.
func everySecond(body []byte) []byte {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) != nil {
		return body
	}
	kept := []json.RawMessage{}
	for i := 0; i < len(list); i += 2 {
		kept = append(kept, list[i])
	}
	out, _ := json.Marshal(kept)
	return out
}

// lose removes the elements whose id contains part.
func lose(body []byte, part string) []byte {
	var list []map[string]any
	if json.Unmarshal(body, &list) != nil {
		return body
	}
	kept := []map[string]any{}
	for _, m := range list {
		if id, _ := m["id"].(string); !strings.Contains(id, part) {
			kept = append(kept, m)
		}
	}
	out, _ := json.Marshal(kept)
	return out
}

func jsonNumber(n int64) string { return strconv.FormatInt(n, 10) }
