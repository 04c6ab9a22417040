package decode

import (
	"testing"

	"tidemark/kafkastats/record"
)

// BenchmarkJSONNumber is the commonest record there is: a flat object with its time in the middle.
// The second path cannot be scanned, so gjson reads it: the reference next to it.
func BenchmarkJSONNumber(b *testing.B) {
	value := []byte(`{"id":123456,"customer":"c-1234567","amount":123.45,"currency":"EUR","event_time":1796000000000,"note":"d9f1c7f5e1a2b3c4 some text that makes the record as long as records are"}`)
	for name, path := range map[string]string{"scan": "event_time", "gjson": "event_tim?"} {
		b.Run(name, func(b *testing.B) {
			e, err := New(b.Context(), Options{Format: JSON, Field: path})
			if err != nil {
				b.Fatal(err)
			}
			raw := record.Raw{Value: value}
			for b.Loop() {
				if p, err := e.Point(&raw); err != nil || p.Event != 1_796_000_000_000 {
					b.Fatal(p, err)
				}
			}
		})
	}
}
