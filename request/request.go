// Package request holds what the requests of all capabilities share: the process that they run
// in, the settings that flags and policies fill, and the mistake that names the wrong setting.
package request

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// Process is what a request needs from the process that runs it.
type Process struct {
	In     io.Reader // standard input, for a file named -
	Now    func() time.Time
	Getenv func(string) string
	Note   func(line string) // for messages to the user, apart from the result
	Detail func(line string) // for details of a reading (-v)
	Step   func(text string) // for what the request waits for; each call replaces the last
}

// Background is a process without standard input or environment, on the system clock, that drops
// all messages.
func Background() Process {
	none := func(string) {}
	return Process{In: eof{}, Now: time.Now, Getenv: func(string) string { return "" }, Note: none, Detail: none, Step: none}
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// Mistake is a setting that must be changed before the request can run.
type Mistake struct {
	Setting string // name of the setting, as a flag without dashes; empty: the request as a whole
	Item    int    // index of the value, for a setting that repeats
	In      string // where the setting is, such as strategy "sql"; empty: the request
	Err     error  // continues a sentence that begins with the setting
}

// Error is the message with the setting spelled as a flag.
func (m *Mistake) Error() string {
	if m.Setting == "" || m.In != "" {
		return m.Plain()
	}
	return "--" + m.Plain()
}

// Plain is the message with the setting spelled as a key of a file.
func (m *Mistake) Plain() string {
	text := m.Err.Error()
	if m.Setting != "" {
		text = m.Setting + " " + text
	}
	if m.In != "" {
		text = m.In + ": " + text
	}
	return text
}

func (m *Mistake) Unwrap() error { return m.Err }

// Wrong is the mistake of a setting; the text continues a sentence that begins with the setting.
func Wrong(setting, format string, a ...any) error {
	return &Mistake{Setting: setting, Err: fmt.Errorf(format, a...)}
}

// Bad is a mistake of the request as a whole; nil for nil. A Mistake stays as it is.
func Bad(err error) error {
	var m *Mistake
	if err == nil || errors.As(err, &m) {
		return err
	}
	return &Mistake{Err: err}
}

// Badf is Bad of a message.
func Badf(format string, a ...any) error { return Bad(fmt.Errorf(format, a...)) }

// Missing is a mistake where a named file does not exist; other errors, and nil, stay as they are.
func Missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return Bad(err)
	}
	return err
}

// In says where the setting of a mistake is; other errors stay as they are.
func In(what string, err error) error {
	var m *Mistake
	if !errors.As(err, &m) {
		return err
	}
	in := *m
	in.In = what
	return &in
}

// Plain is the text of an error; a Mistake is written without dashes.
func Plain(err error) string {
	var m *Mistake
	if errors.As(err, &m) {
		return m.Plain()
	}
	return err.Error()
}
