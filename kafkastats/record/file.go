package record

import (
	"io"
	"path/filepath"
	"strings"
)

// File is a file of records as the user named it.
type File struct {
	Path   string `flag:"records" doc:"file with records instead of a broker, - for standard input: kcat -J lines or CSV, plain or gzip" file:"true"`
	Format string `flag:"records-format" doc:"kcat, csv (partition, arrival, event) or auto: csv where the name ends in .csv or .csv.gz" words:"auto,kcat,csv"`
}

// Columns reports whether the file is CSV: as given, else by its name.
func (f File) Columns() bool {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(f.Path)), ".gz")
	return f.Format == "csv" || f.Format != "kcat" && strings.HasSuffix(name, ".csv")
}

// Source opens the file when it is read.
func (f File) Source(stdin io.Reader) Source {
	if f.Columns() {
		return CSV{Path: f.Path, Stdin: stdin}
	}
	return Kcat{Path: f.Path, Stdin: stdin}
}

// Name is the file's name for a sentence.
func (f File) Name() string {
	if f.Path == "-" {
		return "standard input"
	}
	return f.Path
}
