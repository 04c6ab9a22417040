package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tidemark/analyze/sqlplan"
	"tidemark/flinkapi"
	"tidemark/flinkapi/sqlgateway"
	"tidemark/internal/sqlplantest"
)

// gatewayOf serves a recorded conversation over HTTP, as a gateway would.
func gatewayOf(t *testing.T, g sqlplan.Gateway) (url string, log *[]string) {
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

func scriptText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../testdata/sql", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestReadSQLThroughAGateway(t *testing.T) {
	const script = "join-before-window.sql"
	conversation := sqlplantest.Load(t, "../testdata/sql", "2.3.0")
	url, log := gatewayOf(t, conversation.Replay(script))
	a, err := readSQL(context.Background(), flinkapi.ClientOptions{URL: url}, script, scriptText(t, script))
	if err != nil {
		t.Fatal(err)
	}
	if got := sqlplantest.Found(a); len(got) != 1 || got[0] != "TM601 critical at 27:1" || a.Gateway != url || a.FlinkVersion != "2.3.0" {
		t.Errorf("%q, %+v", got, a)
	}
	if last := (*log)[len(*log)-1]; last != "DELETE /v2/sessions/s" {
		t.Errorf("the session is left open: %s", last)
	}
}

func TestReadSQLAlone(t *testing.T) {
	a, err := readSQL(context.Background(), flinkapi.ClientOptions{}, "precision.sql", scriptText(t, "precision.sql"))
	if err != nil || len(sqlplantest.Found(a)) != 1 || a.Gateway != "" || len(a.Incomplete) != 1 {
		t.Errorf("%v %+v", err, a)
	}
}

func TestReadSQLFailsPlainly(t *testing.T) {
	for _, c := range []struct {
		url, part string
		code      int
	}{
		{"http://127.0.0.1:1", "check that the SQL gateway runs there", 3},
		{"ftp://x", "--sql-gateway", 2},
	} {
		_, err := readSQL(context.Background(), flinkapi.ClientOptions{URL: c.url}, "job.sql", "SELECT 1")
		if err == nil || !strings.Contains(err.Error(), c.part) || strings.Contains(err.Error(), "\n") || code(err) != c.code {
			t.Errorf("%s: %v (exit %d)", c.url, err, code(err))
		}
	}
	jobmanager := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"errors":["Not found: /api_versions"]}`)
	}))
	defer jobmanager.Close()
	if _, err := readSQL(context.Background(), flinkapi.ClientOptions{URL: jobmanager.URL}, "job.sql", "SELECT 1"); !sqlgateway.IsNotGateway(err) {
		t.Errorf("a JobManager: %v", err)
	}
}

func TestReadSQLInterrupted(t *testing.T) {
	url, log := gatewayOf(t, sqlplantest.Load(t, "../testdata/sql", "2.3.0").Replay("over.sql"))
	ctx, cancel := context.WithCancel(context.Background())
	client, err := sqlgateway.New(sqlgateway.Options{Connection: flinkapi.ClientOptions{URL: url}})
	if err != nil {
		t.Fatal(err)
	}
	stop := func(g sqlplan.Gateway) sqlplan.Gateway { return stopping{g, cancel} }
	if _, err := explainSQL(ctx, client, "over.sql", "SELECT 1", stop); err != context.Canceled {
		t.Errorf("%v", err)
	}
	if last := (*log)[len(*log)-1]; last != "DELETE /v2/sessions/s" {
		t.Errorf("the session is left open: %s", last)
	}
}

// stopping ends its context at the first statement.
type stopping struct {
	sqlplan.Gateway
	cancel func()
}

func (s stopping) Run(ctx context.Context, statement string) ([][]string, error) {
	s.cancel()
	return s.Gateway.Run(ctx, statement)
}
