package flinkapi

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"tidemark/request"
)

// Source is the source of a capture: a live cluster (Client) or a file (Recording).
type Source interface {
	Capture(ctx context.Context, opts CaptureOptions) (*Capture, error)
}

// Recording is the recorded answers of a cluster: JSON lines of Entry, plain or gzip. The intact
// part of a damaged file is kept; Damage says where it ends.
type Recording struct {
	Name    string
	Entries []Entry
	Damage  error

	damagedAt int // number of entries before the damage
}

// ErrNotRecording is returned for a file without any REST answer.
var ErrNotRecording = errors.New("not a recording of Flink REST answers")

// maxLine limits a line of a recording; a metrics answer of thousands of subtasks is a few MiB.
const maxLine = 256 << 20

// OpenRecording reads the recording file at path, or standard input for "-".
func OpenRecording(path string, stdin io.Reader) (*Recording, error) {
	if path == "-" {
		return ReadRecording("standard input", stdin)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, request.Missing(fmt.Errorf("recording %s cannot be opened: %w", path, err))
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory: %w; name one of its files", path, ErrNotRecording)
	}
	return ReadRecording(path, f)
}

// ReadRecording reads JSON lines, plain or gzip, from r; name is for messages. A file without a
// single usable answer is ErrNotRecording; a file that is cut off later is returned with Damage.
func ReadRecording(name string, r io.Reader) (*Recording, error) {
	rec := &Recording{Name: name}
	buf, err := unwrap(r)
	if err != nil {
		return nil, fmt.Errorf("%s: gzip header is broken: %w", name, err)
	}
	for line := 1; ; line++ {
		text, err := readLine(buf)
		if len(bytes.TrimSpace(text)) > 0 {
			e, bad := parseEntry(text)
			if bad != nil {
				if len(rec.Entries) == 0 {
					return nil, fmt.Errorf("%s:%d: %w (%v); make one with `tidemark snapshot JOB -o FILE`", name, line, ErrNotRecording, bad)
				}
				// Usually the end of a file that was cut off while written; if more follows, it
				// is used.
				if rec.Damage == nil {
					rec.Damage, rec.damagedAt = fmt.Errorf("%s:%d: unreadable line: %w", name, line, bad), len(rec.Entries)
				}
			} else {
				rec.Entries = append(rec.Entries, e)
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			rec.Damage, rec.damagedAt = fmt.Errorf("%s:%d: broken off: %w", name, line, err), len(rec.Entries)
			break
		}
	}
	if len(rec.Entries) == 0 {
		if rec.Damage != nil {
			return nil, rec.Damage
		}
		return nil, fmt.Errorf("%s is empty: %w; make one with `tidemark snapshot JOB -o FILE`", name, ErrNotRecording)
	}
	return rec, nil
}

// maxWraps limits how often a file may be compressed: once by snapshot, once more by whoever
// sends it.
const maxWraps = 3

// unwrap removes gzip, applied any number of times up to maxWraps, and a byte order mark.
func unwrap(r io.Reader) (*bufio.Reader, error) {
	buf := bufio.NewReaderSize(r, 1<<16)
	for range maxWraps {
		magic, _ := buf.Peek(2)
		if !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
			break
		}
		z, err := gzip.NewReader(buf)
		if err != nil {
			return nil, err
		}
		buf = bufio.NewReaderSize(z, 1<<16)
	}
	if mark, _ := buf.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		buf.Discard(len(mark))
	}
	return buf, nil
}

func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
		if len(line) > maxLine {
			return nil, fmt.Errorf("line longer than %d MiB", maxLine>>20)
		}
	}
}

func parseEntry(line []byte) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(line, &e); err != nil {
		return e, fmt.Errorf("no JSON object: %w", err)
	}
	if len(e.Path) == 0 || e.Path[0] != '/' {
		return e, errors.New(`no "path" that starts with "/"`)
	}
	if e.Status == 0 && e.Body == nil {
		return e, errors.New(`neither "status" nor "body"`)
	}
	return e, nil
}

// WriteEntry writes e as one line of a recording; a body that is not JSON becomes a JSON string.
func WriteEntry(w io.Writer, e Entry) error {
	if !json.Valid(e.Body) {
		e.Body, _ = json.Marshal(string(e.Body))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // names such as "A -> B" stay as the cluster wrote them
	if err := enc.Encode(e); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return nil
}

// Capture assembles what the file holds; the jobs named in opts are looked up as on a live cluster.
func (r *Recording) Capture(_ context.Context, opts CaptureOptions) (*Capture, error) {
	c := Assemble(r.Entries)
	if r.Damage != nil {
		r.markEnd(c)
	} else if !opts.Once {
		if j, err := unfinished(c); err != nil {
			r.Damage = fmt.Errorf("%s: %w", r.Name, err)
			j.endsAt(Gap{Endpoint: OtherEndpoint, Reason: GapEnd, Cause: oneLine(err.Error())})
		}
	}
	if r.Damage != nil {
		c.Missing = append(c.Missing, Gap{Sample: -1, Endpoint: OtherEndpoint, Reason: GapEnd, Cause: r.Damage.Error()})
	}
	if opts.Once {
		for i := range c.Jobs {
			c.Jobs[i].Samples = c.Jobs[i].Samples[:1]
		}
	}
	if err := selectJobs(c, opts.Jobs); err != nil || opts.Sampled == nil {
		return c, err
	}
	c.eachPair(opts.Sampled)
	return c, nil
}

// eachPair calls give after each sample, with the sample before it, if there are more than two.
func (c *Capture) eachPair(give func(*Capture)) {
	most := 0
	for _, j := range c.Jobs {
		most = max(most, len(j.Samples))
	}
	if most < 3 { // the capture is the only pair
		return
	}
	for k := range most {
		then := *c
		then.Jobs = nil
		for _, j := range c.Jobs {
			n := min(k+1, len(j.Samples))
			j.Samples = j.Samples[max(n-2, 0):n]
			then.Jobs = append(then.Jobs, j)
		}
		if k < most-1 { // the recording was taken at the time of its last sample
			then.ReadAt = 0
			for _, j := range then.Jobs {
				if n := len(j.Samples); n > 0 {
					then.ReadAt = max(then.ReadAt, j.Samples[n-1].Job.Now)
				}
			}
		}
		give(&then)
	}
}
