// Package testmain runs the tests of packages that read many recordings or wait for servers.
package testmain

import (
	"flag"
	"runtime/debug"
	"testing"
)

// Runner runs more parallel tests at a time than there are cores, unless -parallel was given, and
// collects garbage less often: a test binary ends before it would pay.
type Runner struct{ *testing.M }

// Run is the exit code of the tests.
func (r Runner) Run() int {
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		if err := f.Value.Set("8"); err != nil {
			panic(err)
		}
	}
	debug.SetGCPercent(300)
	return r.M.Run()
}
