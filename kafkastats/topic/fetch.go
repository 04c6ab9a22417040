package topic

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// FetchSettings bound what is in flight: two answers of 8 MiB, 1 MiB a partition, so that a reading
// is a good guest and its memory does not grow with the topic.
func FetchSettings() []kgo.Opt {
	return []kgo.Opt{kgo.FetchMaxBytes(8 << 20), kgo.FetchMaxPartitionBytes(1 << 20), kgo.MaxConcurrentFetches(2), kgo.FetchMaxWait(500 * time.Millisecond)}
}
