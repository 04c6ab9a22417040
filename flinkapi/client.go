package flinkapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-resty/resty/v2"
)

// Client reads a live cluster. It is safe for concurrent use; all its requests together use at
// most MaxInFlight connections.
type Client struct {
	opts  ClientOptions
	http  *resty.Client
	base  string // without a trailing slash, user, query, or /v1
	shown string // base as shown to the user
	mask  masker
	slots chan struct{}
	asked atomic.Int64

	lastAnswer atomic.Int64 // wall clock of the newest answer, even a failed one, Unix ns; 0 = none yet

	settle  sync.Mutex
	settled bool
	version string // "/v1", or "" where only unversioned paths are served
}

// maxAnswer limits one answer. Flink's own limit is rest.server.max-content-length, 100 MiB.
const maxAnswer = 128 << 20

// NewClient checks the options and reads the certificate files; it sends nothing.
func NewClient(opts ClientOptions) (*Client, error) {
	o := opts.withDefaults()
	base, err := baseURL(o.URL)
	if err != nil {
		return nil, err
	}
	if base.User != nil && o.User == "" && o.Token == "" {
		o.User = base.User.Username()
		o.Pass, _ = base.User.Password()
	}
	base.User = nil
	t, err := transport(o)
	if err != nil {
		return nil, err
	}
	c := &Client{opts: o, mask: newMasker(o), slots: make(chan struct{}, o.MaxInFlight)}
	c.base = strings.TrimSuffix(base.String(), "/")
	c.shown = c.mask.mask(c.base)
	c.http = resty.New().SetTransport(t).SetTimeout(o.Timeout).SetLogger(silent{}).
		SetResponseBodyLimit(maxAnswer).SetRedirectPolicy(resty.RedirectPolicyFunc(redirects(o))).
		SetHeader("Accept", "application/json").SetHeader("User-Agent", "tidemark")
	for k, v := range o.Headers {
		if strings.ContainsAny(k+v, "\r\n") {
			return nil, fmt.Errorf("header %q holds a line break", k)
		}
		c.http.SetHeader(k, v)
	}
	switch {
	case o.Token != "":
		c.http.SetAuthToken(o.Token)
	case o.User != "":
		c.http.SetBasicAuth(o.User, o.Pass)
	}
	return c, nil
}

// URL is the address that is read, without secrets.
func (c *Client) URL() string { return c.shown }

// Requests is the number of requests sent so far, retries included.
func (c *Client) Requests() int { return int(c.asked.Load()) }

// baseURL accepts common spellings: no scheme, the web UI's #/overview, a trailing /v1.
func baseURL(raw string) (*url.URL, error) {
	text := strings.TrimSpace(raw)
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not the URL of a Flink REST API; write it as http://host:8081", MaskURL(raw))
	}
	u.Fragment, u.RawFragment, u.RawQuery = "", "", ""
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1")
	u.RawPath = ""
	return u, nil
}

// Jobs lists the jobs of the cluster, finished ones included: GET /jobs/overview.
func (c *Client) Jobs(ctx context.Context) ([]JobOverview, error) {
	e, err := c.Get(ctx, "/jobs/overview")
	if err != nil {
		return nil, err
	}
	var answer struct {
		Jobs []JobOverview `json:"jobs"`
	}
	if err := json.Unmarshal(e.Body, &answer); err != nil {
		return nil, &APIError{Kind: NotFlink, URL: c.shown + "/jobs/overview", Status: e.Status,
			Cause: "the answer is not a list of Flink jobs", Hint: "check the URL", Err: err}
	}
	return answer.Jobs, nil
}

// silent keeps resty from writing to stderr.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}
