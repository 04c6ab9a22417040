// Package request holds what the requests of all capabilities share: the process that they run in, the
// settings that flags and policies fill, and the mistake that names the setting at fault.
package request

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// Process is what a request takes from the process that runs it.
type Process struct {
	In     io.Reader // standard input, for a file named -
	Now    func() time.Time
	Getenv func(string) string
	Note   func(line string) // something a person should know beside the result
	Detail func(line string) // how a reading goes on, for who wants to know
	Step   func(text string) // what is being waited for, replaced by the next step
}

// Background is a process without standard input, environment and reader, by the clock of the system.
func Background() Process {
	none := func(string) {}
	return Process{In: eof{}, Now: time.Now, Getenv: func(string) string { return "" }, Note: none, Detail: none, Step: none}
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// Mistake is a setting that has to be changed before the request can be carried out.
type Mistake struct {
	Setting string // name of the setting, as a flag without dashes; empty: the request as a whole
	Item    int    // of a setting that repeats, from 0
	In      string // what the setting is of, such as strategy "sql"; empty: the request
	Err     error  // goes on from the name of the setting
}

// Error names the setting as the flag it is.
func (m *Mistake) Error() string {
	if m.Setting == "" || m.In != "" {
		return m.Plain()
	}
	return "--" + m.Plain()
}

// Plain names the setting as the key of a file does.
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

// Wrong is the mistake of a setting; the text goes on from its name.
func Wrong(setting, format string, a ...any) error {
	return &Mistake{Setting: setting, Err: fmt.Errorf(format, a...)}
}

// Bad is a mistake of the request as a whole; nil for nil. An error that is a mistake stays as it is.
func Bad(err error) error {
	var m *Mistake
	if err == nil || errors.As(err, &m) {
		return err
	}
	return &Mistake{Err: err}
}

// In says where the setting of a mistake belongs; other errors stay as they are.
func In(what string, err error) error {
	var m *Mistake
	if !errors.As(err, &m) {
		return err
	}
	in := *m
	in.In = what
	return &in
}

// Plain is the text of an error, that of a mistake without dashes.
func Plain(err error) string {
	var m *Mistake
	if errors.As(err, &m) {
		return m.Plain()
	}
	return err.Error()
}
