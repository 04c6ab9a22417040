package triage

import (
	"context"
	"net/http/httptest"
	"testing"

	"tidemark/flinkapi"
	"tidemark/internal/flinktest"
)

// synthetic is a cluster with its own clock and one healthy job.
func synthetic(t *testing.T, name, job string) Named {
	t.Helper()
	clock := flinktest.NewClock(1_796_000_000_000)
	srv := httptest.NewServer(flinktest.NewSynthetic(flinktest.SyntheticOptions{Now: clock.Now, JobName: job}))
	t.Cleanup(srv.Close)
	client, err := flinkapi.NewClient(flinkapi.ClientOptions{URL: srv.URL, Now: clock.Now, Sleep: clock.Sleep})
	if err != nil {
		t.Fatal(err)
	}
	return Named{Name: name, Client: client}
}

func TestClustersAreReadInParallel(t *testing.T) {
	res, err := RunEach(context.Background(), Defaults(), []Named{synthetic(t, "dev", "fine"), synthetic(t, "prod", "orders")})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, j := range res.Report.Jobs {
		got = append(got, j.Context+"/"+j.Name+" "+string(j.Verdict))
	}
	if len(got) != 2 || got[0] != "dev/fine healthy" || got[1] != "prod/orders healthy" {
		t.Errorf("%q", got)
	}
	if c := res.Report.Contexts; len(c) != 2 || c[0].Name != "dev" || c[1].Name != "prod" || c[0].URL == c[1].URL || c[1].FlinkVersion == "" {
		t.Errorf("%+v", c)
	}
}
