package record

import (
	"errors"
	"slices"
)

var errEnough = errors.New("enough")

// Head returns copies of the first n records that read yields, and stops it there.
func Head(n int, read func(yield func(*Raw) error) error) ([]Raw, error) {
	var out []Raw
	err := read(func(r *Raw) error {
		c := *r
		c.Key, c.Value, c.Headers = slices.Clone(r.Key), slices.Clone(r.Value), slices.Clone(r.Headers)
		for i, h := range c.Headers {
			c.Headers[i].Value = slices.Clone(h.Value)
		}
		if out = append(out, c); len(out) >= n {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return out, err
}
