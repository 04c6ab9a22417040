package flinkapi

import (
	"context"
	"time"
)

// ClientOptions configure a client; secrets are already resolved. The zero value reads
// http://localhost:8081 without authentication.
type ClientOptions struct {
	URL   string // REST address with an optional path prefix, https://host/proxy/app_1
	Token string // bearer token
	User  string // basic authentication
	Pass  string

	Headers  map[string]string // added to every request; their values are masked in messages
	CertFile string            // client certificate, PEM
	KeyFile  string            // its key, PEM
	CAFile   string            // extra authorities to trust, PEM
	Proxy    string            // proxy URL; "" = HTTPS_PROXY, HTTP_PROXY and NO_PROXY
	Insecure bool              // accept any server certificate

	Timeout     time.Duration // for one request; 0 = 30 s
	MaxInFlight int           // concurrent requests, over all jobs; 0 = 8
	Retries     int           // further attempts of one request; 0 = 3, negative = none
	RetryWait   time.Duration // wait before the first retry, doubled each time; 0 = 200 ms
	Budget      int           // requests for one sample of one job after which no more details are read; 0 = 420

	Log   func(line string)                                // called for every request, secrets masked; may be nil
	Now   func() time.Time                                 // wall clock; nil = time.Now
	Sleep func(ctx context.Context, d time.Duration) error // returns ctx's error early; nil = a timer
}

// DefaultURL is Flink's default REST address (rest.port).
const DefaultURL = "http://localhost:8081"

func (o ClientOptions) withDefaults() ClientOptions {
	if o.URL == "" {
		o.URL = DefaultURL
	}
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.MaxInFlight <= 0 {
		o.MaxInFlight = 8
	}
	if o.Retries == 0 {
		o.Retries = 3
	}
	if o.RetryWait <= 0 {
		o.RetryWait = 200 * time.Millisecond
	}
	if o.Budget <= 0 {
		o.Budget = 420
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = Sleep
	}
	return o
}

// Sleep waits for d of wall clock, or returns the context's error if that ends first.
func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
