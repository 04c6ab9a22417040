package flinkapi

import (
	"encoding/json"
	"net/url"
	"strings"
)

// Entry is one REST answer as it was received: a line of a recording file.
type Entry struct {
	T      int64           `json:"t"`    // client wall clock halfway between request and answer, epoch ms
	Path   string          `json:"path"` // relative to the REST root, with its query
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body"`            // a JSON string if the answer was not JSON
	Fault  GapReason       `json:"fault,omitempty"` // why the answer cannot be used, if known
}

// OK reports a 2xx answer.
func (e Entry) OK() bool { return e.Status >= 200 && e.Status < 300 }

// Route is Path split into its segments without a leading /v1, and its decoded query.
func (e Entry) Route() (segments []string, query url.Values) {
	path, raw, _ := strings.Cut(e.Path, "?")
	segments = strings.Split(strings.Trim(path, "/"), "/")
	if len(segments) > 0 && segments[0] == "v1" {
		segments = segments[1:]
	}
	query, _ = url.ParseQuery(strings.ReplaceAll(raw, ";", "%3B"))
	return segments, query
}

func (e Entry) question() question {
	seg, query := e.Route()
	return asks(seg, query)
}
