package pseudonym

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"

	"tidemark/flinkapi"
)

// plain are the fields whose values are Flink's, not the user's.
var plain = set("jid", "state", "status", "job-type", "jobType", "type", "schedulerType", "exchange", "ship_strategy", "className", "checkpoint_type",
	"savepointFormat", "backpressure-level", "backpressureLevel", "mode", "execution-mode", "flink-version", "flink-commit", "flink-revision",
	"timezone-name", "changelog_storage", "checkpoint_storage", "state_backend", "application-id", "slotSharingGroupId", "job_vertex_id", "restart-strategy")

// free are the fields that hold a map whose keys are the user's.
var free = set("user-config", "failureLabels")

// flinkKeys are prefixes of Flink's configuration keys that contain no name of the user's.
var flinkKeys = []string{"blob.", "classloader.", "client.", "cluster.", "execution.", "heartbeat.", "io.", "jobmanager.", "metrics.fetcher.", "metrics.latency.",
	"parallelism.", "pipeline.", "queryable-state.", "resourcemanager.", "rest.", "restart-strategy", "slot", "state.", "table.", "taskmanager.", "web."}

func set(list ...string) map[string]bool {
	m := map[string]bool{}
	for _, s := range list {
		m[s] = true
	}
	return m
}

// Entry is an answer with names replaced. Numbers, times and the shape of the answer stay.
func (n *Names) Entry(e flinkapi.Entry) (flinkapi.Entry, error) {
	e.Path = n.path(e.Path)
	if len(e.Body) == 0 || !json.Valid(e.Body) {
		e.Body = []byte(n.Text(string(e.Body)))
		return e, nil
	}
	body, err := n.body(e.Body)
	e.Body = body
	return e, err
}

// path replaces the TaskManager of a path, and the metric ids in its query.
func (n *Names) path(p string) string {
	at, raw, asked := strings.Cut(p, "?")
	seg := strings.Split(at, "/")
	for i := range seg {
		if i > 0 && seg[i-1] == "taskmanagers" {
			if name, err := url.PathUnescape(seg[i]); err == nil {
				seg[i] = url.PathEscape(n.Text(name))
			}
		}
	}
	at = strings.Join(seg, "/")
	if !asked {
		return at
	}
	var query []string
	for part := range strings.SplitSeq(raw, "&") {
		key, value, _ := strings.Cut(part, "=")
		if text, err := url.QueryUnescape(value); err == nil && key == "get" {
			part = key + "=" + url.QueryEscape(n.Text(text))
		}
		query = append(query, part)
	}
	return at + "?" + strings.Join(query, "&")
}

// level is an object or array of an answer.
type level struct {
	object, free bool
	key          string // key of the next value
	named        bool   // the key was read
}

// body rewrites the strings of an answer and leaves every other byte unchanged.
func (n *Names) body(text []byte) ([]byte, error) {
	var out bytes.Buffer
	var levels []level
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	for from := 0; ; {
		token, err := in.Token()
		if err == io.EOF {
			out.Write(text[from:])
			return out.Bytes(), nil
		}
		if err != nil {
			return nil, fmt.Errorf("answer cannot be given other names: %w", err)
		}
		raw := text[from:in.InputOffset()]
		from = int(in.InputOffset())
		var top *level
		if len(levels) > 0 {
			top = &levels[len(levels)-1]
		}
		switch v := token.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				next := level{object: v == '{'}
				if top != nil {
					next.key, next.free = top.key, free[top.key]
					top.named = false
				}
				levels = append(levels, next)
			} else {
				levels = levels[:len(levels)-1]
			}
		case string:
			to := v
			switch {
			case top != nil && top.object && !top.named:
				if top.free {
					to = n.key(v)
				}
				top.key, top.named = v, true
			case top == nil:
				to = n.Text(v)
			case top.free: // for every key the value is the user's
				to, top.named = n.Text(v), false
			default:
				to, top.named = n.value(top.key, v), false
			}
			if to != v {
				out.Write(raw[:bytes.IndexByte(raw, '"')])
				quoted, err := quote(to)
				if err != nil {
					return nil, err
				}
				raw = quoted
			}
		default:
			if top != nil {
				top.named = false
			}
		}
		out.Write(raw)
	}
}

func quote(s string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(s)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// value replaces a string according to its field.
func (n *Names) value(field, v string) string {
	switch {
	case plain[field]:
		return v
	case field == "key":
		return n.key(v)
	}
	return n.Text(v)
}

// key replaces a configuration key that is not Flink's.
func (n *Names) key(k string) string {
	for _, head := range flinkKeys {
		if strings.HasPrefix(k, head) {
			return k
		}
	}
	return n.Text(k)
}
