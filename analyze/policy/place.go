package policy

import (
	"fmt"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/internal/near"
)

// Error is one mistake in a policy: where, what, what to do.
type Error struct {
	At   Location
	Text string
}

func (e Error) Error() string { return e.At.String() + ": " + e.Text }

// Errors are all mistakes of a policy, in the order of its lines.
type Errors []Error

func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// quote puts foreign text in a message, cut to a readable length.
func quote(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most-20]) + "…" + string(r[len(r)-19:])
	}
	return fmt.Sprintf("%q", s)
}

// hint ends a message about an unknown word.
func hint(want string, known []string) string {
	if alike := near.Meant(want, known); len(alike) > 0 {
		return "near: " + strings.Join(alike, ", ")
	}
	if len(known) > 30 {
		return "`tidemark checks` lists them"
	}
	return "there are " + strings.Join(known, ", ")
}

// checkNames lists the codes and causes of every check that a policy can name, former causes last.
func checkNames() []string {
	var names, former []string
	for _, c := range catalog.Checks() {
		if !c.Measured {
			names, former = append(names, c.Code, c.Cause), append(former, c.Former...)
		}
	}
	return append(names, former...)
}
