package checks

import "testing"

// Only an offset that some zone has is called one: 2 h 15 min is none, 5 h 45 min is Nepal's.
func TestOnlyOffsetsOfZonesAreCalledSo(t *testing.T) {
	for quarters, want := range map[int]bool{4: true, -32: true, 22: true, 23: true, -51: true, 9: false, -9: false, 1: false, 50: false} {
		if isZone(quarters) != want {
			t.Errorf("%d quarters of an hour: %v", quarters, !want)
		}
	}
}
