// Package testmain runs the tests of packages that read many recordings or wait for servers.
package testmain

import (
	"cmp"
	"flag"
	"runtime/debug"
	"strconv"
	"testing"
)

// Runner runs more parallel tests at a time than there are cores, unless -parallel is given, and
// collects garbage less often: a test binary ends before that would save memory.
type Runner struct {
	*testing.M
	Parallel int // 0 = 8
}

// Run is the exit code of the tests.
func (r Runner) Run() int {
	if err := flag.Set("test.parallel", strconv.Itoa(cmp.Or(r.Parallel, 8))); err != nil { // parsed later: one that is given counts
		panic(err)
	}
	debug.SetGCPercent(300)
	return r.M.Run()
}
