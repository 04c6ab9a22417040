// Package jsonschema describes the JSON form of Go types as JSON Schema (draft 2020-12): the
// contract for scripts that read `-o json`. Descriptions are the doc comments of the fields, read
// from the source.
package jsonschema

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Reflector makes schemas. The zero value knows no type with a MarshalJSON of its own.
type Reflector struct {
	// Own are the schemas of types with a MarshalJSON; As are the types whose form such a type
	// writes.
	Own map[reflect.Type]map[string]any
	As  map[reflect.Type]reflect.Type
	// Comment is the doc comment of a type, or of its field; "" is none.
	Comment func(t reflect.Type, field string) string
	// Strict refuses fields that are not described. It is for tests: reports may gain fields.
	Strict bool

	defs map[string]any
}

// Of is the schema of v's type, with the title it is published under.
func (r *Reflector) Of(title string, v any) map[string]any {
	r.defs = map[string]any{}
	schema := r.schema(reflect.TypeOf(v))
	schema["$schema"], schema["title"] = "https://json-schema.org/draft/2020-12/schema", title
	if len(r.defs) > 0 {
		schema["$defs"] = r.defs
	}
	return schema
}

var marshaler = reflect.TypeFor[json.Marshaler]()

func (r *Reflector) schema(t reflect.Type) map[string]any {
	if own, ok := r.Own[t]; ok {
		return own
	}
	if as, ok := r.As[t]; ok {
		return r.schema(as)
	}
	if t.Kind() == reflect.Pointer {
		return nullable(r.schema(t.Elem()))
	}
	if t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler) {
		panic(fmt.Sprintf("jsonschema: %s writes itself: describe it in Own", t))
	}
	switch t.Kind() {
	case reflect.Bool:
		return kind("boolean")
	case reflect.String:
		return kind("string")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint, reflect.Uint64:
		return kind("integer")
	case reflect.Float32, reflect.Float64:
		return kind("number")
	case reflect.Interface:
		return map[string]any{}
	case reflect.Slice:
		return nullable(map[string]any{"type": "array", "items": r.schema(t.Elem())})
	case reflect.Array:
		return map[string]any{"type": "array", "items": r.schema(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return nullable(map[string]any{"type": "object", "additionalProperties": r.schema(t.Elem())})
	case reflect.Struct:
		if t.Name() == "" {
			return r.object(t)
		}
		return r.named(t)
	}
	panic(fmt.Sprintf("jsonschema: no JSON for %s", t))
}

func kind(name string) map[string]any { return map[string]any{"type": name} }

func nullable(s map[string]any) map[string]any {
	return map[string]any{"anyOf": []any{s, kind("null")}}
}

// named describes a struct once, in $defs.
func (r *Reflector) named(t reflect.Type) map[string]any {
	name := strings.ReplaceAll(t.String(), "*", "")
	if _, ok := r.defs[name]; !ok {
		r.defs[name] = nil // a type may contain itself
		r.defs[name] = r.object(t)
	}
	return map[string]any{"$ref": "#/$defs/" + name}
}

func (r *Reflector) object(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []any{}
	r.fields(t, properties, &required)
	out := map[string]any{"type": "object", "properties": properties, "required": required}
	if r.Strict {
		out["additionalProperties"] = false
	}
	if text := r.comment(t, ""); text != "" {
		out["description"] = text
	}
	return out
}

// fields adds the fields of an embedded struct as encoding/json does: on the same level, unless t
// has a field of that name.
func (r *Reflector) fields(t reflect.Type, properties map[string]any, required *[]any) {
	outer := map[string]bool{}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		outer[name] = true
	}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			below, needed := map[string]any{}, []any{}
			r.fields(inner, below, &needed)
			maps.DeleteFunc(below, func(name string, _ any) bool { return outer[name] })
			maps.Copy(properties, below)
			*required = append(*required, slices.DeleteFunc(needed, func(name any) bool { return outer[name.(string)] })...)
			continue
		}
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		schema := r.schema(f.Type)
		optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		if forms, ok := schema["anyOf"].([]any); ok && optional {
			schema = forms[0].(map[string]any) // an empty value is left out, never null
		}
		if text := r.comment(t, f.Name); text != "" {
			schema = with(schema, "description", text)
		}
		properties[name] = schema
		if !optional {
			*required = append(*required, name)
		}
	}
}

func (r *Reflector) comment(t reflect.Type, field string) string {
	if r.Comment == nil {
		return ""
	}
	return r.Comment(t, field)
}

// with returns a changed copy, because the schema of an own type is shared.
func with(schema map[string]any, key string, value any) map[string]any {
	out := map[string]any{key: value}
	for k, v := range schema {
		out[k] = v
	}
	return out
}
