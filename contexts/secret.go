package contexts

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Secret is where a secret comes from: the first of its sources that is set wins.
type Secret struct {
	What    string // "token", for messages
	File    string
	Env     string
	Command []string
}

// commandTimeout bounds a command that prints a secret; it may open a browser.
const commandTimeout = 60 * time.Second

// commandGrace is how long children of the command may keep its output open after its end.
const commandGrace = time.Second

// Read returns the secret, "" where no source is set. Messages name the source and never its text.
func (s Secret) Read(ctx context.Context, getenv func(string) string) (string, error) {
	switch {
	case s.File != "":
		text, err := os.ReadFile(s.File)
		if err != nil {
			return "", mistakef("%s file cannot be read: %w", s.What, err)
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
			return "", mistakef("%s command %q gave nothing in %s", s.What, s.Command[0], commandTimeout)
		}
		// An agent left behind with its output open does not spoil what was printed.
		if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
			return "", mistakef("%s command %q failed: %w", s.What, s.Command[0], err)
		}
		return s.full(string(out), "command "+s.Command[0])
	}
	return "", nil
}

// full refuses an empty secret: without it a request would go out unauthenticated and fail elsewhere.
func (s Secret) full(text, from string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", mistakef("%s from %s is empty", s.What, from)
	}
	if strings.ContainsAny(text, "\r\n") {
		return "", mistakef("%s from %s has several lines", s.What, from)
	}
	return text, nil
}
