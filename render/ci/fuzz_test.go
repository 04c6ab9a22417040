package ci

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// FuzzForeignNamesInACheck puts any name wherever foreign text can occur: every format stays well formed, and no build
// executes a line of it.
func FuzzForeignNamesInACheck(f *testing.F) {
	for i, name := range checkHostileNames {
		if len(name) < 1000 {
			f.Add(name, uint8(i))
		}
	}
	want := len(buildCommands(string(checkedBy(f, GitHub, "plain"))))
	f.Fuzz(func(t *testing.T, name string, which uint8) {
		// One format each time: all of them with every name took so long that few names were tried.
		format := checkFormats[int(which)%len(checkFormats)]
		out := checkedBy(t, format, name)
		if bad := acted(string(out)); len(bad) > 0 || !utf8.Valid(out) {
			t.Errorf("%s lets %q pass", format, bad)
		}
		commands := len(buildCommands(string(out)))
		if format == GitHub && commands != want || format != GitHub && commands > 0 {
			t.Errorf("%s has %d commands", format, commands)
		}
		if err := wellFormed(format, out); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	})
}

func checkedBy(t testing.TB, format, name string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, format, hostileRun(name), Options{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func wellFormed(format string, out []byte) error {
	var v any
	switch format {
	case JSON, SARIF, GitLab:
		return json.Unmarshal(out, &v)
	case YAML:
		return yaml.Unmarshal(out, &v)
	case JUnit:
		dec := xml.NewDecoder(bytes.NewReader(out))
		for {
			if _, err := dec.Token(); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}
