package topic

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"
)

// pools lend the client memory for decompressed batches, and take it back once its records were
// yielded. Without them a reading of three million records allocates more than a gigabyte, and
// collecting that garbage costs as much as measuring.
type pools struct {
	packed, unpacked atomic.Uint64 // bytes of the batches so far, on the wire and decompressed
	text             shelves[byte]
	recs             shelves[kgo.Record]
}

// Limits of unused memory; a fetch of FetchSettings needs less.
const (
	spareBytes   = 16 << 20
	spareRecords = 128 << 10
)

func newPools() *pools {
	p := &pools{}
	p.text.room, p.recs.room = spareBytes, spareRecords
	return p
}

// OnFetchBatchRead learns the compression ratio, for GetDecompressBytes.
func (p *pools) OnFetchBatchRead(_ kgo.BrokerMetadata, _ string, _ int32, m kgo.FetchBatchMetrics) {
	p.packed.Add(uint64(m.CompressedBytes))
	p.unpacked.Add(uint64(m.UncompressedBytes))
}

// GetDecompressBytes implements kgo.PoolDecompressBytes. A guess that is too small only costs a copy.
func (p *pools) GetDecompressBytes(compressed []byte, _ kgo.CompressionCodecType) []byte {
	packed, unpacked := p.packed.Load(), p.unpacked.Load()
	guess := uint64(len(compressed)) * 4
	if packed > 0 {
		guess = uint64(float64(len(compressed)) * 1.1 * float64(unpacked) / float64(packed))
	}
	return p.text.get(int(min(guess, spareBytes)))
}

// PutDecompressBytes implements kgo.PoolDecompressBytes.
func (p *pools) PutDecompressBytes(b []byte) { p.text.put(b) }

// GetRecords implements kgo.PoolRecords.
func (p *pools) GetRecords(n int) []kgo.Record { return p.recs.get(n) }

// PutRecords implements kgo.PoolRecords.
func (p *pools) PutRecords(r []kgo.Record) { p.recs.put(r) }

// shelves keep slices by the power of two below their capacity.
type shelves[T any] struct {
	mu   sync.Mutex
	by   [48][][]T
	room int // elements that may still be kept
}

// get gives an empty slice with a capacity of at least n.
func (s *shelves[T]) get(n int) []T {
	n = max(n, 1)
	class := bits.Len(uint(n)) - 1
	s.mu.Lock()
	defer s.mu.Unlock()
	// Twice the size is acceptable; beyond that a small batch would occupy a large slice.
	for c := class; c < min(class+2, len(s.by)); c++ {
		shelf := s.by[c]
		for i := len(shelf) - 1; i >= 0; i-- {
			if v := shelf[i]; cap(v) >= n {
				last := len(shelf) - 1
				shelf[i], shelf[last] = shelf[last], nil
				s.by[c] = shelf[:last]
				s.room += cap(v)
				return v[:0]
			}
		}
	}
	return make([]T, 0, n+n/8)
}

func (s *shelves[T]) put(v []T) {
	if cap(v) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.room < cap(v) {
		return
	}
	s.room -= cap(v)
	class := bits.Len(uint(cap(v))) - 1
	s.by[class] = append(s.by[class], v[:0])
}
