//go:build slow

package kafkastats

import (
	"runtime"
	"testing"

	"tidemark/kafkastats/measure"
)

// live is the largest heap that garbage collection cannot take back, looked at ten times.
func live(t *testing.T, records int) (most uint64) {
	n := 0
	out, err := MeasureRecords(t.Context(), stopped{stream{records: records, partitions: 8}, func() {
		if n++; n%(records/10) == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
	}}, reading(t, Options{Keep: 50_000, Measure: measure.Options{Windows: []int64{60_000}, EmitMs: 200}}))
	if err != nil || out.Measurement.Total().Records != uint64(records) {
		t.Fatal(err, out.Measurement.Total().Records)
	}
	return most
}

// Memory is a matter of time and partitions, not of records. What a file's head may hold is reached by
// both sizes.
func TestHeapDoesNotGrowWithRecords(t *testing.T) {
	n, more := headPoints+100_000, 5*headPoints
	few, many := live(t, n), live(t, more)
	t.Logf("%.1f MB live for %d records, %.1f MB for %d", float64(few)/1e6, n, float64(many)/1e6, more)
	if many > few+few/4+4<<20 {
		t.Errorf("%d bytes live with %d records, %d with %d", few, n, many, more)
	}
}
