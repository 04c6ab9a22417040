// Package prometheus reads the past of Flink jobs from the HTTP API of Prometheus and compatible
// servers (VictoriaMetrics, Thanos, Mimir). Series at two instants become the answers that REST
// would have given.
package prometheus

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"tidemark/flinkapi"
)

const (
	maxInFlight = 4      // concurrent queries: the server has other users
	maxPoints   = 11_000 // a series of query_range (Prometheus, web/api/v1: "exceeded maximum resolution")
	retries     = 2
	retryWait   = 300 * time.Millisecond
)

// Options are the connection, and the label matchers of the cluster's series.
type Options struct {
	Connection flinkapi.ClientOptions // URL, with a path prefix if needed, without /api/v1
	Match      []string               // label matchers that select the cluster, such as namespace="prod"
}

// Client queries one server. It is safe for concurrent use.
type Client struct {
	api   *flinkapi.Client
	match []string
	wait  time.Duration
	sleep func(context.Context, time.Duration) error
	bytes atomic.Int64
}

// New checks the options; it sends nothing.
func New(o Options) (*Client, error) {
	text := strings.TrimSpace(o.Connection.URL)
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not the URL of a Prometheus; write it as http://host:9090", flinkapi.MaskURL(o.Connection.URL))
	}
	u.Fragment, u.RawQuery = "", ""
	u.Path = strings.TrimRight(u.Path, "/")
	for _, page := range []string{"/api/v1", "/graph", "/query"} { // URLs that people paste
		u.Path = strings.TrimSuffix(u.Path, page)
	}
	o.Connection.URL = u.String()
	o.Connection.MaxInFlight = maxInFlight
	for _, m := range o.Match {
		if err := checkMatcher(m); err != nil {
			return nil, err
		}
	}
	api, err := flinkapi.NewClient(o.Connection)
	if err != nil {
		return nil, err
	}
	c := &Client{api: api, match: o.Match, wait: o.Connection.RetryWait, sleep: o.Connection.Sleep}
	if c.wait <= 0 {
		c.wait = retryWait
	}
	if c.sleep == nil {
		c.sleep = flinkapi.Sleep
	}
	return c, nil
}

// URL is the address, without secrets.
func (c *Client) URL() string { return c.api.URL() }

// Queries is the number of requests sent so far, retries included.
func (c *Client) Queries() int { return c.api.Requests() }

// Bytes is the size of the answers so far, uncompressed.
func (c *Client) Bytes() int64 { return c.bytes.Load() }

// Query evaluates an expression at an instant. A range selector such as x[5m] returns the scraped
// samples with their own times.
func (c *Client) Query(ctx context.Context, expr string, at time.Time) (Answer, error) {
	return c.ask(ctx, "/api/v1/query?query="+url.QueryEscape(expr)+"&time="+stamp(at))
}

// Range evaluates an expression at every step between two instants, both included. A range with
// more points than the server allows per series is split.
func (c *Client) Range(ctx context.Context, expr string, from, to time.Time, step time.Duration) (Answer, error) {
	var all Answer
	for begin := from; !begin.After(to); {
		end := begin.Add(step * (maxPoints - 1))
		if end.After(to) {
			end = to
		}
		part, err := c.ask(ctx, "/api/v1/query_range?query="+url.QueryEscape(expr)+"&start="+stamp(begin)+"&end="+stamp(end)+"&step="+seconds(step))
		if err != nil {
			return all, err
		}
		all.join(part)
		begin = end.Add(step)
	}
	return all, nil
}

func (c *Client) ask(ctx context.Context, path string) (Answer, error) {
	for attempt := 0; ; attempt++ {
		e, err := c.api.Send(ctx, http.MethodGet, path, nil)
		c.bytes.Add(int64(len(e.Body)))
		if err == nil {
			return decode(c.api.URL(), e.Body)
		}
		failed := errorOf(c.api.URL(), e, err)
		if !failed.passing() || attempt >= retries || ctx.Err() != nil || c.sleep(ctx, c.wait<<attempt) != nil {
			if ctx.Err() != nil {
				return Answer{}, ctx.Err()
			}
			return Answer{}, failed
		}
	}
}

// stamp formats an instant for the API: seconds with ms.
func stamp(t time.Time) string { return fmt.Sprintf("%.3f", float64(t.UnixMilli())/1000) }

func seconds(d time.Duration) string { return fmt.Sprintf("%g", d.Seconds()) }

// window formats a duration for PromQL, in whole seconds.
func window(d time.Duration) string {
	return fmt.Sprintf("%ds", int64((d+time.Second-1)/time.Second))
}
