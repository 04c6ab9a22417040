package request

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tidemark/internal/units"
)

// Setting is a field of a request that can be set from outside. Its tags describe it:
//
//	flag   the name, as of a flag and of a key
//	doc    what it does; {N} represents the value
//	words  the values it takes, with commas; an empty one is the default alone
//	alias  a former name, which is still understood
//	short  a letter
//	file   true: a path
//
// The fields of a struct without a flag are settings, too.
type Setting struct {
	Name, Doc, Alias, Short string
	Words                   []string
	File                    bool
	Value                   reflect.Value // addressable
}

// Settings lists the settings of a request, given by pointer, in the order of its fields.
func Settings(r any) []Setting {
	v := reflect.ValueOf(r).Elem()
	known, ok := described.Load(v.Type())
	if !ok {
		known, _ = described.LoadOrStore(v.Type(), describe(v.Type(), nil))
	}
	var out []Setting
	for _, d := range known.([]description) {
		s := d.setting
		s.Value = v.FieldByIndex(d.field)
		out = append(out, s)
	}
	return out
}

// description is a setting of any request of a type; field leads to its value.
type description struct {
	setting Setting
	field   []int
}

// described are the descriptions by type.
var described sync.Map

func describe(t reflect.Type, path []int) []description {
	var out []description
	for i := range t.NumField() {
		f, at := t.Field(i), append(slices.Clone(path), i)
		name := f.Tag.Get("flag")
		switch {
		case name == "" && f.Type.Kind() == reflect.Struct && f.IsExported():
			out = append(out, describe(f.Type, at)...)
		case name != "":
			s := Setting{Name: name, Doc: f.Tag.Get("doc"), Alias: f.Tag.Get("alias"), Short: f.Tag.Get("short"), File: f.Tag.Get("file") == "true"}
			if words := f.Tag.Get("words"); words != "" {
				s.Words = strings.Split(words, ",")
			}
			out = append(out, description{s, at})
		}
	}
	return out
}

// List is a setting with several values; the flag may also hold them separated by commas.
type List []string

// CheckWords refuses a value that is not among the words of its setting.
func CheckWords(r any) error {
	for _, s := range Settings(r) {
		if s.Words == nil || s.Value.Kind() != reflect.String || slices.Contains(s.Words, s.Value.String()) {
			continue
		}
		return Wrong(s.Name, "is %q; it takes %s", s.Value.String(), strings.Join(slices.DeleteFunc(slices.Clone(s.Words), func(w string) bool { return w == "" }), ", "))
	}
	return nil
}

// Given are the settings that were set explicitly, as opposed to defaults.
type Given map[string]bool

// Unused returns a mistake if one of the settings was given: the first of them, with the reason
// why it is not used.
func (g Given) Unused(why string, settings ...string) error {
	for _, s := range settings {
		if g[s] {
			return Wrong(s, "is not used: %s", why)
		}
	}
	return nil
}

// Use says which modes of a request can use some settings.
type Use struct {
	Settings []string
	By       []string // modes
	Why      string   // why the others cannot
}

// CheckUse refuses a setting that was given and that the mode cannot use.
func (g Given) CheckUse(mode string, uses []Use) error {
	for _, u := range uses {
		if slices.Contains(u.By, mode) {
			continue
		}
		if err := g.Unused(fmt.Sprintf("%s (%s)", u.Why, mode), u.Settings...); err != nil {
			return err
		}
	}
	return nil
}

// Parse reads text into the setting; the error is a Mistake.
func (s Setting) Parse(text string) error {
	switch into := s.Value.Addr().Interface().(type) {
	case *string:
		*into = text
	case *time.Duration:
		d, err := units.ParseDuration(text)
		if err != nil {
			return Wrong(s.Name, "is %q: %w", text[:min(len(text), 60)], err)
		}
		*into = d
	case *int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return Wrong(s.Name, "is %q; it takes a whole number", text[:min(len(text), 60)])
		}
		*into = n
	default:
		return Wrong(s.Name, "takes no text")
	}
	return nil
}
