package engine

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tidemark/internal/cases"
)

// vector is one line of a golden file: what Flink's own classes did with a schedule.
type vector struct {
	Name     string          `json:"name"`
	Kind     string          `json:"kind"`
	Flink    string          `json:"flink"`
	Channels int             `json:"channels"`
	Config   json.RawMessage `json:"config"`
	Ops      []op            `json:"ops"`
	Out      json.RawMessage `json:"out"`
}

// op is ["verb", argument...]; arguments are strings or whole numbers.
type op struct {
	verb string
	args []json.RawMessage
}

func (o *op) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &o.args); err != nil {
		return err
	}
	if len(o.args) == 0 {
		return fmt.Errorf("operation without a verb")
	}
	verb := o.args[0]
	o.args = o.args[1:]
	return json.Unmarshal(verb, &o.verb)
}

func (o op) num(i int) int64 {
	var n int64
	if err := json.Unmarshal(o.args[i], &n); err != nil {
		panic(fmt.Sprintf("%s: argument %d: %v", o.verb, i, err))
	}
	return n
}

func (o op) text(i int) string {
	var s string
	if err := json.Unmarshal(o.args[i], &s); err != nil {
		panic(fmt.Sprintf("%s: argument %d: %v", o.verb, i, err))
	}
	return s
}

// journal writes events in the vectors' own form, so that a comparison is a
// comparison of text.
type journal struct {
	op     int
	clock  func() int64
	events []string
}

func (j *journal) add(format string, args ...any) {
	at := fmt.Sprintf("[%d", j.op)
	if j.clock != nil {
		at += fmt.Sprintf(",%d", j.clock())
	}
	j.events = append(j.events, at+","+fmt.Sprintf(format, args...)+"]")
}

func (j *journal) EmitWatermark(ts int64) { j.add(`"wm",%d`, ts) }

func (j *journal) EmitStatus(idle bool) {
	if idle {
		j.add(`"idle"`)
	} else {
		j.add(`"active"`)
	}
}

// replayers maps a vector's kind to the code that replays it.
var replayers = map[string]func(vector, Version, *journal) error{
	"source": replaySource,
	"valve":  replayValve,
}

var versionInName = regexp.MustCompile(`(\d+)\.(\d+)\.(\d+)`)

// goldenFiles are the vectors of this repository and those TIDEMARK_GOLDEN names:
// files or directories, separated by commas or the list separator.
func goldenFiles(t testing.TB) []string {
	t.Helper()
	names := []string{filepath.Join("..", "testdata", "golden")}
	split := func(r rune) bool { return r == ',' || r == os.PathListSeparator }
	names = append(names, strings.FieldsFunc(os.Getenv("TIDEMARK_GOLDEN"), split)...)
	var files []string
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatalf("golden vectors: %v", err)
		}
		if !info.IsDir() {
			files = append(files, name)
			continue
		}
		for _, pattern := range []string{"*.jsonl", "*.jsonl.gz"} {
			found, err := filepath.Glob(filepath.Join(name, pattern))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, found...)
		}
	}
	return files
}

func TestConformance(t *testing.T) {
	files := goldenFiles(t)
	if len(files) == 0 {
		t.Fatal("no golden vectors found")
	}
	for _, file := range cases.Some(files, (len(files)+1)/2) {
		t.Run(filepath.Base(file), func(t *testing.T) { replayFile(t, file) })
	}
}

func replayFile(t *testing.T, file string) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var reader io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if reader, err = gzip.NewReader(f); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	version := Latest
	if text := versionInName.FindString(filepath.Base(file)); text != "" {
		if version, err = ParseVersion(text); err != nil {
			t.Fatal(err)
		}
	}
	lines := bufio.NewScanner(reader)
	lines.Buffer(nil, 64<<20)
	count, failed := 0, 0
	kinds := map[string]int{}
	for line := 1; lines.Scan(); line++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		count++
		kind, err := replayLine(lines.Bytes(), version)
		kinds[kind]++
		if err != nil {
			if failed++; failed <= 5 {
				t.Errorf("%s:%d: %v", filepath.Base(file), line, err)
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if count == 0 {
		t.Fatalf("%s holds no vectors", file)
	}
	if failed > 0 {
		t.Errorf("%d of %d vectors differ", failed, count)
	}
	t.Logf("Flink %s: %d vectors %v", version, count, kinds)
}

// replayLine replays one vector and compares every event. An unknown kind or
// operation is an error: a vector that was not understood was not checked.
func replayLine(line []byte, version Version) (kind string, err error) {
	var v vector
	if err := json.Unmarshal(line, &v); err != nil {
		return "", err
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %v", v.Name, r)
		}
	}()
	if v.Flink != "" {
		if version, err = ParseVersion(v.Flink); err != nil {
			return v.Kind, err
		}
	}
	replay, known := replayers[v.Kind]
	if !known {
		return v.Kind, fmt.Errorf("%s: unknown kind %q", v.Name, v.Kind)
	}
	j := &journal{}
	if err := replay(v, version, j); err != nil {
		return v.Kind, fmt.Errorf("%s: operation %d: %w", v.Name, j.op, err)
	}
	var want []json.RawMessage
	if err := json.Unmarshal(v.Out, &want); err != nil {
		return v.Kind, fmt.Errorf("%s: out: %w", v.Name, err)
	}
	return v.Kind, compareEvents(v.Name, j.events, want)
}

func compareEvents(name string, got []string, want []json.RawMessage) error {
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = strings.ReplaceAll(string(want[i]), " ", "")
		}
		if g != w {
			return fmt.Errorf("%s: event %d: engine %s, Flink %s", name, i, g, w)
		}
	}
	return nil
}
