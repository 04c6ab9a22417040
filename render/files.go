package render

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tidemark/internal/atomicfile"
	"tidemark/request"
)

// File is one --report: a format and where to write it.
type File struct{ Format, Path string }

// ParseFiles reads values of --report against the formats that a command has; a *request.Mistake refuses one that
// cannot be written.
func ParseFiles(values, formats []string) ([]File, error) {
	var files []File
	for _, v := range values {
		format, path, ok := strings.Cut(v, "=")
		if !ok || path == "" {
			return nil, request.Wrong("report", "is %q; it takes FORMAT=PATH", v)
		}
		if format == "text" {
			format = Table
		}
		if !slices.Contains(formats, format) {
			return nil, request.Wrong("report", "has no format %q; there are %s", format, strings.Join(formats, ", "))
		}
		for _, f := range files {
			if filepath.Clean(f.Path) == filepath.Clean(path) {
				return nil, request.Wrong("report", "names %s twice", path)
			}
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return nil, request.Wrong("report", "%s: %s is a directory; name a file in it", v, path)
		}
		// Refused before a minute is spent on reading the cluster.
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return nil, request.Wrong("report", "%s: %w", v, err)
		}
		files = append(files, File{format, path})
	}
	return files, nil
}

// Write writes a report into the file, without colour.
func (f File) Write(r Result) error {
	var b bytes.Buffer
	if err := r.Write(&b, f.Format, Options{}); err != nil {
		return err
	}
	return atomicfile.Write(f.Path, b.Bytes())
}
