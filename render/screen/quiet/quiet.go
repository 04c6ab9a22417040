// Package quiet keeps bubbletea from asking the terminal for its colours as soon as the program starts.
//
// bubbletea 1 asks in an init function, whatever the command, and waits five seconds for a terminal that does not
// answer; what was typed meanwhile is lost. It does not ask a terminal whose TERM is dumb. Go initializes packages in the order
// of their import paths once their imports are (Go specification, "Program initialization"): this one imports syscall
// alone and sorts before "time", which bubbletea needs, so it comes first.
package quiet

import "syscall"

const variable = "TERM"

var term, set = syscall.Getenv(variable)

func init() { put("dumb", true) }

// End gives TERM back. The package that imports bubbletea calls it when it is initialized.
func End() { put(term, set) }

func put(value string, set bool) {
	if !set {
		_ = syscall.Unsetenv(variable)
		return
	}
	_ = syscall.Setenv(variable, value) // where it fails, the terminal is asked
}
