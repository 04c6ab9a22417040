package recommend

import "runtime/debug"

// readingMemory is where the garbage collector starts to work harder while a topic is read, in bytes.
// What a reading keeps stays far below; what it throws away would otherwise be let grow to twice that.
const readingMemory = 200 << 20

// boundMemory sets the limit unless GOMEMLIMIT did, and gives what puts it back.
func boundMemory(getenv func(string) string) (restore func()) {
	if getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	before := debug.SetMemoryLimit(readingMemory)
	return func() { debug.SetMemoryLimit(before) }
}
