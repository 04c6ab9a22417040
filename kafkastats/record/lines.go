package record

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxLine limits one line: Kafka's largest practical message is far below.
const maxLine = 64 << 20

// open returns the plain text of a file or of stdin ("-"). It detects gzip by its magic bytes and
// removes the byte order mark that some editors write.
func open(path string, stdin io.Reader) (io.Reader, func() error, error) {
	var in io.Reader
	closeFile := func() error { return nil }
	if path == "-" {
		if stdin == nil {
			return nil, nil, errors.New("the records were to be read from standard input, but there is none")
		}
		in = stdin
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, nil, fmt.Errorf("records cannot be opened: %w", err)
		}
		in, closeFile = f, f.Close
	}
	buffered := bufio.NewReaderSize(in, 1<<16)
	magic, err := buffered.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, errors.Join(fmt.Errorf("read %s: %w", path, err), closeFile())
	}
	if !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return unmarked(buffered), closeFile, nil
	}
	zipped, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("read %s as gzip: %w", path, err), closeFile())
	}
	return unmarked(bufio.NewReaderSize(zipped, 1<<16)), closeFile, nil
}

func unmarked(in *bufio.Reader) io.Reader {
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		_, _ = in.Discard(3) // they were peeked
	}
	return in
}

// eachLine calls yield with every line and its number; errors have file:line.
func eachLine(ctx context.Context, path string, stdin io.Reader, yield func(line []byte, n int) error) (err error) {
	in, closeFile, err := open(path, stdin)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeFile()) }()
	scan := bufio.NewScanner(in)
	scan.Buffer(make([]byte, 0, 1<<16), maxLine)
	n := 0
	for scan.Scan() {
		n++
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := yield(scan.Bytes(), n); err != nil {
			return err
		}
	}
	if err := scan.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", path, n+1, err)
	}
	return ctx.Err()
}
