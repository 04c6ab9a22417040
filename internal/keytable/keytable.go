// Package keytable lists the keys of a policy, from the tags of its types: for the page of keys,
// and for tests that compare names with them.
package keytable

import (
	"reflect"
	"strings"
)

// Row is one key.
type Row struct {
	Key   string // full path, such as jobs.delay.covers
	Takes string
	Doc   string
}

// Of lists every key below a type, in the order of its fields.
func Of(t reflect.Type) []Row { return below(t, "") }

func below(t reflect.Type, prefix string) []Row {
	var rows []Row
	for _, f := range reflect.VisibleFields(t) {
		name, field, takes := f.Tag.Get("key"), f.Type, ""
		if name == "" {
			continue
		}
		if field.Kind() == reflect.Slice {
			field, takes = field.Elem(), "list of "
		}
		field, name = field.Elem(), prefix+name
		row := Row{Key: name, Doc: f.Tag.Get("doc"), Takes: takes + value(field, f.Tag)}
		var inner []Row
		if field.Kind() == reflect.Struct {
			inner = below(field, name+".")
		}
		if len(inner) > 0 {
			row.Takes = takes + "keys"
		}
		rows = append(append(rows, row), inner...)
	}
	return rows
}

// values describe in a word what each type of a policy accepts.
var values = map[string]string{
	"Flag": "true, false", "Count": "number", "Duration": "duration", "Share": "share, 0.1%", "Size": "size, 500 MB", "Percentile": "percentile, p99.9",
	"Factor": "multiple, 10x", "Date": "day, 2027-01-31", "CheckName": "code or cause", "Pattern": "name, glob or /regex/", "Text": "text",
}

func value(t reflect.Type, tag reflect.StructTag) string {
	if words := tag.Get("words"); words != "" {
		return strings.ReplaceAll(words, ",", ", ")
	}
	return values[t.Name()]
}
