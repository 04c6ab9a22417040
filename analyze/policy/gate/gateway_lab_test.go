//go:build lab

package gate

import (
	"context"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/analyze/sqlplan"
	"tidemark/flinkapi"
	"tidemark/flinkapi/sqlgateway"
	"tidemark/internal/sqlplantest"
)

const sqlScripts = "../../../testdata/sql"

// Every script has its verdict on a real gateway, of whichever version runs:
//
//	testdata/lab/lab up --gateway-only 1.20.3
//	TIDEMARK_LAB_GATEWAY=http://127.0.0.1:18083 go test -tags lab -run TestSQLScriptsOnLiveGateway ./analyze/policy/gate
//
// With TIDEMARK_RECORD_SQL=1 the conversation is kept for the tests that run without a gateway; with
// -run TestSQLScriptsOnLiveGateway/name.sql that of one script is recorded again.
func TestSQLScriptsOnLiveGateway(t *testing.T) {
	url := os.Getenv("TIDEMARK_LAB_GATEWAY")
	if url == "" {
		t.Skip("TIDEMARK_LAB_GATEWAY names no SQL gateway")
	}
	client, err := sqlgateway.New(sqlgateway.Options{Connection: flinkapi.ClientOptions{URL: url}})
	if err != nil {
		t.Fatal(err)
	}
	info, err := client.Info(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s %s at %s", info.Product, info.Version, client.URL())
	kept := sqlplantest.Recording(t, sqlScripts, info.Version)
	for i, s := range sqlplantest.Scripts(t, sqlScripts) {
		rounds := 1
		if i%10 == 0 { // the same file twice: a session leaves nothing behind
			rounds = 2
		}
		t.Run(s.Name, func(t *testing.T) {
			for round := range rounds {
				through := func(g sqlplan.Gateway) sqlplan.Gateway { return g }
				if round == 0 {
					through = func(g sqlplan.Gateway) sqlplan.Gateway { return kept.Record(s.Name, g) }
				}
				answer, err := explainSQL(context.Background(), client, s.Name, s.Text, through)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(s.Want(info.Version), sqlplantest.Found(answer)); diff != "" {
					t.Errorf("round %d (-want +found):\n%s%s", round+1, diff, summaries(answer))
				}
			}
		})
	}
	if os.Getenv("TIDEMARK_RECORD_SQL") != "" {
		if err := kept.Save(sqlScripts); err != nil {
			t.Fatal(err)
		}
	}
}

func summaries(a sqlplan.Answer) (out string) {
	for _, f := range a.Findings {
		out += f.Code + " " + f.Location.String() + " " + f.Summary + "\n"
	}
	for _, q := range a.Queries {
		out += string(q.Kind) + " " + q.Name + ": " + string(q.Status) + " " + q.Reason + "\n"
	}
	for _, i := range a.Incomplete {
		out += "incomplete: " + i + "\n"
	}
	return out
}
