package prometheus_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tidemark/flinkapi/prometheus"
	"tidemark/internal/promtest"
)

const noon = 1796040000000 // 2026-11-30T12:00:00Z

// steady is a series of n samples, a second apart, up to an instant.
func steady(n int, until int64) promtest.Series {
	s := promtest.Series{Labels: map[string]string{"__name__": "x"}}
	for i := range n {
		s.T, s.V = append(s.T, until-int64(n-1-i)*1000), append(s.V, "1")
	}
	return s
}

// A range with more points than a server allows is requested in parts, and each point is returned once.
func TestLongRangesAreSplit(t *testing.T) {
	const n = 25_000
	server := &promtest.Server{Series: []promtest.Series{steady(n, noon)}}
	c := client(t, server, nil)
	a, err := c.Range(context.Background(), "x", time.UnixMilli(noon-(n-1)*1000), time.UnixMilli(noon), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Series) != 1 || len(a.Series[0].Points) != n || len(server.Queries()) != 3 {
		t.Fatalf("%d series, %d queries", len(a.Series), len(server.Queries()))
	}
	for i, p := range a.Series[0].Points {
		if p.T != noon-int64(n-1-i)*1000 {
			t.Fatalf("point %d is of %d", i, p.T)
		}
	}
}

func TestConnection(t *testing.T) {
	server := &promtest.Server{Series: []promtest.Series{steady(3, noon)}, Token: "secret-token", Tenant: "team", Prefix: "/thanos"}
	ask := func(c *prometheus.Client) error {
		a, err := c.Query(context.Background(), "x", time.UnixMilli(noon))
		if err == nil && len(a.Series) != 1 {
			t.Errorf("%d series", len(a.Series))
		}
		return err
	}
	for _, path := range []string{"/thanos", "/thanos/", "/thanos/api/v1", "/thanos/graph?g0.expr=up"} {
		full := client(t, server, func(o *prometheus.Options) {
			o.Connection.URL += path
			o.Connection.Token, o.Connection.Headers = "secret-token", map[string]string{"X-Scope-OrgID": "team"}
		})
		if err := ask(full); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	bare := client(t, server, func(o *prometheus.Options) { o.Connection.URL += "/thanos" })
	err := ask(bare)
	var failed *prometheus.Error
	if !errors.As(err, &failed) || failed.Status != 401 || !strings.Contains(err.Error(), "token") || strings.Contains(err.Error(), "secret-token") {
		t.Errorf("without a token: %v", err)
	}
	for _, url := range []string{"", "ftp://x", "http://"} {
		if _, err := prometheus.New(prometheus.Options{}); err == nil {
			t.Errorf("%q is taken", url)
		}
	}
}

// An answer that is not a result is reported, with what to do; only a failure that may pass is retried.
func TestErrorsAreTold(t *testing.T) {
	for _, tc := range []struct {
		name   string
		status int
		body   string
		want   []string
		asked  int
	}{
		{"bad query", 400, `{"status":"error","errorType":"bad_data","error":"parse error"}`, []string{"400", "parse error", "matchers"}, 1},
		{"not allowed", 403, "forbidden", []string{"403", "tenant"}, 1},
		{"too much", 422, `{"status":"error","errorType":"execution","error":"query processing would load too many samples into memory"}`, []string{"422", "too many samples", "shorter stretch"}, 1},
		{"busy", 503, `{"status":"error","errorType":"timeout","error":"query timed out"}`, []string{"503", "query timed out", "again"}, 3},
		{"limited", 429, "too many requests", []string{"429", "later"}, 3},
		{"a page", 200, "<html><body>Login</body></html>", []string{"no Prometheus answers here"}, 1},
		{"other JSON", 200, `{"flink-version":"2.3.0"}`, []string{"not that of Prometheus"}, 1},
		{"nothing there", 404, "404 page not found", []string{"no Prometheus answers here", "path prefix"}, 1},
		{"an error in 200", 200, `{"status":"error","error":"boom"}`, []string{"boom"}, 1},
		{"cut", 200, `{"status":"success","data":{"resultType":"vector","result":[{"metric"`, []string{"truncated JSON"}, 1},
	} {
		server := &promtest.Server{Status: tc.status, Body: tc.body}
		_, err := client(t, server, nil).Query(context.Background(), "x", time.UnixMilli(noon))
		if err == nil {
			t.Errorf("%s: no error", tc.name)
			continue
		}
		for _, w := range tc.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v lacks %q", tc.name, err, w)
			}
		}
		if strings.ContainsAny(err.Error(), "\n") || len(server.Queries()) != tc.asked {
			t.Errorf("%s: asked %d times: %v", tc.name, len(server.Queries()), err)
		}
	}
}

func TestABusyServerIsAskedAgain(t *testing.T) {
	server := &promtest.Server{Series: []promtest.Series{steady(3, noon)}, Status: 503, Body: "starting", Times: 2}
	a, err := client(t, server, nil).Query(context.Background(), "x", time.UnixMilli(noon))
	if err != nil || len(a.Series) != 1 {
		t.Fatal(a, err)
	}
}

func TestNobodyThere(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	c := client(t, &promtest.Server{}, func(o *prometheus.Options) { o.Connection.URL = srv.URL })
	_, err := c.Query(context.Background(), "x", time.UnixMilli(noon))
	if err == nil || !strings.Contains(err.Error(), "check that a Prometheus runs there") || strings.Contains(err.Error(), "JobManager") {
		t.Errorf("%v", err)
	}
}
