//go:build unix

package contexts

import (
	"os/exec"
	"syscall"
)

// ownGroup starts c as its own process group: its children end with it, and an interrupt of the
// terminal does not reach it.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup asks the process group to end, or kills it. It does nothing if the group has ended.
func endGroup(c *exec.Cmd, kill bool) {
	signal := syscall.SIGTERM
	if kill {
		signal = syscall.SIGKILL
	}
	_ = syscall.Kill(-c.Process.Pid, signal)
}
