package topic

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// FetchSettings limit what is in flight: two answers of 4 MiB, 512 KiB per partition. Larger
// answers were not faster and needed three times the memory; smaller ones are slow with a distant
// broker.
func FetchSettings() []kgo.Opt {
	return []kgo.Opt{kgo.FetchMaxBytes(4 << 20), kgo.FetchMaxPartitionBytes(512 << 10), kgo.MaxConcurrentFetches(2), kgo.FetchMaxWait(500 * time.Millisecond)}
}
