package cmd

import (
	"os"
	"os/exec"
	"testing"

	"tidemark/internal/testmain"
)

// asTidemark makes the test binary behave as tidemark: what tests run as a process needs no other build.
const asTidemark = "TIDEMARK_TEST_IS_TIDEMARK"

func TestMain(m *testing.M) {
	if os.Getenv(asTidemark) != "" {
		os.Exit(Main(os.Args[1:], OS()))
	}
	os.Exit(testmain.Runner{M: m, Parallel: 4}.Run()) // each has its brokers
}

// tidemark is a process of its own, without the configuration of whoever runs the tests.
func tidemark(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Env = append(os.Environ(), asTidemark+"=1", "TIDEMARK_CONFIG=", "XDG_CONFIG_HOME="+t.TempDir())
	return c
}
