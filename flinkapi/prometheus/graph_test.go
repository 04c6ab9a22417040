package prometheus

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"tidemark/flinkapi"
)

type counted struct{ times atomic.Int32 }

func (*counted) Name() string { return "counted" }

func (g *counted) Answers(_ context.Context, id, _ string) ([]flinkapi.Entry, string) {
	g.times.Add(1)
	return nil, "no " + id
}

func TestAGraphIsAskedOnceAboutEachJob(t *testing.T) {
	if AskedOnce(nil) != nil {
		t.Error("no graph became one")
	}
	of := &counted{}
	once := AskedOnce(AskedOnce(of))
	var wg sync.WaitGroup
	for range 8 {
		for _, id := range []string{"a", "b"} {
			wg.Go(func() {
				if _, why := once.Answers(t.Context(), id, ""); why != "no "+id {
					t.Errorf("%s: %s", id, why)
				}
			})
		}
	}
	wg.Wait()
	if n := of.times.Load(); n != 2 || once.Name() != "counted" {
		t.Errorf("%s was asked %d times", once.Name(), n)
	}
}
