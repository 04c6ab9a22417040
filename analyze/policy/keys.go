package policy

import (
	"cmp"
	"reflect"
	"strings"
	"time"
)

// key is one key of a map of the policy, read from the tags of a struct.
type key struct {
	name  string
	index []int // as reflect.Value.FieldByIndex takes it
	tag   reflect.StructTag
}

func keysOf(t reflect.Type) []key {
	var keys []key
	for _, f := range reflect.VisibleFields(t) {
		if name := f.Tag.Get("key"); name != "" {
			keys = append(keys, key{name, f.Index, f.Tag})
		}
	}
	return keys
}

func find(keys []key, name string) *key {
	for i := range keys {
		if keys[i].name == name {
			return &keys[i]
		}
	}
	return nil
}

func nameList(keys []key) []string {
	list := make([]string, len(keys))
	for i, k := range keys {
		list[i] = k.name
	}
	return list
}

func names(keys []key) string { return strings.Join(nameList(keys), ", ") }

var valueType = reflect.TypeFor[value]()

// isValue reports a type, or a pointer to one, that is a scalar of a policy.
func isValue(t reflect.Type) bool {
	return t.Implements(valueType) || reflect.PointerTo(t).Implements(valueType)
}

func compareLocations(a, b Location) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// Setting is a value that a policy writes in a map, as a flag would take it: text, a list of texts, true or
// false, an int64 or a time.Duration. Of a list each item has its place.
type Setting struct {
	Name  string
	Value any
	At    []Location
}

// Settings lists the plain values of a map of a policy that are written; maps in it are left out.
func Settings(m any) []Setting {
	v := reflect.ValueOf(m).Elem()
	var out []Setting
	for _, k := range keysOf(v.Type()) {
		f := v.FieldByIndex(k.index)
		if f.IsNil() {
			continue
		}
		one := Setting{Name: k.name}
		switch x := f.Interface().(type) {
		case *Text:
			one.Value, one.At = x.Text, []Location{x.At}
		case *Word:
			one.Value, one.At = x.Text, []Location{x.At}
		case *Flag:
			one.Value, one.At = x.On, []Location{x.At}
		case *Count:
			one.Value, one.At = x.N, []Location{x.At}
		case *Duration:
			one.Value, one.At = time.Duration(x.Ms)*time.Millisecond, []Location{x.At}
		case []*Text:
			list := []string{}
			for _, t := range x {
				list, one.At = append(list, t.Text), append(one.At, t.At)
			}
			one.Value = list
		default:
			continue
		}
		out = append(out, one)
	}
	return out
}
