package flinkapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/tidwall/gjson"
)

// gap describes an answer to q that failed for a reason.
func (e Entry) gap(q question, reason GapReason, cause string) Gap {
	return Gap{Vertex: q.vertex, Endpoint: q.endpoint, IDs: q.ids, Reason: reason, Status: e.Status, Cause: cause, Path: shorten(e.Path), At: e.T}
}

// fault says why an answer cannot be what q asked for; ok is true if it looks valid. It is cheap
// for long lists: their elements are only checked when they are decoded.
func (e Entry) fault(q question) (g Gap, ok bool) {
	if e.Fault != "" {
		return e.gap(q, e.Fault, DeepestCause(e.Body)), false
	}
	if !e.OK() {
		return e.gap(q, statusReason(e), DeepestCause(e.Body)), false
	}
	body := bytes.TrimSpace(e.Body)
	switch {
	case len(body) == 0:
		return e.gap(q, GapEmpty, "the answer is empty"), false
	case string(body) == "null":
		return e.gap(q, GapNull, "the answer is null"), false
	case body[0] == '"':
		return e.gap(q, textReason(body), DeepestCause(body)), false
	case q.endpoint == OtherEndpoint:
		return Gap{}, true
	case q.keys == nil && body[0] == '[':
		return Gap{}, true
	case body[0] != '{':
		return e.misshapen(q), false
	}
	keys := map[string]bool{}
	gjson.ParseBytes(body).ForEach(func(k, v gjson.Result) bool {
		keys[k.Str] = v.Type != gjson.Null
		return true
	})
	switch {
	case slices.ContainsFunc(q.keys, func(k string) bool { _, there := keys[k]; return there }):
		return Gap{}, true
	case keys["errors"]:
		return e.gap(q, GapErrors, DeepestCause(body)), false
	case len(keys) == 0 && json.Valid(body):
		return e.gap(q, GapEmpty, "the answer is an empty object"), false
	}
	return e.misshapen(q), false
}

func (e Entry) misshapen(q question) Gap {
	if !json.Valid(e.Body) {
		return e.gap(q, GapCut, "the answer is truncated JSON")
	}
	return e.gap(q, GapShape, "the answer is not the JSON expected here")
}

// statusReason classifies an answer outside 2xx; recordings of other tools have only the status.
func statusReason(e Entry) GapReason {
	switch {
	case e.Status == 401 || e.Status == 403:
		return GapRefused
	case e.Status == 404:
		return GapNotFound
	case e.Status == 0:
		return GapNoAnswer
	}
	return GapServer
}

// textReason classifies a 2xx answer that was not JSON and is kept as a string.
func textReason(body []byte) GapReason {
	var text string
	if json.Unmarshal(body, &text) == nil && looksLikeHTML(text) {
		return GapPage
	}
	return GapCut
}

// decode decodes an answer. A gap together with true means that only a part could not be decoded.
func decode(e Entry, q question, into any) (Gap, bool) {
	if g, ok := e.fault(q); !ok {
		return g, false
	}
	err := error(nil)
	if list, ok := into.(*metricList); ok {
		*list, err = parseMetrics(e.Body)
	} else {
		err = json.Unmarshal(e.Body, into)
	}
	if err != nil {
		reason, part := GapShape, onlyAField(err)
		var syntax *json.SyntaxError
		switch {
		case part:
			reason = GapField
		case errors.As(err, &syntax), !json.Valid(e.Body):
			reason = GapCut
		}
		return e.gap(q, reason, oneLine("the answer is not the JSON expected here: "+err.Error())), part
	}
	return Gap{}, true
}

// onlyAField reports a field with another type than expected, such as "NaN" for a number. The
// field is left out and reported; the rest of the answer is used.
func onlyAField(err error) bool {
	var field *json.UnmarshalTypeError
	return errors.As(err, &field) && field.Field != ""
}

// jobStates are the states of a job (JobStatus, 1.17 to 2.3).
var jobStates = map[string]bool{
	"INITIALIZING": true, "CREATED": true, "RUNNING": true, "FAILING": true, "FAILED": true, "CANCELLING": true, "CANCELED": true,
	"FINISHED": true, "RESTARTING": true, "SUSPENDED": true, "RECONCILING": true,
}

// decodeJob decodes GET /jobs/:jobid; an answer without an id and a known state is not a job.
func decodeJob(e Entry, q question, into *JobDetails) (Gap, bool) {
	g, ok := decode(e, q, into)
	switch {
	case !ok:
		return g, false
	case into.ID == "":
		return e.gap(q, GapShape, "the answer has no jid"), false
	case !jobStates[into.State]:
		cause := "the answer has no state"
		if into.State != "" {
			cause = "unknown job state " + shorten(into.State)
		}
		return e.gap(q, GapState, cause), false
	}
	return g, true
}
