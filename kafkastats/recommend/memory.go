package recommend

import (
	"runtime"
	"runtime/debug"
)

// readingMemory is where the garbage collector starts to work harder while a topic is read, in bytes.
// What a reading keeps stays far below; what it throws away would otherwise be let grow to twice that.
const readingMemory = 188 << 20

// fileMemory is the same for a file, which may name partitions by the ten thousand.
const fileMemory = 450 << 20

// boundMemory sets the limit unless GOMEMLIMIT did, and gives what puts it back.
func boundMemory(getenv func(string) string, most int64) (restore func()) {
	if getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	before := debug.SetMemoryLimit(most)
	return func() {
		debug.SetMemoryLimit(before)
		var now runtime.MemStats
		if runtime.ReadMemStats(&now); now.HeapAlloc > uint64(most)/2 {
			runtime.GC() // writing the answer needs room of its own
		}
	}
}
