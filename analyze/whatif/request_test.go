package whatif

import (
	"testing"

	"tidemark/engine"
	"tidemark/kafkastats/record"
)

// A key beyond the Basic Multilingual Plane is two chars to Java: "😀".hashCode() is 1772899.
func TestAKeyIsHashedAsJavaDoes(t *testing.T) {
	for text, java := range map[string]int32{"": 0, "a": 97, "orders": -1008770331, "é": 233, "😀": 1772899} {
		k := uint64((&store{}).keyOf(&record.Raw{Key: []byte(text)}))
		if got := int32(k>>32) ^ int32(k); got != java || engine.JavaHash(text) != java {
			t.Errorf("%q: %d and %d, want %d", text, got, engine.JavaHash(text), java)
		}
	}
}
