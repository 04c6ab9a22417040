package flinktest

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Fault breaks some answers of a cluster. Match selects requests by a part of their path; "" is
// all.
type Fault struct {
	Match    string
	End      bool          // Match is the end of the path, and there is no query
	After    int           // leave the first After matching requests alone
	Times    int           // number of requests to break; 0 = all
	Latency  time.Duration // wait before answering
	Status   int           // answer this status with Flink's error body, or an HTML page where HTML is set
	HTML     bool          // a login page, status 200 unless Status says otherwise
	Redirect string        // 302 to this address
	Truncate bool          // announce the whole answer, send half of it, close the connection
	CutJSON  bool          // send half of the answer as if it were complete, like a broken proxy
	Half     bool          // only every second id of a metrics list
	Hangup   bool          // close the connection without an answer
	Body     string        // this body with status 200
	Lose     string        // leave ids that contain this out of the values, although they are listed
	Endless  bool          // an answer that never ends
}

// WithFaults puts faults in front of a cluster; the first match is used.
func WithFaults(next http.Handler, faults ...Fault) http.Handler {
	seen := make([]atomic.Int64, len(faults))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i, f := range faults {
			if uri := r.URL.RequestURI(); !strings.Contains(uri, f.Match) || f.End && !strings.HasSuffix(uri, f.Match) {
				continue
			}
			n := int(seen[i].Add(1))
			if n <= f.After || f.Times > 0 && n > f.After+f.Times {
				continue
			}
			f.serve(w, r, next)
			return
		}
		next.ServeHTTP(w, r)
	})
}

const loginPage = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><form action=\"/login\">…</form></body></html>\n"

func (f Fault) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if f.Latency > 0 {
		select {
		case <-time.After(f.Latency):
		case <-r.Context().Done():
			return
		}
	}
	switch {
	case f.Hangup:
		panic(http.ErrAbortHandler)
	case f.Redirect != "":
		http.Redirect(w, r, f.Redirect, http.StatusFound)
	case f.HTML:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(max(f.Status, 200))
		w.Write([]byte(loginPage))
	case f.Status != 0:
		reply(w, f.Status, []byte(`{"errors":["Internal server error.","<Exception on server side:\njava.util.concurrent.CompletionException: x\nCaused by: java.lang.IllegalStateException: injected fault\n\tat a.b.C(D.java:1)\nEnd of exception on server side>"]}`))
	case f.Body != "":
		reply(w, 200, []byte(f.Body))
	case f.Endless:
		f.run(w, r)
	case f.Lose != "" && !r.URL.Query().Has("get"):
		next.ServeHTTP(w, r)
	case f.Truncate || f.CutJSON || f.Half || f.Lose != "":
		f.spoil(w, r, next)
	default:
		next.ServeHTTP(w, r)
	}
}

func (f Fault) spoil(w http.ResponseWriter, r *http.Request, next http.Handler) {
	b := &buffered{header: http.Header{}, status: 200}
	next.ServeHTTP(b, r)
	switch {
	case f.Half:
		reply(w, b.status, everySecond(b.body))
	case f.Lose != "":
		reply(w, b.status, lose(b.body, f.Lose))
	case f.CutJSON:
		reply(w, b.status, b.body[:len(b.body)/2])
	default:
		w.Header().Set("Content-Length", jsonNumber(int64(len(b.body))))
		w.WriteHeader(b.status)
		w.Write(b.body[:len(b.body)/2])
		panic(http.ErrAbortHandler)
	}
}

// run writes JSON until the client stops reading.
func (f Fault) run(w http.ResponseWriter, r *http.Request) {
	block := []byte(`[` + strings.Repeat(`{"id":"0.x"},`, 1<<16))
	for r.Context().Err() == nil {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// buffered holds an answer so that it can be changed.
type buffered struct {
	header http.Header
	status int
	body   []byte
}

func (b *buffered) Header() http.Header  { return b.header }
func (b *buffered) WriteHeader(code int) { b.status = code }
func (b *buffered) Write(p []byte) (int, error) {
	b.body = append(b.body, p...)
	return len(p), nil
}

// Counter counts the requests to a cluster.
type Counter struct {
	next http.Handler

	mu       sync.Mutex
	paths    []string
	inFlight int
	peak     int
}

// Count puts a counter in front of a cluster.
func Count(next http.Handler) *Counter { return &Counter{next: next} }

// ServeHTTP counts the request and forwards it.
func (c *Counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.paths = append(c.paths, r.URL.RequestURI())
	c.inFlight++
	c.peak = max(c.peak, c.inFlight)
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.inFlight--
		c.mu.Unlock()
	}()
	c.next.ServeHTTP(w, r)
}

// Requests are the requested paths, in order of arrival.
func (c *Counter) Requests() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.paths...)
}

// Peak is the largest number of requests that were open at once.
func (c *Counter) Peak() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peak
}
