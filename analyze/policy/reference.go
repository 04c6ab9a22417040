package policy

import (
	"reflect"
	"strings"
)

// KeyRow is one key of the policy for a reference table.
type KeyRow struct {
	Key   string // full path, such as jobs.delay.covers
	Takes string
	Doc   string
}

// Keys lists every key, in the order of the table that reads them.
func Keys() []KeyRow {
	var rows []KeyRow
	keyRows(reflect.TypeFor[Policy](), "", &rows)
	return rows
}

func keyRows(t reflect.Type, prefix string, rows *[]KeyRow) {
	for _, k := range keysOf(t) {
		field, list := t.Field(k.index).Type, ""
		if field.Kind() == reflect.Slice {
			field, list = field.Elem(), "list of "
		}
		field = field.Elem()
		name := prefix + k.name
		if isValue(field) {
			*rows = append(*rows, KeyRow{name, list + takes(field, k.tag), k.tag.Get("doc")})
			continue
		}
		*rows = append(*rows, KeyRow{name, list + "keys", k.tag.Get("doc")})
		keyRows(field, name+".", rows)
	}
}

// takes says in a word what a value is.
func takes(t reflect.Type, tag reflect.StructTag) string {
	switch t {
	case reflect.TypeFor[Word]():
		return strings.Join(words(tag), ", ")
	case reflect.TypeFor[Flag]():
		return "true, false"
	case reflect.TypeFor[Count]():
		return "number"
	case reflect.TypeFor[Duration]():
		return "duration"
	case reflect.TypeFor[Share]():
		return "share, 0.1%"
	case reflect.TypeFor[Percentile]():
		return "percentile, p99.9"
	case reflect.TypeFor[Factor]():
		return "multiple, 10x"
	case reflect.TypeFor[Date]():
		return "day, 2027-01-31"
	case reflect.TypeFor[CheckName]():
		return "code or cause"
	case reflect.TypeFor[Pattern]():
		return "name, glob or /regex/"
	}
	return "text"
}
