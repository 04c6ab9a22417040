package cmd

import (
	"io"
	"time"
)

// env is what a command may touch of the world.
type env struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	Now    func() time.Time
	Getenv func(string) string
}

// globals are the flags every command has.
type globals struct {
	env
	Context string
	Output  string
	Timeout time.Duration
	Color   string
	Verbose bool
}

// exitError carries the exit code of a failure: 1 findings, 2 usage, 3 incomplete, 130 interrupted.
type exitError struct {
	Code int
	Err  error
}

func (e *exitError) Error() string { return e.Err.Error() }
func (e *exitError) Unwrap() error { return e.Err }
