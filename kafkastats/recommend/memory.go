package recommend

import (
	"runtime"
	"runtime/debug"
)

// readingMemory is the heap size, in bytes, from which on the garbage collector works harder
// while a topic is read. What a reading keeps is far below; without the limit, garbage could grow
// to twice that.
const readingMemory = 188 << 20

// fileMemory is the same for a file, which may name tens of thousands of partitions.
const fileMemory = 450 << 20

// boundMemory sets the limit unless GOMEMLIMIT did, and returns a function that restores the old
// one.
func boundMemory(getenv func(string) string, most int64) (restore func()) {
	if getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	before := debug.SetMemoryLimit(most)
	return func() {
		debug.SetMemoryLimit(before)
		var now runtime.MemStats
		if runtime.ReadMemStats(&now); now.HeapAlloc > uint64(most)/2 {
			runtime.GC() // writing the answer also needs memory
		}
	}
}
