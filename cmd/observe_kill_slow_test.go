//go:build slow

package cmd

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

func TestObserveKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(4, "orders"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	killMany(t, []kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...)}, "orders", 4, 12, "--brokers", c.ListenAddrs()[0])
}
