// Package cmd is the command line: one file per command, each with its options and its run function.
package cmd

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tidemark/contexts"
)

// env is everything a command takes from the process it runs in.
type env struct {
	In       io.Reader
	Out, Err io.Writer
	Now      func() time.Time
	Getenv   func(string) string
	// Sleep waits between two samples of a cluster and moves Now; nil: a timer, by the wall clock.
	Sleep func(ctx context.Context, d time.Duration) error
	// IsTerminal reports whether a stream is a terminal.
	IsTerminal func(stream any) bool
	// HomeDir is where the configuration directory lies without XDG_CONFIG_HOME.
	HomeDir func() (string, error)
}

// OS is the env of the real process.
func OS() env {
	return env{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Now: time.Now, Getenv: os.Getenv, IsTerminal: isTerminal, HomeDir: os.UserHomeDir,
	}
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// signals are those that end a command. Under nohup the end of the terminal is none.
func signals() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// Root is the command line as it documents itself: for man pages and completions.
func Root() *cobra.Command { return newRoot(&globals{env: OS()}) }

// Main runs the command line and returns the exit code.
func Main(args []string, e env) int {
	ctx, stop := signal.NotifyContext(context.Background(), signals()...)
	defer stop()
	g := &globals{env: e, tunnels: &contexts.Tunnels{}}
	defer g.tunnels.Close()
	context.AfterFunc(ctx, func() {
		g.tunnels.Close()
		stop() // a second interrupt ends the process at once
	})
	root := newRoot(g)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	return finish(g, ctx, err)
}
