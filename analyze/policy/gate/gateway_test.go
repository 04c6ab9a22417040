package gate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/analyze/sqlplan"
	"tidemark/flinkapi"
	"tidemark/flinkapi/sqlgateway"
	"tidemark/internal/sqlplantest"
	"tidemark/request"
)

func scriptText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../testdata/sql", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestReadSQLThroughAGateway(t *testing.T) {
	const script = "join-before-window.sql"
	conversation := sqlplantest.Load(t, "../../../testdata/sql", "2.3.0")
	url, log := sqlplantest.Serve(t, conversation.Replay(script))
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
		mistake   bool
	}{
		{"http://127.0.0.1:1", "check that the SQL gateway runs there", false},
		{"ftp://x", "--sql-gateway", true},
	} {
		_, err := readSQL(context.Background(), flinkapi.ClientOptions{URL: c.url}, "job.sql", "SELECT 1")
		if err == nil || !strings.Contains(err.Error(), c.part) || strings.Contains(err.Error(), "\n") || errors.As(err, new(*request.Mistake)) != c.mistake {
			t.Errorf("%s: %v", c.url, err)
		}
	}
	jobmanager := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"errors":["Not found: /api_versions"]}`)
	}))
	defer jobmanager.Close()
	if _, err := readSQL(context.Background(), flinkapi.ClientOptions{URL: jobmanager.URL}, "job.sql", "SELECT 1"); !errors.Is(err, sqlgateway.NotGateway) {
		t.Errorf("a JobManager: %v", err)
	}
}

func TestReadSQLInterrupted(t *testing.T) {
	url, log := sqlplantest.Serve(t, sqlplantest.Load(t, "../../../testdata/sql", "2.3.0").Replay("over.sql"))
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
