package policy

import (
	"encoding/json"
	"reflect"
)

// Schema is the JSON Schema (2020-12) of a policy file, made from the table that reads it.
func Schema() []byte {
	defs := map[string]any{"check": map[string]any{"enum": checkNames(), "description": "code or cause of a check; tidemark checks lists them"}}
	root := recordSchema(reflect.TypeFor[Policy](), defs)
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "tidemark policy"
	root["description"] = "What a team demands of its event-time jobs before they go live; read by tidemark check."
	root["$defs"] = defs
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic("the schema of a policy is no JSON: " + err.Error()) // made of maps and strings above
	}
	return append(text, '\n')
}

// recordSchema is the schema of a map of keys.
func recordSchema(t reflect.Type, defs map[string]any) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, k := range keysOf(t) {
		properties[k.name] = describe(fieldSchema(t.FieldByIndex(k.index).Type, k.tag, defs), k.tag.Get("doc"))
		if k.tag.Get("need") == "true" {
			required = append(required, k.name)
		}
	}
	s := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	switch t {
	case reflect.TypeFor[Policy]():
		properties["version"].(map[string]any)["const"] = 1
	case reflect.TypeFor[Rule]():
		s["oneOf"] = []any{map[string]any{"required": []string{"name"}}, map[string]any{"required": []string{"table"}}}
	case reflect.TypeFor[Measured]():
		s["oneOf"] = oneRequired("value", "profile", "records", "topic")
	case reflect.TypeFor[Replay]():
		s["oneOf"] = oneRequired("records", "topic")
	}
	return s
}

func oneRequired(keys ...string) []any {
	var list []any
	for _, k := range keys {
		list = append(list, map[string]any{"required": []string{k}})
	}
	return list
}

// fieldSchema is the schema of a field by its type. Maps are named definitions.
func fieldSchema(t reflect.Type, tag reflect.StructTag, defs map[string]any) map[string]any {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if isValue(t) {
		return reflect.New(t).Interface().(value).schema(tag)
	}
	if t.Kind() == reflect.Slice {
		item := fieldSchema(t.Elem(), tag, defs)
		list := map[string]any{"type": "array", "items": item}
		if isValue(t.Elem().Elem()) {
			return map[string]any{"anyOf": []any{item, list}}
		}
		return list
	}
	if _, ok := defs[t.Name()]; !ok {
		defs[t.Name()] = map[string]any{} // before its parts, which may name it
		defs[t.Name()] = recordSchema(t, defs)
	}
	ref := map[string]any{"$ref": "#/$defs/" + t.Name()}
	for _, k := range keysOf(t) {
		if k.tag.Get("short") == "true" {
			return map[string]any{"anyOf": []any{fieldSchema(t.FieldByIndex(k.index).Type, k.tag, defs), ref}}
		}
	}
	return ref
}

// describe adds what a key means; next to a reference that is allowed since draft 2019-09.
func describe(s map[string]any, doc string) map[string]any {
	s["description"] = doc
	return s
}
