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
	var files []reportFile
	for _, v := range values {
		format, path, ok := strings.Cut(v, "=")
		if !ok || path == "" {
			return nil, usagef("--report is %q; it takes FORMAT=PATH", v)
		}
		if !slices.Contains(render.Formats, format) {
			return nil, usagef("--report has no format %q; there are %s", format, strings.Join(render.Formats, ", "))
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
func writeAtomic(path string, data []byte) error {
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
		err = tmp.Chmod(0o644)
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
