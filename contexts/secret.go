package contexts

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	"tidemark/internal/units"
	"tidemark/request"
)

// Secret names the sources of a secret; the first one that is set is used.
type Secret struct {
	What    string // "token", for messages
	File    string
	Env     string
	Command []string
}

// commandTimeout limits a command that prints a secret; it may open a browser.
const commandTimeout = 60 * time.Second

// commandGrace is how long children of the command may keep its output open after it ended.
const commandGrace = time.Second

// Read returns the secret, "" if no source is set. Messages name the source, never the secret.
func (s Secret) Read(ctx context.Context, getenv func(string) string) (string, error) {
	switch {
	case s.File != "":
		text, err := os.ReadFile(s.File)
		if err != nil {
			return "", request.Badf("%s file cannot be read: %w", s.What, err)
		}
		return s.full(string(text), s.File)
	case s.Env != "":
		return s.full(getenv(s.Env), "environment variable "+s.Env)
	case len(s.Command) > 0:
		ctx, cancel := context.WithTimeout(ctx, commandTimeout)
		defer cancel()
		c := exec.CommandContext(ctx, s.Command[0], s.Command[1:]...)
		c.WaitDelay = commandGrace
		out, err := c.Output()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return "", request.Badf("%s command %q printed nothing in %s", s.What, s.Command[0], units.Said(commandTimeout))
		}
		// A child that keeps the output open does not invalidate what was printed.
		if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
			return "", request.Badf("%s command %q failed: %w", s.What, s.Command[0], err)
		}
		return s.full(string(out), "command "+s.Command[0])
	}
	return "", nil
}

// full refuses an empty secret: without it, requests would be sent unauthenticated and fail
// elsewhere.
func (s Secret) full(text, from string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", request.Badf("%s from %s is empty", s.What, from)
	}
	if strings.ContainsAny(text, "\r\n") {
		return "", request.Badf("%s from %s has several lines", s.What, from)
	}
	return text, nil
}
