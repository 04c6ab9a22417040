package screen

import (
	"encoding/json"
	"fmt"
	"io"

	"tidemark/internal/units"
	"tidemark/render/safe"
)

// Lines tells, where there is no terminal, what changes: one line each, as text or as JSON. The first reading
// tells every job.
type Lines struct {
	W    io.Writer
	JSON bool

	s State
}

// lost is the line for a cluster that does not answer, in the shape of a Change.
type lost struct {
	At    string `json:"at"`
	Error string `json:"error"`
}

// Take writes what a reading changes.
func (l *Lines) Take(r Reading) error {
	silent := l.s.Failed != nil
	changes := l.s.Take(r)
	if r.Err != nil {
		if silent {
			return nil // said already
		}
		if l.JSON {
			return l.object(lost{units.Time(r.At.UnixMilli()), r.Err.Error()})
		}
		_, err := fmt.Fprintf(l.W, "%s  no answer: %s\n", units.Clock(r.At.UnixMilli()), safe.Clean(r.Err.Error()))
		return err
	}
	if silent && !l.JSON {
		if _, err := fmt.Fprintf(l.W, "%s  answers again\n", units.Clock(r.At.UnixMilli())); err != nil {
			return err
		}
	}
	for _, c := range changes {
		if l.JSON {
			if err := l.object(c); err != nil {
				return err
			}
			continue
		}
		if _, err := fmt.Fprintf(l.W, "%s  %s\n", units.Clock(c.At.UnixMilli()), c); err != nil {
			return err
		}
	}
	return nil
}

func (l *Lines) object(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(l.W, "%s\n", b)
	return err
}
