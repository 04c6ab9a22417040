// Package atomicfile replaces files in one step.
package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Write replaces the file at path in one step: a reader sees the old or the new content, never a part. An existing file
// keeps its mode, and a link stays a link. A device or pipe is written to, because replacing it would remove it for its
// other users.
func Write(path string, data []byte) error {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		if !info.Mode().IsRegular() || strings.HasPrefix(path, "/dev/") {
			return writeThrough(path, data)
		}
		mode = info.Mode().Perm()
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		var at *os.PathError // of the temporary name, which means nothing to the user
		if errors.As(err, &at) {
			err = at.Err
		}
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	defer os.Remove(tmp.Name()) // already renamed unless something failed
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(mode)
	}
	if closing := tmp.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	return nil
}

func writeThrough(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.Write(data)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	return nil
}
