package decode

import (
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"tidemark/internal/cases"
	"tidemark/internal/cases/property"
)

// byGjson is what the byte scan must agree with whenever it answers at all.
func byGjson(b []byte, path string) (string, bool) {
	v := gjson.GetBytes(b, path)
	return v.Raw, v.Type == gjson.Number
}

func agree(t interface{ Fatalf(string, ...any) }, b []byte, path string) (answered bool) {
	f := newFlatPath(path)
	n, ok := f.number(b)
	if again, same := f.number(b); again != n || same != ok {
		t.Fatalf("%q in %q: %d %v at first, %d %v once the shape is known", path, b, n, ok, again, same)
	}
	if !ok {
		return false
	}
	raw, number := byGjson(b, path)
	want := int64(0)
	for i := range len(raw) {
		want = want*10 + int64(raw[i]-'0')
	}
	if !number || len(raw) < 9 || len(raw) > 18 || want != n {
		t.Fatalf("%q in %q: scanned %d, gjson has %q (number: %v)", path, b, n, raw, number)
	}
	return true
}

func TestFlatPathAnswersThePlainCases(t *testing.T) {
	for _, v := range []struct {
		json, path string
		want       int64 // 0: left to gjson
	}{
		{`{"ts":1796000000000}`, "ts", 1796000000000},
		{` { "a" : "x" , "ts" : 1796000000000 } `, "ts", 1796000000000},
		{`{"a":"say \"ts\":1","b":{"ts":5},"c":[{"ts":6},"]"],"d":null,"e":-1.5e3,"ts":1796000000000,"ts":1}`, "ts", 1796000000000},
		{`{"after":{"id":7,"ts":1796000000000}}`, "after.ts", 1796000000000},
		{`{"after.ts":1796000000000}`, "after.ts", 0},
		{`{"after":{"id":7},"after":{"ts":1796000000000}}`, "after.ts", 0},
		{`{"ts":"1796000000000"}`, "ts", 0},
		{`{"ts":1796000000000.5}`, "ts", 0},
		{`{"ts":-1796000000000}`, "ts", 0},
		{`{"ts":12345678}`, "ts", 0},
		{`{"ts":1234567890123456789}`, "ts", 0},
		{`{"ts":null}`, "ts", 0},
		{`{"t\u0073":1796000000000}`, "ts", 0},
		{`{"ts":1796000000000`, "ts", 0},
		{`[1796000000000]`, "0", 0},
		{`{"a":}`, "ts", 0},
		{`{"a"`, "ts", 0},
		{`{"a`, "a", 0},
		{``, "ts", 0},
		{`{"ts":1796000000000}`, "t*", 0},
		{`{"ts":1796000000000}`, "@this.ts", 0},
		{`{"ts":1796000000000}`, "ts.", 0},
	} {
		n, ok := newFlatPath(v.path).number([]byte(v.json))
		if ok != (v.want != 0) || ok && n != v.want {
			t.Errorf("%s of %s: %d %v, want %d", v.path, v.json, n, ok, v.want)
		}
		agree(t, []byte(v.json), v.path)
	}
}

// Objects full of what could mislead a scan: brackets, quotes and the field's name inside strings,
// the same name deeper, escapes, duplicates, blanks, half of a text.
func TestFlatPathNeverContradictsGjson(t *testing.T) {
	piece := rapid.SampledFrom([]string{`ts`, `a`, `\"`, `\\`, `{`, `}`, `[`, `]`, `:`, `,`, `1796000000000`, `\u0041`, ` `, `é`, `"ts":1796000000001`})
	blanks := rapid.SampledFrom([]string{"", "", "", " ", "\n\t"})
	var object func(t *rapid.T, depth int) string
	var any func(t *rapid.T, depth int) string
	quoted := func(t *rapid.T) string {
		return `"` + strings.ReplaceAll(strings.Join(rapid.SliceOfN(piece, 0, 4).Draw(t, "string"), ""), `"ts":`, `\"ts\":`) + `"`
	}
	any = func(t *rapid.T, depth int) string {
		kind := rapid.IntRange(0, 6).Draw(t, "kind")
		switch {
		case kind == 0 && depth < 3:
			return object(t, depth+1)
		case kind == 1 && depth < 3:
			return "[" + any(t, depth+1) + "," + any(t, depth+1) + "]"
		case kind == 2:
			return rapid.SampledFrom([]string{"null", "true", "false", "0", "-1", "1.5e3", "01", "12345678901234567890"}).Draw(t, "literal")
		case kind == 3:
			return quoted(t)
		}
		return rapid.SampledFrom([]string{"1796000000000", "1796000000", "179600000000000000", "12345678"}).Draw(t, "number")
	}
	object = func(t *rapid.T, depth int) string {
		var b strings.Builder
		b.WriteString("{")
		for i := range rapid.IntRange(0, 4).Draw(t, "members") {
			if i > 0 {
				b.WriteString("," + blanks.Draw(t, "blank"))
			}
			key := rapid.SampledFrom([]string{`"ts"`, `"ts"`, `"a"`, `"tsx"`, `"x\"ts"`, `"t\u0073"`, `""`, `"a.ts"`}).Draw(t, "key")
			b.WriteString(key + blanks.Draw(t, "blank") + ":" + blanks.Draw(t, "blank") + any(t, depth))
		}
		return b.String() + "}"
	}
	answered := 0
	for range cases.Of(10, 1) { // of so few random objects as a plain run has, now and then none has an answer
		property.Check(t, func(t *rapid.T) {
			text := blanks.Draw(t, "blank") + object(t, 0)
			if rapid.IntRange(0, 4).Draw(t, "broken") == 0 {
				cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
				text = text[:cut] + rapid.SampledFrom([]string{"", `"`, "}", "{", `\`, ",", "1"}).Draw(t, "patch") + text[min(len(text), cut+1):]
			}
			for _, path := range []string{"ts", "a.ts", "a.a.ts", "a"} {
				if agree(t, []byte(text), path) {
					answered++
				}
			}
		})
	}
	if answered == 0 {
		t.Error("the scan never answered: it would be of no use")
	}
}

// One path over records of changing shape: what was learned from one must not mislead in the next.
func TestShapeNeverContradictsGjson(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		f := newFlatPath("ts")
		for range 40 {
			var b strings.Builder
			for i := range rapid.IntRange(1, 3).Draw(t, "members") {
				b.WriteString([]string{"{", ","}[min(i, 1)])
				b.WriteString(rapid.SampledFrom([]string{`"id":`, `"ts":`, `"ts":`, `"id" :`, `"t":`}).Draw(t, "name"))
				b.WriteString(rapid.SampledFrom([]string{`7`, `1796000000000`, `1796000000`, `"x"`, `"x\\"`, `"\","ts":1"`, `null`, `{"ts":1796000000001}`, `-1`, `1.5`, `1796000000000.5`, ``}).Draw(t, "value"))
			}
			b.WriteString(rapid.SampledFrom([]string{"}", "}", "", " }", `,"ts":1796000000002}`}).Draw(t, "end"))
			text := []byte(b.String())
			n, ok := f.number(text)
			if !ok {
				continue
			}
			if raw, number := byGjson(text, "ts"); !number || raw != strconv.FormatInt(n, 10) {
				t.Fatalf("%s: scanned %d, gjson has %q", text, n, raw)
			}
		}
	})
}

func FuzzFlatPath(f *testing.F) {
	f.Add([]byte(`{"a":"x\\","ts":1796000000000}`), "ts")
	f.Add([]byte(`{"a":{"ts":1796000000000}}`), "a.ts")
	f.Add([]byte(`{"a":[{"ts":1}],"ts":179600000000000000}`), "ts")
	f.Add([]byte(`{"a":[{"ts"(1}],"ts":179600000000000000}`), "ts")
	f.Fuzz(func(t *testing.T, b []byte, path string) { agree(t, b, path) })
}
