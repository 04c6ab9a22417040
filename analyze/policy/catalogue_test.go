package policy

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/internal/keytable"
)

// The checks of this package are worth reading, and sorted in with the others.
func TestChecksOfThePolicy(t *testing.T) {
	mine := 0
	for _, c := range catalog.Checks() {
		if c.Code < "TM850" || c.Code > "TM889" {
			continue
		}
		mine++
		if c.Run != nil || len(c.Needs) == 0 || len(c.Means) < 60 || len(c.Why) < 60 || c.Fix.Text == "" || c.Severity.Rank() == 0 || c.Symptom < 0 || c.Symptom > 6 {
			t.Errorf("%s lacks a need, meaning, reason, fix or severity", c.Code)
		}
		if strings.HasSuffix(c.Title, ".") || !strings.HasSuffix(c.Means, ".") || !strings.HasSuffix(c.Fix.Text, ".") {
			t.Errorf("%s: a title has no full stop, sentences have one", c.Code)
		}
		if n := len(slices.DeleteFunc(catalog.Checks(), func(o catalog.Check) bool { return o.Code != c.Code && o.Cause != c.Cause })); n != 1 {
			t.Errorf("%s or %s stands %d times", c.Code, c.Cause, n)
		}
	}
	if mine < 36 {
		t.Errorf("%d checks", mine)
	}
}

// What the checklist names exists: keys of the table, checks of the catalogue.
func TestChecklistNamesWhatExists(t *testing.T) {
	known := map[string]bool{}
	for _, row := range keytable.Of(reflect.TypeFor[Policy]()) {
		known[strings.TrimPrefix(row.Key, "jobs.")] = true
	}
	slugs := map[string]bool{}
	for _, item := range append(append([]Item{}, Checklist...), Symptoms...) {
		if slugs[item.Slug] || item.Text == "" {
			t.Errorf("%s stands twice or says nothing", item.Slug)
		}
		slugs[item.Slug] = true
		for _, k := range item.Keys {
			if !known[k] {
				t.Errorf("%s: no key %s", item.Slug, k)
			}
		}
		for _, code := range item.Checks {
			if _, ok := catalog.FindCheck(code); !ok {
				t.Errorf("%s: no check %s", item.Slug, code)
			}
		}
	}
	if len(Checklist) != 9 || len(Symptoms) != 6 {
		t.Errorf("%d items, %d symptoms", len(Checklist), len(Symptoms))
	}
}

// A key that is new needs something that was read, unless its tag says that it is judged alone.
func TestWhichKeysNeedASubject(t *testing.T) {
	for f := range reflect.TypeFor[Rule]().Fields() {
		if f.Tag.Get("key") == "" {
			continue
		}
		var r Rule
		v := reflect.ValueOf(&r).Elem().FieldByIndex(f.Index)
		if v.Kind() == reflect.Slice {
			v.Set(reflect.MakeSlice(f.Type, 1, 1))
		} else {
			v.Set(reflect.New(f.Type.Elem()))
		}
		alone := f.Tag.Get("alone") == "true"
		if f.Name == "Delay" || f.Name == "Idleness" || f.Name == "EventTime" {
			alone = false // where they say nothing more
		}
		if r.NeedsSubject() == alone {
			t.Errorf("%s needs a subject: %v", f.Tag.Get("key"), alone)
		}
	}
}
