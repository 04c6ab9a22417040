package sqlplantest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"tidemark/analyze/sqlplan"
)

// exchange is one statement and its answer: rows, or Flink's error.
type exchange struct {
	Script    string          `json:"script"`
	Statement string          `json:"statement"`
	Rows      [][]string      `json:"rows,omitempty"`
	Refused   []sqlplan.Cause `json:"refused,omitempty"`
}

// Conversation is the answers of a gateway of one version to the scripts: gzipped JSON lines, the
// version first.
type Conversation struct {
	version   string
	exchanges []exchange
}

// File is the path of the conversation with a version.
func File(dir, version string) string { return dir + "/explain-" + version + ".jsonl.gz" }

// loaded caches conversations by file: tests load each many times.
var loaded sync.Map

// Load reads a recorded conversation; each file is read once.
func Load(t testing.TB, dir, version string) *Conversation {
	t.Helper()
	if c, ok := loaded.Load(File(dir, version)); ok {
		return c.(*Conversation)
	}
	b, err := os.ReadFile(File(dir, version))
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	c := &Conversation{version: version}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var e exchange
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		c.exchanges = append(c.exchanges, e)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	loaded.Store(File(dir, version), c)
	return c
}

// Save writes a conversation.
func (c *Conversation) Save(dir string) error {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	e := json.NewEncoder(z)
	e.SetEscapeHTML(false)
	slices.SortStableFunc(c.exchanges, func(a, b exchange) int { return strings.Compare(a.Script, b.Script) })
	for _, x := range c.exchanges {
		if err := e.Encode(x); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(File(dir, c.version), b.Bytes(), 0o644)
}

// Texts are the first cells of all answers, and every message.
func (c *Conversation) Texts() (out []string) {
	for _, e := range c.exchanges {
		for _, row := range e.Rows {
			out = append(out, row[0])
		}
		for _, cause := range e.Refused {
			out = append(out, cause.Message)
		}
	}
	return out
}

// Replay answers one script as the gateway did, in the recorded order of equal statements.
func (c *Conversation) Replay(script string) sqlplan.Gateway {
	p := &player{version: c.version, script: script, answers: map[string][]exchange{}}
	for _, e := range c.exchanges {
		if e.Script == script {
			p.answers[e.Statement] = append(p.answers[e.Statement], e)
		}
	}
	return p
}

type player struct {
	version, script string
	answers         map[string][]exchange
}

func (p *player) URL() string                             { return "http://recorded:8083" }
func (p *player) Version(context.Context) (string, error) { return p.version, nil }

func (p *player) Run(_ context.Context, statement string) ([][]string, error) {
	queue := p.answers[statement]
	if len(queue) == 0 {
		return nil, fmt.Errorf("%s, Flink %s: nothing recorded for %q", p.script, p.version, statement)
	}
	e := queue[0]
	if len(queue) > 1 {
		p.answers[statement] = queue[1:]
	}
	if len(e.Refused) > 0 {
		return nil, &sqlplan.Refusal{Causes: e.Refused}
	}
	return e.Rows, nil
}

// Recording continues the recording of a version, or starts one: scripts that are not recorded
// again keep their answers.
func Recording(t testing.TB, dir, version string) *Conversation {
	t.Helper()
	if _, err := os.Stat(File(dir, version)); errors.Is(err, fs.ErrNotExist) {
		return &Conversation{version: version}
	}
	return &Conversation{version, slices.Clone(Load(t, dir, version).exchanges)}
}

// Record records the answers of a gateway to one script, replacing the old ones.
func (c *Conversation) Record(script string, g sqlplan.Gateway) sqlplan.Gateway {
	c.exchanges = slices.DeleteFunc(c.exchanges, func(e exchange) bool { return e.Script == script })
	return &recorder{g, c, script}
}

type recorder struct {
	sqlplan.Gateway
	c      *Conversation
	script string
}

func (r *recorder) Run(ctx context.Context, statement string) ([][]string, error) {
	rows, err := r.Gateway.Run(ctx, statement)
	e := exchange{Script: r.script, Statement: statement, Rows: rows}
	if statement == "SET" { // the gateway's own settings name its host
		e.Rows = nil
	}
	var refusal *sqlplan.Refusal
	if errors.As(err, &refusal) {
		e.Refused = refusal.Causes
	} else if err != nil {
		return rows, err
	}
	r.c.exchanges = append(r.c.exchanges, e)
	return rows, err
}
