package contexts

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"tidemark/flinkapi"
	"tidemark/request"
)

// Line is a key of a context, as its path in the file, with its value, secrets masked.
type Line struct{ Key, Value string }

// Lines are the keys that a context sets, secrets masked.
func (c *Context) Lines() []Line { return lines("", reflect.ValueOf(c).Elem()) }

func lines(at string, v reflect.Value) []Line {
	var out []Line
	for i := range v.NumField() {
		name, inline, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		switch field := v.Field(i).Interface().(type) {
		case string:
			out = append(out, Line{at + name, flinkapi.MaskURL(field)})
		case bool:
			if field {
				out = append(out, Line{at + name, fmt.Sprint(field)})
			}
		case []string: // a command; its arguments may hold a secret
			if len(field) > 1 {
				field = []string{field[0], "…"}
			}
			out = append(out, Line{at + name, strings.Join(field, " ")})
		case Command:
			out = append(out, Line{at + name, field.String()})
		case List:
			shown := slices.Clone(field)
			for i := range shown {
				shown[i] = flinkapi.MaskURL(shown[i])
			}
			out = append(out, Line{at + name, strings.Join(shown, ",")})
		case map[string]string:
			var list []string
			for _, key := range slices.Sorted(maps.Keys(field)) {
				if inline != "" { // keys of the level itself; they hold no secrets
					out = append(out, Line{at + key, field[key]})
				} else {
					list = append(list, key+": ***")
				}
			}
			out = append(out, Line{at + name, strings.Join(list, ", ")})
		default:
			out = append(out, lines(at+name+".", v.Field(i))...)
		}
	}
	return slices.DeleteFunc(out, func(l Line) bool { return l.Value == "" })
}

// Use returns the text of the file with another current context. Only that line changes; comments
// stay.
func (f *File) Use(name string) ([]byte, error) {
	if _, err := f.Context(name); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(f.Path)
	if err != nil {
		return nil, request.Badf("configuration cannot be read: %w", err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, request.Badf("%s: %w", f.Path, err)
	}
	value, err := yaml.Marshal(name)
	if err != nil {
		return nil, err
	}
	line := "current-context: " + strings.TrimSpace(string(value))
	all := strings.Split(string(text), "\n")
	if at := child(doc.Content[0], "current-context"); at != nil {
		all[at.Line-1] = line
	} else {
		all = append([]string{line}, all...)
	}
	changed := []byte(strings.Join(all, "\n"))
	after := &File{Path: f.Path}
	if err := after.parse(changed); err != nil || after.Current != name {
		return nil, request.Badf("%s is laid out so that one line cannot be changed; set %q by hand", f.Path, line)
	}
	return changed, nil
}

// Where is the address of a context's cluster, secrets masked.
func (c *Context) Where() string {
	if len(c.Connect) > 0 {
		return c.Connect.String()
	}
	return flinkapi.MaskURL(c.Flink)
}
