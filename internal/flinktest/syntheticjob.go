package flinktest

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

func (s *Synthetic) serveJob(w http.ResponseWriter, rest []string, query url.Values) {
	_, _, at := s.fetch.state()
	if refreshes(rest) {
		// The answer comes from the cache before this request, unless the cache was empty.
		before := at
		s.fetch.touch()
		_, _, at = s.fetch.state()
		if !before.IsZero() && (len(rest) == 0 || rest[len(rest)-1] != "backpressure") {
			at = before
		}
	}
	switch {
	case len(rest) == 0:
		replyJSON(w, s.details(at))
	case rest[0] == "plan":
		replyJSON(w, map[string]any{"plan": s.details(at)["plan"]})
	case rest[0] == "config" || rest[0] == "checkpoints" || rest[0] == "exceptions":
		reply(w, 200, []byte(map[string]string{
			"config":             `{"jid":"` + s.job + `","name":"synthetic","execution-config":{"user-config":{}}}`,
			"checkpoints":        `{"counts":{"restored":0,"completed":0,"failed":0},"latest":{}}`,
			"checkpoints/config": `{"mode":"exactly_once","interval":9223372036854775807}`,
			"exceptions":         `{"exceptionHistory":{"entries":[],"truncated":false}}`,
		}[strings.Join(rest, "/")]))
	case rest[0] == "metrics":
		answerMetrics(w, query, map[string]string{"numRestarts": "0", "uptime": strconv.FormatInt(at.Sub(s.begin).Milliseconds(), 10)}, nil)
	case rest[0] == "vertices" && len(rest) >= 2:
		for v := range s.o.Vertices {
			if s.VertexID(v) == rest[1] {
				s.serveVertex(w, v, strings.Join(rest[2:], "/"), query, at)
				return
			}
		}
		notFound(w, "JobVertex "+rest[1]+" not found")
	default:
		notFound(w, "Not found")
	}
}

func (s *Synthetic) details(at time.Time) map[string]any {
	var vertices, nodes []any
	for v := range s.o.Vertices {
		vertices = append(vertices, map[string]any{"id": s.VertexID(v), "name": s.name(v), "parallelism": s.o.Parallelism, "status": "RUNNING",
			"start-time": s.begin.UnixMilli(), "tasks": map[string]int{"RUNNING": s.o.Parallelism},
			"metrics": map[string]any{"read-records": at.UnixMilli() / 10, "read-records-complete": true, "write-records": at.UnixMilli() / 10, "write-records-complete": true}})
		node := map[string]any{"id": s.VertexID(v), "parallelism": s.o.Parallelism, "description": s.name(v) + "<br/>"}
		switch {
		case v == s.o.Sources:
			var inputs []any
			for up := range s.o.Sources {
				inputs = append(inputs, map[string]any{"num": up, "id": s.VertexID(up), "ship_strategy": "HASH"})
			}
			node["inputs"] = inputs
		case v > s.o.Sources:
			node["inputs"] = []any{map[string]any{"num": 0, "id": s.VertexID(v - 1), "ship_strategy": "HASH"}}
		}
		nodes = append(nodes, node)
	}
	return map[string]any{"jid": s.job, "name": s.o.JobName, "state": "RUNNING", "job-type": "STREAMING", "start-time": s.begin.UnixMilli(),
		"now": s.o.Now().UnixMilli(), "vertices": vertices, "plan": map[string]any{"type": "STREAMING", "nodes": nodes}}
}

// serveVertex writes lists of hundreds of subtasks by hand: benchmarks must not measure the
// server.
func (s *Synthetic) serveVertex(w http.ResponseWriter, v int, tail string, query url.Values, at time.Time) {
	b := make([]byte, 0, 128*s.o.Parallelism)
	switch tail {
	case "":
		b = fmt.Appendf(b, `{"id":"%s","name":"%s","now":%d,"subtasks":[`, s.VertexID(v), inJSON(s.name(v)), s.o.Now().UnixMilli())
		for i := range s.o.Parallelism {
			b = fmt.Appendf(comma(b, i), `{"subtask":%d,"status":"RUNNING","attempt":0,"start-time":%d,"taskmanager-id":"tm-1","endpoint":"tm:1","metrics":{"read-records":1}}`, i, s.begin.UnixMilli())
		}
		b = append(b, "]}"...)
	case "watermarks":
		b = append(b, '[')
		for i := 0; i < s.o.Parallelism && !s.source(v); i++ {
			b = append(comma(b, i), `{"id":"`...)
			b = strconv.AppendInt(b, int64(i), 10)
			b = append(b, `.currentInputWatermark","value":"`...)
			b = strconv.AppendInt(b, s.input(v, i, at), 10)
			b = append(b, `"}`...)
		}
		b = append(b, ']')
	case "backpressure":
		b = fmt.Appendf(b, `{"status":"ok","backpressureLevel":"ok","backpressure-level":"ok","end-timestamp":%d,"subtasks":[`, at.UnixMilli())
		for i := range s.o.Parallelism {
			b = append(comma(b, i), `{"subtask":`...)
			b = strconv.AppendInt(b, int64(i), 10)
			b = append(b, `,"backpressureLevel":"ok","backpressure-level":"ok","ratio":0.0,"idleRatio":0.9,"busyRatio":0.1}`...)
		}
		b = append(b, "]}"...)
	case "metrics", "subtasks/metrics":
		s.serveMetrics(w, v, tail, query, at)
		return
	case "jm-operator-metrics":
		b = append(b, "[]"...)
	default:
		notFound(w, "Not found: "+tail)
		return
	}
	reply(w, 200, b)
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}
