package pseudonym

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tidemark/request"
)

const tableHead = "# What tidemark snapshot --redact replaced: the name it gave, then yours. Keep this file secret: whoever has it can restore your names.\n"

// Open loads the names of a file that Save wrote; if the file does not exist, it returns new
// ones.
func Open(path string) (*Names, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return nil, request.Badf("table of names cannot be written: %w", err)
		}
		return New(), nil
	}
	if err != nil {
		return nil, request.Badf("table of names cannot be read: %w", err)
	}
	n := &Names{used: map[string]string{}}
	for i, line := range strings.Split(string(text), "\n") {
		switch to, w, ok := strings.Cut(line, "\t"); {
		case line == "" || strings.HasPrefix(line, "#"):
		case !ok:
			return nil, request.Badf("%s:%d: no name, a tab and another name; name a file that snapshot --redact wrote, or one that is not there yet", path, i+1)
		case to == "seed":
			if n.seed, err = hex.DecodeString(w); err != nil {
				return nil, request.Badf("%s:%d: the seed is not a hexadecimal number", path, i+1)
			}
		default:
			n.used[w] = to
		}
	}
	if len(n.seed) < 16 {
		return nil, request.Badf("%s has no seed; name a file that snapshot --redact wrote, or one that is not there yet", path)
	}
	return n, nil
}

// Save writes the seed and every word that was replaced, readable only by the owner. An existing
// file is replaced as a whole.
func (n *Names) Save(path string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	var b strings.Builder
	b.WriteString(tableHead + "seed\t" + hex.EncodeToString(n.seed) + "\n")
	for _, w := range slices.Sorted(maps.Keys(n.used)) {
		b.WriteString(n.used[w] + "\t" + w + "\n")
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".names-*")
	if err != nil {
		return fmt.Errorf("table of names cannot be written: %w", err)
	}
	_, err = f.WriteString(b.String())
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("table of names cannot be written: %w", err)
	}
	return nil
}
