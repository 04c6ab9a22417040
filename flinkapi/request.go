package flinkapi

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Get reads path (relative to the REST root, encoded, with its query). The entry is what a
// recording stores, even for an error answer. The error is an *APIError for everything but JSON
// in 2xx.
func (c *Client) Get(ctx context.Context, path string) (Entry, error) {
	version, first, err := c.settleVersion(ctx)
	if err != nil {
		return Entry{}, err
	}
	if first != nil && first.Path == path {
		return *first, nil
	}
	return c.retrying(ctx, version, path)
}

// settleVersion finds out once whether /v1 is served; some proxies only forward unversioned
// paths. The answer that settled it is returned to the caller whose request it was.
func (c *Client) settleVersion(ctx context.Context) (version string, first *Entry, err error) {
	c.settle.Lock()
	defer c.settle.Unlock()
	if c.settled {
		return c.version, nil, nil
	}
	const probe = "/overview"
	e, err := c.retrying(ctx, "/v1", probe)
	if err != nil {
		if !IsNotFound(err) && !IsNotFlink(err) {
			return "", nil, err
		}
		var bare error
		if e, bare = c.retrying(ctx, "", probe); bare != nil {
			if IsNotFound(bare) {
				bare.(*APIError).Hint = "there is no Flink REST API under this path: check the URL and its prefix"
			}
			return "", nil, bare
		}
	} else {
		c.version = "/v1"
	}
	if !gjson.GetBytes(e.Body, "flink-version").Exists() && !gjson.GetBytes(e.Body, "taskmanagers").Exists() {
		return "", nil, &APIError{Kind: NotFlink, URL: c.shown + probe, Status: e.Status,
			Cause: "JSON, but not of a Flink JobManager", Hint: "give the URL of the JobManager's REST API"}
	}
	c.settled = true
	return c.version, &e, nil
}

// retrying repeats a request until there is an answer, or repeating is useless. GETs are
// idempotent.
func (c *Client) retrying(ctx context.Context, version, path string) (Entry, error) {
	wait := c.opts.RetryWait
	for attempt := 0; ; attempt++ {
		began := time.Now().UnixNano()
		e, err := c.once(ctx, version, path)
		// If nothing else was answered meanwhile, the cluster is silent: another attempt would
		// not help.
		silent := kindOf(err) == TimedOut && c.lastAnswer.Load() < began
		if err == nil || ctx.Err() != nil || silent || attempt >= c.retries(err) {
			return e, err
		}
		// Full jitter keeps eight requests that failed together from being repeated together.
		if s := c.opts.Sleep(ctx, wait/2+time.Duration(rand.Int64N(int64(wait)))); s != nil {
			return e, err
		}
		wait *= 2
	}
}

// retries is how many further attempts are useful after err.
func (c *Client) retries(err error) int {
	e, _ := err.(*APIError)
	n := max(c.opts.Retries, 0)
	switch e.Kind {
	case Unreachable, Unavailable:
		return n
	case Malformed, TimedOut:
		return min(n, 1)
	case ServerError:
		// Some handlers cannot answer at all (/backpressure without metrics, 1.18+), so fewer
		// attempts.
		if e.Status >= 500 {
			return min(n, 2)
		}
		if e.Status == http.StatusTooManyRequests {
			return n
		}
	}
	return 0
}

func (c *Client) once(ctx context.Context, version, path string) (Entry, error) {
	return c.exchange(ctx, http.MethodGet, version, path, nil)
}

// Send makes one request of any method, without a version and without retries. It is for Flink's
// other REST server, the SQL gateway; the errors are those of Get, hints included.
func (c *Client) Send(ctx context.Context, method, path string, body []byte) (Entry, error) {
	return c.exchange(ctx, method, "", path, body)
}

func (c *Client) exchange(ctx context.Context, method, version, path string, body []byte) (Entry, error) {
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return Entry{Path: path}, c.fail(version, path, transportError(ctx, ctx.Err()))
	}
	defer func() { <-c.slots }()
	c.asked.Add(1)
	start := c.opts.Now()
	req := c.http.R().SetContext(ctx)
	if body != nil {
		req.SetHeader("Content-Type", "application/json").SetBody(body)
	}
	res, err := req.Execute(method, c.base+version+path)
	took := c.opts.Now().Sub(start)
	// Halfway between request and answer: the best guess of when the cluster read its state.
	e := Entry{T: start.Add(took / 2).UnixMilli(), Path: path}
	if err != nil {
		apiErr := c.fail(version, path, transportError(ctx, err))
		e.Body, _ = json.Marshal(apiErr.Cause)
		e.Fault = apiErr.gap()
		if c.opts.Log != nil {
			c.opts.Log(fmt.Sprintf("%s %s: %s", method, apiErr.URL, apiErr.Cause))
		}
		return e, apiErr
	}
	e.Status, e.Body = res.StatusCode(), res.Body()
	c.lastAnswer.Store(time.Now().UnixNano())
	if c.opts.Log != nil {
		c.opts.Log(c.mask.mask(fmt.Sprintf("%s %s: %d, %d bytes, %d ms", method, shorten(c.base+version+path), e.Status, len(e.Body), took.Milliseconds())))
	}
	valid := gjson.ValidBytes(e.Body)
	if e.OK() && valid {
		return e, nil
	}
	apiErr := c.fail(version, path, statusError(e.Status, res.Header().Get("Content-Type"), e.Body))
	if text := string(e.Body); valid && c.mask.mask(text) != text {
		// A cluster or proxy that echoes a credential must not bring it into a report or a
		// recording.
		e.Body, _ = json.Marshal(apiErr.Cause)
	}
	if !valid {
		// A recording keeps the error, not the page or the truncated answer, which must not look
		// valid.
		e.Body, _ = json.Marshal(apiErr.Cause)
		e.Fault = apiErr.gap()
		if e.OK() {
			e.Status = 0
		}
	}
	return e, apiErr
}

// fail completes an error with its URL, masked.
func (c *Client) fail(version, path string, e *APIError) *APIError {
	e.URL = shorten(c.shown + version + path)
	e.Cause = c.mask.mask(e.Cause)
	return e
}

// shorten keeps a metric query of 4,000 bytes from filling a terminal.
func shorten(s string) string {
	const limit = 200
	if len(s) <= limit {
		return oneLine(s)
	}
	return oneLine(strings.ToValidUTF8(s[:limit-len("…")], "")) + "…"
}
