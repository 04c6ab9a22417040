// Package sqlgateway is a client of the REST endpoint of Flink's SQL gateway: v1 to v4, as Flink
// 1.17 to 2.3 serve it. It runs statements in sessions that are always closed.
package sqlgateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"tidemark/flinkapi"
)

// DefaultURL is the default address of a SQL gateway (sql-gateway.endpoint.rest.port).
const DefaultURL = "http://localhost:8083"

// newest is the newest known version of the endpoint; the requests used here are the same in all.
const newest = 4

// Client talks to one gateway. It is safe for concurrent use; a Session is not.
type Client struct {
	api   *flinkapi.Client
	poll  time.Duration
	sleep func(ctx context.Context, d time.Duration) error

	patience time.Duration

	settle  sync.Mutex
	version string // "/v2", "" before the first request
}

// Options are the connection and how long to wait for a result.
type Options struct {
	Connection flinkapi.ClientOptions // URL "" = DefaultURL; with or without a trailing /v1 … /v4
	Poll       time.Duration          // longest wait between two polls of a result, 0 = 500 ms
	Patience   time.Duration          // longest wait for the result of a statement, 0 = no limit, as a job needs
}

var versionSuffix = regexp.MustCompile(`/v[1-9]/*$`)

// New checks the options; it sends nothing.
func New(o Options) (*Client, error) {
	if o.Connection.URL == "" {
		o.Connection.URL = DefaultURL
	}
	o.Connection.URL = versionSuffix.ReplaceAllString(strings.TrimSpace(o.Connection.URL), "")
	if o.Poll <= 0 {
		o.Poll = 500 * time.Millisecond
	}
	api, err := flinkapi.NewClient(o.Connection)
	if err != nil {
		return nil, err
	}
	c := &Client{api: api, poll: o.Poll, patience: o.Patience, sleep: o.Connection.Sleep}
	if c.sleep == nil {
		c.sleep = flinkapi.Sleep
	}
	return c, nil
}

// URL is the address, without secrets.
func (c *Client) URL() string { return c.api.URL() }

// Info is what the gateway reports about itself.
type Info struct {
	Product string `json:"productName"` // "Apache Flink"
	Version string `json:"version"`     // of Flink, "2.3.0"
}

// Info requests the gateway's Flink version: GET /info.
func (c *Client) Info(ctx context.Context) (Info, error) {
	var info Info
	version, err := c.negotiate(ctx)
	if err == nil {
		err = c.call(ctx, http.MethodGet, version+"/info", nil, &info)
	}
	return info, err
}

// negotiate finds the newest version of the endpoint that both sides support: GET /api_versions,
// which only a SQL gateway answers (1.16 and later).
func (c *Client) negotiate(ctx context.Context) (string, error) {
	c.settle.Lock()
	defer c.settle.Unlock()
	if c.version != "" {
		return c.version, nil
	}
	var answer struct {
		Versions []string `json:"versions"`
	}
	err := c.call(ctx, http.MethodGet, "/api_versions", nil, &answer)
	var failed *Error
	if errors.As(err, &failed) && failed.Kind == Refused {
		failed.Kind, failed.Hint = NotGateway, notGatewayHint
	}
	if err != nil {
		return "", err
	}
	best := 0
	for _, v := range answer.Versions {
		n, err := strconv.Atoi(strings.TrimPrefix(strings.ToLower(v), "v"))
		if err == nil && n <= newest {
			best = max(best, n)
		}
	}
	if best == 0 {
		return "", &Error{Kind: NotGateway, URL: c.URL(), Hint: notGatewayHint, Causes: []Cause{{Message: "it offers no version of the endpoint from v1 to v4"}}}
	}
	c.version = "/v" + strconv.Itoa(best)
	return c.version, nil
}

// call sends body as JSON and decodes the answer.
func (c *Client) call(ctx context.Context, method, path string, body, into any) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	e, err := c.api.Send(ctx, method, path, text)
	if err != nil {
		return errorOf(c.URL(), e, err)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(e.Body, into); err != nil {
		return &Error{Kind: NotGateway, URL: c.URL(), Hint: notGatewayHint, Causes: []Cause{{Message: "the answer is not one of a SQL gateway"}}, Err: err}
	}
	return nil
}
