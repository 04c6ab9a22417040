package engine

import "testing"

// Expected values come from KeyGroupRangeAssignment of flink-runtime 2.3.0.
func TestKeySubtask(t *testing.T) {
	keys := []int64{0, 1, 42, -7, 123456789012, None}
	for _, c := range []struct {
		parallelism, max int
		want             [6]int
	}{
		{3, 128, [6]int{2, 2, 0, 0, 2, 2}},
		{8, 128, [6]int{5, 5, 1, 1, 7, 6}},
		{200, 512, [6]int{186, 183, 11, 57, 148, 42}},
	} {
		for i, key := range keys {
			if got := KeySubtask(key, c.parallelism, c.max); got != c.want[i] {
				t.Errorf("key %d over %d: %d, want %d", key, c.parallelism, got, c.want[i])
			}
		}
	}
	for parallelism, want := range map[int]int{1: 128, 85: 128, 86: 256, 200: 512, 30000: 32768} {
		if got := DefaultMaxParallelism(parallelism); got != want {
			t.Errorf("parallelism %d: %d key groups, want %d", parallelism, got, want)
		}
	}
}

// Expected values come from Java's String.hashCode.
func TestKafkaOwner(t *testing.T) {
	for topic, first := range map[string]int{"orders": 3, "": 0, "t\u00e9l\u00e9": 5, "\U0001F600x": 0} {
		for partition := range int32(9) {
			want := (first + int(partition)) % 7
			if got := KafkaOwner(topic, partition, 7); got != want {
				t.Errorf("%q partition %d: subtask %d, want %d", topic, partition, got, want)
			}
		}
	}
}

func TestChannelSwallowsWhileIdle(t *testing.T) {
	out := &recorder{}
	c := NewChannel(out)
	c.EmitWatermark(5)
	c.EmitStatus(true)
	c.EmitStatus(true)
	c.EmitWatermark(9)
	c.EmitStatus(false)
	c.EmitWatermark(7)
	if len(out.watermarks) != 2 || len(out.statuses) != 2 || c.Last() != 7 {
		t.Fatalf("%v %v, last %d", out.watermarks, out.statuses, c.Last())
	}
}
