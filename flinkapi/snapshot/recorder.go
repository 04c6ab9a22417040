// Package snapshot writes recordings.
package snapshot

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"strings"
	"sync"

	"tidemark/flinkapi"
	"tidemark/flinkapi/pseudonym"
	"tidemark/request"
)

// Recorder writes answers as they come; it is used by several goroutines.
type Recorder struct {
	Names *pseudonym.Names // nil: the names of the cluster are kept

	mu    sync.Mutex
	file  *os.File // nil for standard output
	zip   *gzip.Writer
	buf   *bufio.Writer
	count int
	err   error
}

// Open creates the file, or uses stdout for "-". It never overwrites: a recording of an incident cannot be made again.
func Open(path string, stdout io.Writer) (*Recorder, error) {
	if path == "-" {
		return &Recorder{buf: bufio.NewWriter(stdout)}, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, request.Badf("%s is there already; name another file", path)
	}
	if err != nil {
		return nil, request.Badf("recording cannot be written: %w", err)
	}
	r := &Recorder{file: f, buf: bufio.NewWriter(f)}
	if strings.HasSuffix(path, ".gz") {
		r.zip = gzip.NewWriter(f)
		r.buf = bufio.NewWriter(r.zip)
	}
	return r, nil
}

// Add writes one answer to the file, unbuffered.
func (r *Recorder) Add(e flinkapi.Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	if r.Names != nil {
		e, r.err = r.Names.Entry(e)
	}
	if r.err == nil {
		r.err = flinkapi.WriteEntry(r.buf, e)
	}
	if r.err == nil {
		r.err = r.buf.Flush()
	}
	if r.err == nil && r.zip != nil {
		r.err = r.zip.Flush()
	}
	if r.err == nil {
		r.count++
	}
}

// Close returns the first error of the file.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	errs := []error{r.err}
	if r.zip != nil {
		errs = append(errs, r.zip.Close())
	}
	if r.file != nil {
		errs = append(errs, r.file.Close())
	}
	return errors.Join(errs...)
}

// Count is how many answers were written.
func (r *Recorder) Count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count
}

// Discard removes a file that holds no answer.
func (r *Recorder) Discard() error {
	if r.file == nil {
		return nil
	}
	return os.Remove(r.file.Name())
}
