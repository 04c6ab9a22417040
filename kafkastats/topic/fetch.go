package topic

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// FetchSettings bound what is in flight: two answers of 2 MiB, 256 KiB a partition. Larger answers
// were no faster and took three times the memory; smaller ones wait for a distant broker.
func FetchSettings() []kgo.Opt {
	return []kgo.Opt{kgo.FetchMaxBytes(2 << 20), kgo.FetchMaxPartitionBytes(256 << 10), kgo.MaxConcurrentFetches(2), kgo.FetchMaxWait(500 * time.Millisecond)}
}
