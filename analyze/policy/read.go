package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	// MaxSize is how many bytes a policy file may have.
	MaxSize = 1 << 20
	// maxNodes is how many values are looked at, those behind aliases each time they are used.
	maxNodes = 20_000
	maxDepth = 30
)

// Parse reads a policy file; name stands in errors and locations. The error is Errors with every
// mistake.
func Parse(name string, text []byte) (*Policy, error) {
	r := &reader{file: name}
	p := &Policy{}
	root, err := r.document(text)
	if err != nil {
		return nil, err
	}
	r.fill(reflect.ValueOf(p).Elem(), root, "a policy", 0)
	if len(r.errors) == 0 {
		r.errors = append(r.errors, p.mistakes()...)
	}
	if len(r.errors) > 0 {
		slices.SortStableFunc(r.errors, func(a, b Error) int { return compareLocations(a.At, b.At) })
		return nil, r.errors
	}
	return p, nil
}

type reader struct {
	file   string
	nodes  int
	errors Errors
}

func (r *reader) at(n *yaml.Node) Location {
	return Location{File: r.file, Line: n.Line, Column: n.Column}
}

func (r *reader) wrong(n *yaml.Node, format string, a ...any) {
	r.errors = append(r.errors, Error{r.at(n), fmt.Sprintf(format, a...)})
}

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// document parses the text to its one map.
func (r *reader) document(text []byte) (*yaml.Node, error) {
	at := Location{File: r.file, Line: 1, Column: 1}
	if len(text) > MaxSize {
		return nil, Errors{{at, fmt.Sprintf("the file has %d bytes; a policy has at most %d", len(text), MaxSize)}}
	}
	if i := strangeByte(text); i >= 0 {
		before := string(text[:i])
		line := before[strings.LastIndexByte(before, '\n')+1:]
		at.Line, at.Column = strings.Count(before, "\n")+1, utf8.RuneCountInString(line)+1
		return nil, Errors{{at, fmt.Sprintf("not YAML: byte 0x%02X is no text; save the policy as UTF-8 without control characters", text[i])}}
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	err := dec.Decode(&doc)
	if err == nil && len(doc.Content) > 0 {
		if next := dec.Decode(&more); !errors.Is(next, io.EOF) {
			if next == nil {
				return nil, Errors{{Location{File: r.file, Line: more.Line, Column: max(more.Column, 1)}, "a second document; a policy is one"}}
			}
			err = next
		}
	}
	switch {
	case errors.Is(err, io.EOF), err == nil && len(doc.Content) == 0:
		return nil, Errors{{at, "the file is empty; `tidemark check init` writes one to begin with"}}
	case err != nil:
		what := strings.TrimPrefix(err.Error(), "yaml: ")
		if m := yamlLine.FindStringSubmatch(what); m != nil {
			at.Line, _ = strconv.Atoi(m[1]) // digits
			what = what[len(m[0]):]
			at.Column = firstColumn(text, at.Line)
		}
		if strings.Contains(what, "cannot start any token") && tabAt(text, at) {
			what = "a line begins with a tab; indent with spaces"
		}
		return nil, Errors{{at, "not YAML: " + strings.Join(strings.Fields(what), " ")}}
	}
	return doc.Content[0], nil
}

// strangeByte is where the text has a byte that YAML does not take in UTF-8, -1 for nowhere; UTF-16
// with its mark is left to the YAML reader.
func strangeByte(text []byte) int {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return -1
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 || r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f {
			return i
		}
		i += size
	}
	return -1
}

func tabAt(text []byte, at Location) bool {
	lines := bytes.Split(text, []byte("\n"))
	return at.Line >= 1 && at.Line <= len(lines) && bytes.HasPrefix(bytes.TrimLeft(lines[at.Line-1], " "), []byte("\t"))
}

// firstColumn is where the text of a line begins.
func firstColumn(text []byte, line int) int {
	lines := bytes.Split(text, []byte("\n"))
	if line < 1 || line > len(lines) {
		return 1
	}
	l := lines[line-1]
	return 1 + len(l) - len(bytes.TrimLeft(l, " "))
}

// resolve follows an alias and counts; a policy that unfolds to too much is refused once.
func (r *reader) resolve(n *yaml.Node, depth int) (*yaml.Node, bool) {
	if r.nodes++; r.nodes > maxNodes || depth > maxDepth {
		if r.nodes >= 0 {
			r.wrong(n, "the policy unfolds to more than %d values or %d levels; write less, or fewer aliases", maxNodes, maxDepth)
		}
		r.nodes = -1 << 40 // said once
		return n, false
	}
	if r.nodes < 0 {
		return n, false
	}
	for hops := 0; n.Kind == yaml.AliasNode; hops++ {
		if n.Alias == nil || hops > maxDepth {
			r.wrong(n, "the alias leads nowhere; write the value out")
			return n, false
		}
		n = n.Alias
	}
	return n, true
}

// fill reads a node into a field: a value, a map or a list.
func (r *reader) fill(into reflect.Value, n *yaml.Node, what string, depth int) {
	r.fillTagged(into, n, what, "", depth)
}

func (r *reader) fillTagged(into reflect.Value, n *yaml.Node, what string, tag reflect.StructTag, depth int) {
	n, ok := r.resolve(n, depth)
	if !ok {
		return
	}
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	if v, ok := into.Addr().Interface().(value); ok {
		r.scalar(into, v, n, what, tag)
		return
	}
	if into.Kind() == reflect.Slice {
		r.list(into, n, what, tag, depth)
		return
	}
	r.record(into, n, what, depth)
}

func (r *reader) scalar(into reflect.Value, v value, n *yaml.Node, what string, tag reflect.StructTag) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.wrong(n, "%s takes one value, not %s", what, kindOf(n))
		return
	}
	if len(n.Value) > 10_000 {
		r.wrong(n, "%s has %d characters; it takes at most 10000", what, len(n.Value))
		return
	}
	into.Addr().Interface().(interface{ put(Location) }).put(r.at(n))
	if text := v.read(n, tag); text != "" {
		r.wrong(n, "%s: %s", what, text)
	}
}

// list reads a list; a single value represents a list of one.
func (r *reader) list(into reflect.Value, n *yaml.Node, what string, tag reflect.StructTag, depth int) {
	items := n.Content
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" && isValue(into.Type().Elem()) {
		items = []*yaml.Node{n}
	} else if n.Kind != yaml.SequenceNode {
		r.wrong(n, "%s takes a list, not %s", what, kindOf(n))
		return
	}
	into.Set(reflect.MakeSlice(into.Type(), 0, len(items)))
	for _, item := range items {
		one := reflect.New(into.Type().Elem()).Elem()
		before := len(r.errors)
		r.fillTagged(one, item, what, tag, depth+1)
		if len(r.errors) == before && r.nodes >= 0 {
			into.Set(reflect.Append(into, one))
		}
	}
}

// record reads a map into a struct by the keys of its tags.
func (r *reader) record(into reflect.Value, n *yaml.Node, what string, depth int) {
	into.Addr().Interface().(interface{ put(Location) }).put(r.at(n))
	keys := keysOf(into.Type())
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		for _, k := range keys {
			if k.tag.Get("short") == "true" {
				r.fillTagged(into.FieldByIndex(k.index), n, what, k.tag, depth+1)
				return
			}
		}
	}
	if n.Kind != yaml.MappingNode {
		r.wrong(n, "%s takes keys (%s), not %s", what, names(keys), kindOf(n))
		return
	}
	seen := map[string]Location{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, val := n.Content[i], n.Content[i+1]
		at, twice := seen[key.Value]
		k := find(keys, key.Value)
		switch {
		case key.Kind != yaml.ScalarNode:
			r.wrong(key, "a key of %s is no text", what)
		case key.Value == "<<":
			r.wrong(key, "merge keys are not read; write the keys out")
		case k == nil:
			r.wrong(key, "unknown key %s in %s; %s", quote(key.Value), what, hint(key.Value, nameList(keys)))
		case twice:
			r.wrong(key, "%s stands twice in %s, first at %s; keep one", key.Value, what, at)
		default:
			r.fillTagged(into.FieldByIndex(k.index), val, key.Value, k.tag, depth+1)
		}
		seen[key.Value] = r.at(key)
	}
	for _, k := range keys {
		if _, ok := seen[k.name]; !ok && k.tag.Get("need") == "true" {
			r.wrong(n, "%s has no %s; add %s: %s", what, k.name, k.name, k.tag.Get("doc"))
		}
	}
}

func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "keys"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "nothing"
	}
	return quote(n.Value)
}
