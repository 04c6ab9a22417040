package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tidemark/analyze"
	"tidemark/render"
)

// reportFile is one --report: a format and where to write it.
type reportFile struct{ format, path string }

func parseReports(values []string) ([]reportFile, error) {
	return parseReportsOf(values, render.Formats)
}

// parseReportsOf reads --report values against the formats that a command has.
func parseReportsOf(values, formats []string) ([]reportFile, error) {
	var files []reportFile
	for _, v := range values {
		format, path, ok := strings.Cut(v, "=")
		if !ok || path == "" {
			return nil, usagef("--report is %q; it takes FORMAT=PATH", v)
		}
		if !slices.Contains(formats, format) {
			return nil, usagef("--report has no format %q; there are %s", format, strings.Join(formats, ", "))
		}
		for _, f := range files {
			if filepath.Clean(f.path) == filepath.Clean(path) {
				return nil, usagef("--report names %s twice", path)
			}
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return nil, usagef("--report %s: %s is a directory; name a file in it", v, path)
		}
		// Said before a minute is spent on reading the cluster.
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return nil, usagef("--report %s: %w", v, err)
		}
		files = append(files, reportFile{format, path})
	}
	return files, nil
}

func (f reportFile) write(r *analyze.Report) error {
	var b bytes.Buffer
	if err := render.Report(&b, f.format, r, render.Options{}); err != nil {
		return err
	}
	return writeAtomic(f.path, b.Bytes())
}

// writeAtomic puts data at path in one step: whoever reads the file sees the old or the new one whole.
// A file that is there keeps its mode, a link keeps its place; a device or pipe is written to, since
// putting a file in its place would take it away from everybody else.
func writeAtomic(path string, data []byte) error {
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
		var at *os.PathError // of the temporary name, which nobody gave
		if errors.As(err, &at) {
			err = at.Err
		}
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	defer os.Remove(tmp.Name()) // gone already where all went well
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
