package whatif

import (
	"hash/fnv"

	"tidemark/engine"
	"tidemark/kafkastats/record"
)

// store holds the records that are read, in logs by split.
type store struct {
	logs  map[string]*Log
	key   func(*record.Raw) (string, error)
	keyed bool
}

func (s *store) take(split string, r *record.Raw, event int64) {
	l := s.logs[split]
	if l == nil {
		l = &Log{}
		s.logs[split] = l
		for _, one := range s.logs {
			one.most = max(mostRecords/2/len(s.logs), 1000)
		}
	}
	arrival := r.Timestamp
	if r.Type == record.NoTimestamp {
		arrival = 0
	}
	l.add(entry{r.Offset, arrival, event, s.keyOf(r)})
}

// keyOf is a record's key as 64 bits. Folded to 32 bits, as Java's Long hashes, they are the hash code of the text as a Java
// String, which decides the subtask; the upper half tells apart keys with the same hash code.
func (s *store) keyOf(r *record.Raw) int64 {
	text := string(r.Key)
	if s.key != nil {
		one, err := s.key(r)
		if err != nil {
			return 0
		}
		text = one
	} else if r.Key == nil {
		return 0
	}
	s.keyed = true
	h := fnv.New32a()
	h.Write([]byte(text))
	java := uint32(engine.JavaHash(text))
	high := h.Sum32()
	return int64(uint64(high)<<32 | uint64(java^high))
}
