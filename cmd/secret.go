package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// secret is where a secret comes from: the first of its sources that is set wins.
type secret struct {
	what    string // "token", for messages
	file    string
	env     string
	command []string
}

// commandTimeout bounds a command that prints a secret; it may open a browser.
const commandTimeout = 60 * time.Second

// commandGrace is how long children of the command may keep its output open after its end.
const commandGrace = time.Second

// read returns the secret, "" where no source is set. Messages name the source and never its text.
func (s secret) read(ctx context.Context, getenv func(string) string) (string, error) {
	switch {
	case s.file != "":
		text, err := os.ReadFile(s.file)
		if err != nil {
			return "", usagef("%s file cannot be read: %w", s.what, err)
		}
		return s.full(string(text), s.file)
	case s.env != "":
		return s.full(getenv(s.env), "environment variable "+s.env)
	case len(s.command) > 0:
		ctx, cancel := context.WithTimeout(ctx, commandTimeout)
		defer cancel()
		c := exec.CommandContext(ctx, s.command[0], s.command[1:]...)
		c.WaitDelay = commandGrace
		out, err := c.Output()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return "", usagef("%s command %q gave nothing in %s", s.what, s.command[0], commandTimeout)
		}
		// An agent left behind with its output open does not spoil what was printed.
		if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
			return "", usagef("%s command %q failed: %w", s.what, s.command[0], err)
		}
		return s.full(string(out), "command "+s.command[0])
	}
	return "", nil
}

// full refuses an empty secret: without it a request would go out unauthenticated and fail elsewhere.
func (s secret) full(text, from string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", usagef("%s from %s is empty", s.what, from)
	}
	if strings.ContainsAny(text, "\r\n") {
		return "", usagef("%s from %s has several lines", s.what, from)
	}
	return text, nil
}

// headerMap reads --header values: 'Name: value', or 'Name: @FILE' for a value that is a secret.
func headerMap(headers []string) (map[string]string, error) {
	m := map[string]string{}
	for i, h := range headers {
		name, value, ok := strings.Cut(h, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" {
			return nil, usagef("--header number %d is not 'Name: value'", i+1)
		}
		if file, isFile := strings.CutPrefix(value, "@"); isFile {
			s := secret{what: fmt.Sprintf("header %s", name), file: file}
			text, err := s.read(context.Background(), nil)
			if err != nil {
				return nil, err
			}
			value = text
		}
		m[name] = value
	}
	return m, nil
}
