package policy

import (
	"cmp"
	"reflect"
	"strings"
)

// key is one key of a map of the policy, read from the tags of a struct.
type key struct {
	name  string
	index int
	tag   reflect.StructTag
}

func keysOf(t reflect.Type) []key {
	var keys []key
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("key"); name != "" {
			keys = append(keys, key{name, i, t.Field(i).Tag})
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
