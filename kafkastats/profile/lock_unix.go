//go:build unix

package profile

import (
	"os"
	"syscall"
)

// lock excludes other observers until the file is closed, even by a kill.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
