//go:build unix

package contexts

import (
	"os/exec"
	"syscall"
)

// ownGroup starts c as a process group: what it starts ends with it, and an interrupt of the terminal is ours.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup asks the group to end, or kills it. One that has ended is none.
func endGroup(c *exec.Cmd, kill bool) {
	signal := syscall.SIGTERM
	if kill {
		signal = syscall.SIGKILL
	}
	_ = syscall.Kill(-c.Process.Pid, signal)
}
