package sqlgateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"tidemark/flinkapi"
	"tidemark/flinkapi/sqlgateway"
)

// refusal is an answer of a gateway of Flink 2.3.0, with shortened stack traces.
const refusal = `{"errors":["Internal server error.","<Exception on server side:\norg.apache.flink.table.gateway.api.utils.SqlGatewayException: org.apache.flink.table.gateway.api.utils.SqlGatewayException: Failed to fetchResults.\n\tat a.B.c(B.java:91)\nCaused by: org.apache.flink.table.gateway.service.utils.SqlExecutionException: Failed to execute the operation aae4.\n\tat a.B.c(B.java:1)\nCaused by: org.apache.flink.table.api.ValidationException: Unable to create a source for reading table 'x'.\n\nTable options are:\n\n\n\tat a.B.c(B.java:1)\nCaused by: org.apache.flink.table.api.ValidationException: Table options do not contain\nan option key 'connector'.\n\tat a.B.c(B.java:9)\n\t... 7 more\n\nEnd of exception on server side>"]}`

const gone = `{"errors":["org.apache.flink.runtime.rest.handler.RestHandlerException: Failed.\n\tat a.B.c(B.java:67)\nCaused by: org.apache.flink.table.gateway.api.utils.SqlGatewayException: Session '1c2f' does not exist.\n\tat a.B.c(B.java:1)\n"]}`

// gateway is a fake of the protocol: operation "q" is ready at the third poll and has two pages.
type gateway struct {
	versions, prefix string
	status           int // for statements that contain "bad"
	answer           string
	mu               sync.Mutex
	log              []string
	looks            int
	secret           string
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, g.prefix)
	g.log = append(g.log, r.Method+" "+path)
	w.Header().Set("Content-Type", "application/json")
	if g.secret != "" && r.Header.Get("Authorization") != "Bearer "+g.secret {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"errors":["who are you"]}`)
		return
	}
	_, route, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch {
	case path == "/api_versions":
		fmt.Fprint(w, g.versions)
	case route == "info":
		fmt.Fprint(w, `{"productName":"Apache Flink","version":"1.18.1"}`)
	case r.Method == http.MethodDelete:
		fmt.Fprint(w, `{"status":"CLOSED"}`)
	case route == "sessions":
		fmt.Fprint(w, `{"sessionHandle":"s/1"}`)
	case strings.HasSuffix(path, "/statements"):
		var in struct{ Statement string }
		err := json.NewDecoder(r.Body).Decode(&in)
		switch {
		case err != nil || strings.Contains(in.Statement, "bad"):
			w.WriteHeader(g.status)
			fmt.Fprint(w, g.answer)
		case strings.HasPrefix(in.Statement, "SELECT"):
			fmt.Fprint(w, `{"operationHandle":"q"}`)
		case strings.HasPrefix(in.Statement, "EXPLAIN"):
			fmt.Fprint(w, `{"operationHandle":"late"}`)
		default:
			fmt.Fprint(w, `{"operationHandle":"set"}`)
		}
	case strings.Contains(path, "/operations/set/"):
		fmt.Fprint(w, `{"resultType":"EOS","results":{"columns":[{"name":"result"}],"data":[{"kind":"INSERT","fields":["OK"]}]}}`)
	case strings.Contains(path, "/operations/late/"): // refused only when its result is fetched
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, refusal)
	default:
		g.looks++
		switch uri := "http://elsewhere:1/v9/sessions/x/operations/q/result/"; g.looks {
		case 1, 2:
			fmt.Fprintf(w, `{"resultType":"NOT_READY","nextResultUri":"%s0?rowFormat=JSON"}`, uri)
		case 3:
			fmt.Fprintf(w, `{"resultType":"PAYLOAD","nextResultUri":"%s1?rowFormat=JSON","results":{"columns":[{"name":"a"},{"name":"b"}],"data":[{"kind":"INSERT","fields":[1,null]},{"kind":"INSERT","fields":[2,"x"]}]}}`, uri)
		default:
			fmt.Fprint(w, `{"resultType":"EOS","results":{"columns":[{"name":"a"},{"name":"b"}],"data":[{"kind":"INSERT","fields":[3,[1]]}]}}`)
		}
	}
}

func serve(t *testing.T, g *gateway, o sqlgateway.Options) *sqlgateway.Client {
	t.Helper()
	if g.versions == "" {
		g.versions = `{"versions":["V1","V2"]}`
	}
	srv := httptest.NewServer(g)
	t.Cleanup(srv.Close)
	o.Connection.URL = srv.URL + g.prefix + o.Connection.URL
	o.Connection.Sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	c, err := sqlgateway.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (g *gateway) last() string { return g.log[len(g.log)-1] }

func TestRunPagesAndCloses(t *testing.T) {
	g := &gateway{prefix: "/flink/sql"}
	c := serve(t, g, sqlgateway.Options{Connection: flinkapi.ClientOptions{URL: "/v1/"}})
	got, err := c.Run(context.Background(), []string{"SET 'a' = 'b'", "SELECT 1"})
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%s %s", got.Columns, got.Rows); text != `[a b] [[1 null] [2 "x"] [3 [1]]]` {
		t.Error(text)
	}
	if g.last() != "DELETE /v2/sessions/s/1" {
		t.Errorf("the session is left open: %v", g.log)
	}
	for _, want := range []string{"POST /v2/sessions/s/1/statements", "GET /v2/sessions/s/1/operations/q/result/1"} {
		if !strings.Contains(strings.Join(g.log, "\n"), want) {
			t.Errorf("no %s in %v", want, g.log)
		}
	}
}

func TestVersions(t *testing.T) {
	for answer, want := range map[string]string{
		`{"versions":["V1"]}`:                          "GET /v1/info",
		`{"versions":["V2","V1"]}`:                     "GET /v2/info",
		`{"versions":["V1","V2","V3"]}`:                "GET /v3/info",
		`{"versions":["V1","V2","V3","V4"]}`:           "GET /v4/info",
		`{"versions":["V1","V2","V3","V4","V5","V6"]}`: "GET /v4/info",
		`{"versions":["V7","no"]}`:                     "",
		`{}`:                                           "",
		`[]`:                                           "",
	} {
		g := &gateway{versions: answer}
		info, err := serve(t, g, sqlgateway.Options{}).Info(context.Background())
		switch {
		case want == "" && !errors.Is(err, sqlgateway.NotGateway):
			t.Errorf("%s: %v", answer, err)
		case want != "" && (err != nil || g.last() != want || info.Version != "1.18.1" || info.Product != "Apache Flink"):
			t.Errorf("%s: %v, %s, %+v", answer, err, g.last(), info)
		}
	}
}

func TestRefusedStatementNamesEveryCause(t *testing.T) {
	for _, statement := range []string{"bad", "EXPLAIN x"} {
		g := &gateway{status: 500, answer: refusal}
		_, err := serve(t, g, sqlgateway.Options{}).Run(context.Background(), []string{"SET 'a' = 'b'", statement})
		if !errors.Is(err, sqlgateway.Refused) || !strings.HasPrefix(err.Error(), "statement 2 of 2: SQL gateway http://127.0.0.1:") {
			t.Fatal(err)
		}
		if !strings.HasSuffix(err.Error(), ": Table options do not contain an option key 'connector'.") {
			t.Error(err)
		}
		e := asError(t, err)
		if len(e.Causes) != 4 || e.Statement != statement || e.Deepest().Class != "org.apache.flink.table.api.ValidationException" {
			t.Errorf("%d %q %+v", len(e.Causes), e.Statement, e.Deepest())
		}
		if m := e.Causes[2].Message; m != "Unable to create a source for reading table 'x'.\n\nTable options are:" {
			t.Errorf("%q", m)
		}
		if g.last() != "DELETE /v2/sessions/s/1" {
			t.Errorf("the session is left open: %v", g.log)
		}
	}
}

func asError(t *testing.T, err error) *sqlgateway.Error {
	t.Helper()
	for ; err != nil; err = unwrap(err) {
		if e, ok := err.(*sqlgateway.Error); ok {
			return e
		}
	}
	t.Fatal("no *sqlgateway.Error")
	return nil
}

func unwrap(err error) error {
	if u, ok := err.(interface{ Unwrap() error }); ok {
		return u.Unwrap()
	}
	return nil
}

func TestErrorKinds(t *testing.T) {
	html := func(status int, text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, text)
		})
	}
	for name, c := range map[string]struct {
		handler http.Handler
		kind    sqlgateway.Kind
		hint    string
	}{
		"jobmanager":     {html(404, `{"errors":["Not found: /api_versions"]}`), sqlgateway.NotGateway, "not of a JobManager"},
		"an old one":     {html(400, `{"errors":["Bad request"]}`), sqlgateway.NotGateway, "not of a JobManager"},
		"a page":         {html(200, "<!doctype html><html>hello</html>"), sqlgateway.NotGateway, "not of a JobManager"},
		"a page with /":  {html(404, "<html>nothing</html>"), sqlgateway.NotGateway, "not of a JobManager"},
		"cut off":        {html(200, `{"versions":["V1"`), sqlgateway.NotGateway, "not of a JobManager"},
		"proxy":          {html(503, "no backend"), sqlgateway.Unavailable, "try again"},
		"no credentials": {html(401, "{}"), sqlgateway.Unauthorized, "token"},
	} {
		srv := httptest.NewServer(c.handler)
		client, err := sqlgateway.New(sqlgateway.Options{Connection: flinkapi.ClientOptions{URL: srv.URL}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Run(context.Background(), []string{"SELECT 1"})
		srv.Close()
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.hint) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	dead, err := sqlgateway.New(sqlgateway.Options{Connection: flinkapi.ClientOptions{URL: "127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dead.Info(context.Background()); !errors.Is(err, sqlgateway.Unavailable) || !strings.Contains(err.Error(), "check that the SQL gateway runs there") {
		t.Errorf("a dead gateway: %v", err)
	}
	if _, err := sqlgateway.New(sqlgateway.Options{Connection: flinkapi.ClientOptions{URL: "ftp://x"}}); err == nil {
		t.Error("ftp is accepted")
	}
}

func TestLostSession(t *testing.T) {
	g := &gateway{status: 500, answer: gone}
	c := serve(t, g, sqlgateway.Options{})
	_, err := c.Run(context.Background(), []string{"bad"})
	if !errors.Is(err, sqlgateway.Unavailable) || !strings.Contains(err.Error(), "Session '1c2f' does not exist.") || !strings.Contains(err.Error(), "run again") {
		t.Error(err)
	}
}

func TestTokenTravelsAndIsMasked(t *testing.T) {
	const token = "t0k3n-very-secret"
	g := &gateway{secret: token, status: 500, answer: `{"errors":["a.B: you sent ` + token + `\n\tat x"]}`}
	c := serve(t, g, sqlgateway.Options{Connection: flinkapi.ClientOptions{Token: token}})
	if _, err := c.Run(context.Background(), []string{"SELECT 1"}); err != nil {
		t.Error(err)
	}
	_, err := c.Run(context.Background(), []string{"bad"})
	if !errors.Is(err, sqlgateway.Refused) || strings.Contains(err.Error(), token) {
		t.Error(err)
	}
}

func TestInterruptedRunClosesItsSession(t *testing.T) {
	g := &gateway{}
	ctx, cancel := context.WithCancel(context.Background())
	c := serve(t, g, sqlgateway.Options{})
	s, err := c.Open(ctx, map[string]string{"parallelism.default": "2"})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := s.Run(ctx, "SELECT 1"); err != context.Canceled {
		t.Errorf("%v", err)
	}
	if err := s.Close(ctx); err != nil || g.last() != "DELETE /v2/sessions/s/1" {
		t.Error(err, g.log)
	}
}

func TestOneLine(t *testing.T) {
	if got := sqlgateway.OneLine("a\n\n b\x1b[31m\u202ec\xff" + strings.Repeat("x", 600)); strings.ContainsAny(got, "\n\x1b\u202e") || len([]rune(got)) != 501 || !strings.HasPrefix(got, "a b [31m c�") {
		t.Errorf("%q", got)
	}
}
