package safe

import (
	"bytes"
	"regexp"
	"strings"
)

// The log of a build is searched for commands: GitHub's runner executes a line that starts with :: after blanks, and ##[
// anywhere in a line; Azure's agent ##vso[. A name of a job or topic must never become one (actions/runner,
// ActionCommand).
var (
	commandMark = regexp.MustCompile(`##(vso)?\[`)
	commandWord = regexp.MustCompile(`(^| )::`)
	commandLine = regexp.MustCompile(`(?m)^((?:[ \t]|\x1b\[[0-9;]*m)*)::`)
)

// isCommand reports text that a build would execute as lines of its log.
func isCommand(s string) bool { return commandMark.MatchString(s) || commandLine.MatchString(s) }

// defuseWords makes foreign text of one line harmless wherever a line may be broken: the mark of a
// command becomes a visible escape.
func defuseWords(s string) string {
	if strings.Contains(s, "::") {
		s = commandWord.ReplaceAllString(s, `${1}\x3a:`)
	}
	if strings.Contains(s, "##") {
		s = commandMark.ReplaceAllString(s, `\x23#$1[`)
	}
	return s
}

// Defuse does the same for whole output: for words that wrapping has split, and for marks that only arise when parts are
// joined.
func Defuse(text []byte) []byte {
	if bytes.Contains(text, []byte("::")) {
		text = commandLine.ReplaceAll(text, []byte(`${1}\x3a:`))
	}
	return commandMark.ReplaceAll(text, []byte(`\x23#$1[`))
}
