package sqlplantest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"tidemark/analyze/sqlplan"
)

// Serve serves a recorded conversation over HTTP, as a gateway would.
func Serve(t *testing.T, g sqlplan.Gateway) (url string, log *[]string) {
	t.Helper()
	var mu sync.Mutex
	log = &[]string{}
	asked := []string{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		*log = append(*log, r.Method+" "+r.URL.Path)
		answer := func(v any) {
			if err := json.NewEncoder(w).Encode(v); err != nil {
				t.Error(err)
			}
		}
		switch {
		case r.URL.Path == "/api_versions":
			answer(map[string]any{"versions": []string{"V1", "V2"}})
		case r.URL.Path == "/v2/info":
			v, _ := g.Version(r.Context())
			answer(map[string]string{"productName": "Apache Flink", "version": v})
		case r.Method == http.MethodDelete:
			answer(map[string]string{"status": "CLOSED"})
		case r.URL.Path == "/v2/sessions":
			answer(map[string]string{"sessionHandle": "s"})
		case strings.HasSuffix(r.URL.Path, "/statements"):
			var in struct{ Statement string }
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				t.Error(err)
			}
			asked = append(asked, in.Statement)
			answer(map[string]string{"operationHandle": fmt.Sprint(len(asked) - 1)})
		default:
			var n int
			if _, err := fmt.Sscanf(r.URL.Path, "/v2/sessions/s/operations/%d/result/0", &n); err != nil {
				t.Error(err)
			}
			rows, err := g.Run(r.Context(), asked[n])
			if refusal, ok := err.(*sqlplan.Refusal); ok {
				text := "<Exception on server side:\norg.x.Outer: failed\n\tat a.B\n"
				for _, c := range refusal.Causes {
					text += "Caused by: " + c.Class + ": " + c.Message + "\n\tat a.B\n"
				}
				w.WriteHeader(http.StatusInternalServerError)
				answer(map[string]any{"errors": []string{"Internal server error.", text}})
				return
			}
			data := []map[string]any{}
			for _, row := range rows {
				data = append(data, map[string]any{"kind": "INSERT", "fields": row})
			}
			answer(map[string]any{"resultType": "EOS", "results": map[string]any{"data": data}})
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL, log
}
