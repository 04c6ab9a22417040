package record

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"tidemark/kafkastats/eventtime"
)

// CSV reads partition, arrival time and event time, in this order or by a header line with those
// names (offset is optional). Arrival is an epoch number, whose unit is guessed from its size, or
// RFC 3339. The text of the event time becomes the record's value, to be read like any other raw
// value. Each further column is a header of the record, named as in the header line, else by its
// number from 1.
type CSV struct {
	Path  string
	Stdin io.Reader
}

// comma is the column separator of the first line that is not a comment: a comma, unless there is
// none and a semicolon, a tab or a bar is.
func comma(in *bufio.Reader) rune {
	start, _ := in.Peek(4096)
	for line := range strings.Lines(string(start)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		for _, least := range []int{2, 1} { // a fraction of a second may contain one comma
			for _, c := range ",;\t|" {
				if strings.Count(line, string(c)) >= least {
					return c
				}
			}
		}
		break
	}
	return ','
}

var csvNames = []string{"partition", "arrival", "event"}

// Read implements Source. Every error names file:line.
func (c CSV) Read(ctx context.Context, yield func(*Raw) error) (err error) {
	name := c.Path
	if name == "-" {
		name = "stdin"
	}
	in, closeFile, err := open(c.Path, c.Stdin)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeFile()) }()
	head := bufio.NewReaderSize(in, 1<<16)
	rows := csv.NewReader(head)
	rows.Comma = comma(head)
	rows.FieldsPerRecord, rows.ReuseRecord, rows.TrimLeadingSpace, rows.Comment = -1, true, true, '#'
	columns := map[string]int{"partition": 0, "arrival": 1, "event": 2}
	var further others
	next := map[int32]int64{}
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		line, _ := rows.FieldPos(0)
		if n == 0 && isHeader(row) {
			if columns, err = csvColumns(row); err != nil {
				return fmt.Errorf("%s:%d: %w", name, line, err)
			}
			further.named(row, columns)
			continue
		}
		raw, err := csvRow(row, columns)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
		raw.Headers = further.of(row)
		at, again := next[raw.Partition]
		if raw.Offset < 0 {
			raw.Offset = at
		}
		if again && raw.Offset < at {
			return fmt.Errorf("%s:%d: partition %d goes back from offset %d to %d: disorder needs each partition in offset order",
				name, line, raw.Partition, at-1, raw.Offset)
		}
		if !again && len(next) == MaxPartitions {
			return tooMany(name, line, "are columns swapped? They are partition, arrival and event, in this order unless a header names them")
		}
		next[raw.Partition] = raw.Offset + 1
		raw.File, raw.Line, raw.First = name, line, !again
		if err := yield(&raw); err != nil {
			return err
		}
	}
}

func isHeader(row []string) bool {
	_, err := strconv.Atoi(row[0])
	return err != nil
}

func csvColumns(row []string) (map[string]int, error) {
	columns := map[string]int{}
	for i, name := range row {
		columns[strings.ToLower(strings.TrimSpace(name))] = i
	}
	for _, name := range csvNames {
		if _, ok := columns[name]; !ok {
			return nil, fmt.Errorf("no column %q in the header %s; needed are %s", name, Clip([]byte(strings.Join(row, ","))), strings.Join(csvNames, ", "))
		}
	}
	return columns, nil
}

// others are the columns that are neither times nor positions.
type others struct {
	begun   bool
	columns []int
	names   []string
	headers []Header
	text    []byte
}

func (o *others) named(row []string, taken map[string]int) {
	o.begun = true
	for i, name := range row {
		if name = strings.TrimSpace(name); !slices.Contains([]string{"partition", "arrival", "event", "offset"}, strings.ToLower(name)) || taken[strings.ToLower(name)] != i {
			o.columns, o.names = append(o.columns, i), append(o.names, name)
		}
	}
}

// of returns the columns of a row; they are valid until the next row.
func (o *others) of(row []string) []Header {
	if !o.begun {
		o.begun = true
		for i := 3; i < len(row); i++ {
			o.columns, o.names = append(o.columns, i), append(o.names, strconv.Itoa(i+1))
		}
	}
	if len(o.columns) == 0 {
		return nil
	}
	o.headers, o.text = o.headers[:0], o.text[:0]
	for k, i := range o.columns {
		if i < len(row) {
			begin := len(o.text)
			o.text = append(o.text, row[i]...)
			o.headers = append(o.headers, Header{o.names[k], o.text[begin:len(o.text):len(o.text)]})
		}
	}
	return o.headers
}

func csvRow(row []string, columns map[string]int) (Raw, error) {
	raw := Raw{Offset: -1, Type: AppendTime}
	if most := slices.Max([]int{columns["partition"], columns["arrival"], columns["event"]}); most >= len(row) {
		return raw, fmt.Errorf("%d columns, at least %d needed (%s)", len(row), most+1, strings.Join(csvNames, ", "))
	}
	p, err := strconv.ParseInt(row[columns["partition"]], 10, 32)
	if err != nil || p < 0 {
		return raw, fmt.Errorf("partition is %s, not a whole number", Clip([]byte(row[columns["partition"]])))
	}
	raw.Partition = int32(p)
	if raw.Timestamp, err = arrival(row[columns["arrival"]]); err != nil {
		return raw, err
	}
	if at, ok := columns["offset"]; ok && at < len(row) {
		if raw.Offset, err = strconv.ParseInt(row[at], 10, 64); err != nil || raw.Offset < 0 {
			return raw, fmt.Errorf("offset is %s, not a whole number", Clip([]byte(row[at])))
		}
	}
	raw.Value = []byte(row[columns["event"]]) // empty: the row has no event time
	return raw, nil
}

func arrival(text string) (int64, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		ms, _ := eventtime.Millis(n, eventtime.Auto)
		return ms, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return 0, fmt.Errorf("arrival is %s, neither an epoch number nor RFC 3339", Clip([]byte(text)))
	}
	return at.UnixMilli(), nil
}
