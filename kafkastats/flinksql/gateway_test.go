package flinksql

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fake speaks the gateway's protocol: the query is ready at the third poll and comes in two pages.
func fake(t *testing.T, broken string) (*httptest.Server, *[]string) {
	t.Helper()
	var log []string
	polls := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		log = append(log, r.Method+" "+r.URL.Path)
		switch {
		case r.Method == http.MethodDelete:
			fmt.Fprint(w, `{"status":"CLOSED"}`)
		case r.URL.Path == "/v1/sessions":
			fmt.Fprint(w, `{"sessionHandle":"s1"}`)
		case strings.HasSuffix(r.URL.Path, "/statements"):
			var in struct{ Statement string }
			if json.NewDecoder(r.Body).Decode(&in) != nil || in.Statement == broken {
				w.WriteHeader(http.StatusInternalServerError)
				fmt.Fprint(w, `{"errors":["Internal","org.x.SqlExecutionException: failed\n\tat a.b\nCaused by: org.x.ValidationException: Column 'tss' not found\n\tat c.d"]}`)
				return
			}
			fmt.Fprintf(w, `{"operationHandle":"%s"}`, map[bool]string{true: "q", false: "set"}[strings.HasPrefix(in.Statement, "SELECT")])
		case strings.Contains(r.URL.Path, "/operations/set/"):
			fmt.Fprint(w, `{"resultType":"EOS","results":{"data":[{"kind":"INSERT","fields":["OK"]}]}}`)
		default:
			next := "/v1/sessions/s1/operations/q/result/1?rowFormat=JSON"
			if polls++; polls < 3 {
				fmt.Fprintf(w, `{"resultType":"NOT_READY","nextResultUri":%q,"results":{"data":[]}}`, r.URL.RequestURI())
			} else if polls == 3 {
				fmt.Fprintf(w, `{"resultType":"PAYLOAD","nextResultUri":%q,"results":{"data":[{"kind":"INSERT","fields":[0,null,1,null,null]},{"kind":"INSERT","fields":[0,256,3,256,257]}]}}`, next)
			} else {
				fmt.Fprint(w, `{"resultType":"EOS","results":{"data":[{"kind":"INSERT","fields":[1,-5,2,-5,-5]}]}}`)
			}
		}
	}))
	t.Cleanup(srv.Close)
	return srv, &log
}

func TestGatewayRunsAndCloses(t *testing.T) {
	srv, log := fake(t, "")
	rows, err := Gateway{URL: srv.URL + "/", Poll: time.Millisecond}.Run(context.Background(), []string{"SET 'a' = 'b'", "SELECT 1"})
	if err != nil {
		t.Fatal(err)
	}
	n := func(v int64) *int64 { return &v }
	want := []Row{{0, 1, nil, nil}, {0, 3, n(256), n(257)}, {1, 2, n(-5), n(-5)}}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Fatal(diff)
	}
	if last := (*log)[len(*log)-1]; last != "DELETE /v1/sessions/s1" {
		t.Errorf("the session is left open: %s", last)
	}
}

func TestGatewayNamesTheCause(t *testing.T) {
	srv, log := fake(t, "SELECT x")
	_, err := Gateway{URL: srv.URL, Poll: time.Millisecond}.Run(context.Background(), []string{"SELECT x"})
	if err == nil || !strings.Contains(err.Error(), "Column 'tss' not found") || strings.Contains(err.Error(), "c.d") {
		t.Fatal(err)
	}
	if last := (*log)[len(*log)-1]; last != "DELETE /v1/sessions/s1" {
		t.Errorf("the session is left open: %s", last)
	}
	if _, err := (Gateway{URL: "http://127.0.0.1:1"}).Run(context.Background(), nil); err == nil {
		t.Error("a dead gateway went unnoticed")
	}
}
