package engine

// Ship is the ship strategy between two operators: it decides which channel a record takes.
// Watermarks and statuses always go to every connected channel.
type Ship uint8

const (
	// Forward connects subtask i to subtask i.
	Forward Ship = iota
	// Hash sends a record to the subtask that owns its key group.
	Hash
	// Rebalance sends records round-robin.
	Rebalance
	// Broadcast sends every record to every subtask.
	Broadcast
)

// String is the ship strategy as Flink's plan prints it.
func (s Ship) String() string {
	return [...]string{"FORWARD", "HASH", "REBALANCE", "BROADCAST"}[s]
}

// DefaultMaxParallelism is KeyGroupRangeAssignment.computeDefaultMaxParallelism.
func DefaultMaxParallelism(parallelism int) int {
	power := 1
	for power < parallelism+parallelism/2 {
		power *= 2
	}
	return min(max(power, 128), 1<<15)
}

// KeySubtask is the subtask that owns a key of Java type Long
// (KeyGroupRangeAssignment.assignKeyToParallelOperator).
func KeySubtask(key int64, parallelism, maxParallelism int) int {
	group := int(murmur(int32(uint64(key)^uint64(key)>>32)) % int32(maxParallelism))
	return group * parallelism / maxParallelism
}

// murmur is MathUtils.murmurHash: 32-bit Murmur3 of one word, made non-negative.
func murmur(code int32) int32 {
	h := uint32(code) * 0xcc9e2d51
	h = h<<15 | h>>17
	h *= 0x1b873593
	h = h<<13 | h>>19
	h = h*5 + 0xe6546b64
	h ^= 4
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	h ^= h >> 16
	switch signed := int32(h); {
	case signed >= 0:
		return signed
	case signed != -1<<31:
		return -signed
	default:
		return 0
	}
}
