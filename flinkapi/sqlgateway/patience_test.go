package sqlgateway_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tidemark/flinkapi"
	"tidemark/flinkapi/sqlgateway"
	"tidemark/internal/cases"
)

// A statement that is never ready, or whose rows never end, is abandoned, and its session closed.
func TestEndlessResults(t *testing.T) {
	row := `{"fields":["` + strings.Repeat("x", 1<<20) + `"]}`
	for answer, want := range map[string]string{
		`{"resultType":"NOT_READY"}`: "no result after 1 min of waiting",
		`{"resultType":"PAYLOAD","nextResultUri":"/v1/sessions/s/operations/o/result/1"}`:                                  "no result after 1 min of waiting",
		`{"resultType":"PAYLOAD","nextResultUri":"/v1/sessions/s/operations/o/result/1","results":{"data":[` + row + `]}}`: "the result has more than 64 MiB",
	} {
		if len(answer) > 1<<20 && cases.Of(0, 1) == 0 {
			continue
		}
		closed := false
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			text := answer
			switch {
			case r.URL.Path == "/api_versions":
				text = `{"versions":["V1"]}`
			case r.Method == http.MethodDelete:
				closed, text = true, `{"status":"CLOSED"}`
			case strings.HasSuffix(r.URL.Path, "/sessions"):
				text = `{"sessionHandle":"s"}`
			case strings.HasSuffix(r.URL.Path, "/statements"):
				text = `{"operationHandle":"o"}`
			}
			_, _ = w.Write([]byte(text)) // the client reports what it received
		}))
		c, err := sqlgateway.New(sqlgateway.Options{Patience: time.Minute, Connection: flinkapi.ClientOptions{URL: srv.URL, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Run(context.Background(), []string{"EXPLAIN SELECT 1"})
		srv.Close()
		if !errors.Is(err, sqlgateway.Unavailable) || !strings.Contains(err.Error(), want) || !closed {
			t.Errorf("%.60s: %v, closed %v", answer, err, closed)
		}
	}
}
