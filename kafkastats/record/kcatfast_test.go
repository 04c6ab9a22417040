package record

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tidemark/internal/cases/property"
)

// sameAsSlow demands that a line read in one pass is one that the careful parser reads alike.
func sameAsSlow(t interface{ Fatalf(string, ...any) }, fast *kcatLine, line []byte) bool {
	empty := func() Raw { return Raw{Offset: -1, Type: NoTimestamp} }
	got, want := empty(), empty()
	if !fast.read(line, &got) {
		return false
	}
	if err := parseKcat(line, &want); err != nil {
		t.Fatalf("%q is read, but: %v", line, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%q: %s", line, diff)
	}
	return true
}

func TestOnePassReadsWhatKcatPrints(t *testing.T) {
	for line, want := range map[string]bool{
		`{"topic":"orders","partition":3,"offset":7,"tstype":"create","ts":1796000000000,"broker":1,"key":"k","payload":"{\"ts\":1}"}`: true,
		`{"topic":"orders","partition":3,"offset":7,"tstype":"logappend","ts":1796000000000,"key":null,"payload":null}`:                true,
		`{"partition":0,"tstype":"unknown","ts":-1,"payload":""}`:                                                                      true,
		`{"partition":0, "payload":"a\\b\/c\nd\te"}`:                                                                                   true,
		`{"partition":0,"payload":"é😀"}`:                                                                                               true,
		`{"partition":0,"payload":"\u00e9"}`:                                                                                           false, // the careful parser's
		`{"partition":0,"headers":["a","b"],"payload":""}`:                                                                             false,
		`{"partition":0,"payload":{"ts":1}}`:                                                                                           false,
		`{"partition":0,"payload":"\x"}`:                                                                                               false,
		"{\"partition\":0,\"payload\":\"a\tb\"}":                                                                                       false,
		`{"partition":01}`:                                                                                                             false,
		`{"partition":-1}`:                                                                                                             false,
		`{"partition":1.0}`:                                                                                                            false,
		`{"partition":1}x`:                                                                                                             false,
		`{"partition":1`:                                                                                                               false,
		`{"payload":"x"}`:                                                                                                              false,
		`{}`:                                                                                                                           false,
		`[]`:                                                                                                                           false,
		`{"partition":1,}`:                                                                                                             false,
		`{"partition":1,"payload":"`:                                                                                                   false,
		`{"partition":1,"payload":"\`:                                                                                                  false,
	} {
		if got := sameAsSlow(t, &kcatLine{}, []byte(line)); got != want {
			t.Errorf("%s: read in one pass: %v", line, got)
		}
	}
}

// The careful parser and the one pass must agree on any line made of what lines are made of.
func TestOnePassAgreesWithTheCarefulParser(t *testing.T) {
	read := 0
	property.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"topic", "partition", "offset", "ts", "tstype", "key", "payload", "broker", "headers", "x"})
		value := rapid.OneOf(rapid.SampledFrom([]string{"0", "7", "-1", "1796000000000", "null", "true", `""`, `"create"`, `"logappend"`, `"none"`, `"orders"`, `[]`, `["a","b"]`, "1e3", "12345678901234567890", "007", ""}),
			rapid.Custom(func(t *rapid.T) string {
				return `"` + strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"abcdefgh", "x", `\"`, `\\`, `\n`, `\u0041`, `\ud83d\ude00`, "é", "\x01", `\q`, " ", "{", "1"}), 0, 6).Draw(t, "text"), "") + `"`
			}))
		var fast kcatLine
		for range 20 {
			var b strings.Builder
			b.WriteString(`{"partition":1`)
			for range rapid.IntRange(0, 5).Draw(t, "members") {
				fmt.Fprintf(&b, `,%q:%s%s`, name.Draw(t, "name"), rapid.SampledFrom([]string{"", "", " ", "\t"}).Draw(t, "blank"), value.Draw(t, "value"))
			}
			line := b.String() + rapid.SampledFrom([]string{"}", "}", "}", "", " }", "}}"}).Draw(t, "end")
			if sameAsSlow(t, &fast, []byte(line)) {
				read++
			}
		}
	})
	if read == 0 {
		t.Error("no line was read in one pass")
	}
}

func FuzzKcatLine(f *testing.F) {
	f.Add([]byte(`{"topic":"o","partition":3,"offset":7,"tstype":"create","ts":1796000000000,"key":"k","payload":"{\"ts\":1}"}`))
	f.Add([]byte(`{"partition":0,"partition":1,"broker":[],"payload":"\\\/\b"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var fast kcatLine
		sameAsSlow(t, &fast, line)
	})
}

func BenchmarkKcatLine(b *testing.B) {
	line := []byte(`{"topic":"orders","partition":3,"offset":123456,"tstype":"create","ts":1796000000000,"broker":1,"key":"k17","payload":"{\"id\":123456,\"ts\":1796000000000,\"amount\":12.5}"}`)
	b.Run("one pass", func(b *testing.B) {
		var fast kcatLine
		for b.Loop() {
			raw := Raw{}
			if !fast.read(line, &raw) {
				b.Fatal("not read")
			}
		}
	})
	b.Run("careful", func(b *testing.B) {
		for b.Loop() {
			raw := Raw{}
			if err := parseKcat(line, &raw); err != nil {
				b.Fatal(err)
			}
		}
	})
}
