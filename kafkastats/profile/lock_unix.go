//go:build unix

package profile

import (
	"os"
	"syscall"
)

// lock keeps other observers out until the file is closed, also by a kill.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
