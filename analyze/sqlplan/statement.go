package sqlplan

import (
	"slices"
	"strings"
)

// Kind says what a statement does.
type Kind string

// The kinds of statements that are distinguished; Other is everything without a use here.
const (
	KindInsert      Kind = "insert"
	KindSet         Kind = "statement set"
	KindSelect      Kind = "select"
	KindCreateAs    Kind = "create table as"
	KindCreateTable Kind = "create table"
	KindCreateView  Kind = "create view"
	KindCreate      Kind = "create"  // a function, catalog, database or model
	KindSession     Kind = "session" // SET, RESET, USE, LOAD, ADD JAR: the session's own state
	KindDrop        Kind = "drop"
	KindAlter       Kind = "alter"
	KindRead        Kind = "read"         // SHOW, DESCRIBE, HELP: no effect
	KindPlan        Kind = "execute plan" // a job from a plan that was compiled before
	KindOther       Kind = "other"
)

// statement is one statement of a script.
type statement struct {
	kind   Kind
	text   string // as written, without the semicolon
	tokens []token
	target string // what it writes to or creates, unquoted: a name, or a.b.c
	body   int    // index of the first token of its query; -1 for none
	plan   string // file that it compiles a plan into, or runs one from
}

func (s statement) first() token { return s.tokens[0] }

// split cuts a script into statements at semicolons. A statement set is one statement: EXECUTE
// STATEMENT SET BEGIN … END, and the SQL client's BEGIN STATEMENT SET; … END, whose text is put in
// the first form so that a gateway takes it.
func split(script string, tokens []token) []statement {
	var out []statement
	for start := 0; start < len(tokens); {
		end := statementEnd(tokens, start)
		if end > start {
			out = append(out, newStatement(script, tokens[start:end]))
		}
		start = end + 1
	}
	return out
}

// statementEnd is the index of the semicolon that ends the statement at start, or of the end.
func statementEnd(tokens []token, start int) int {
	inSet := false
	for i := start; i < len(tokens); i++ {
		switch {
		case words(tokens[i:], "STATEMENT", "SET") && i > start && (tokens[i-1].is("BEGIN") || tokens[i-1].is("EXECUTE") || tokens[i-1].is("EXPLAIN") || tokens[i-1].is("FOR")):
			inSet = true
		case inSet && tokens[i].is("END") && tokens[i-1].isSymbol(";"):
			inSet = false
		case tokens[i].isSymbol(";") && !inSet:
			return i
		}
	}
	return len(tokens)
}

// words reports that tokens begin with these keywords.
func words(tokens []token, keywords ...string) bool {
	if len(tokens) < len(keywords) {
		return false
	}
	for i, k := range keywords {
		if !tokens[i].is(k) {
			return false
		}
	}
	return true
}

func newStatement(script string, tokens []token) statement {
	s := statement{kind: KindOther, tokens: tokens, body: -1, text: script[tokens[0].start:tokens[len(tokens)-1].stop()]}
	s.classify()
	return s
}

func (s *statement) classify() {
	t := s.tokens
	switch {
	case words(t, "STATEMENT", "SET"), words(t, "BEGIN", "STATEMENT", "SET"), words(t, "EXECUTE", "STATEMENT", "SET"), words(t, "EXPLAIN", "STATEMENT", "SET"):
		s.kind, s.body = KindSet, 0
	case words(t, "EXPLAIN"):
		s.inner(explained(t))
	case words(t, "EXECUTE", "PLAN") && len(t) > 2:
		s.kind, s.plan = KindPlan, t[2].value
	case words(t, "COMPILE"):
		i := find(t, 1, "PLAN")
		if i > 0 && i+1 < len(t) {
			s.plan = t[i+1].value
		}
		if i = find(t, 1, "FOR"); i > 0 {
			s.inner(i + 1)
		}
	case words(t, "EXECUTE"):
		s.inner(1)
	case words(t, "INSERT"):
		s.kind, s.body, s.target = KindInsert, 0, insertTarget(t)
	case words(t, "SELECT"), words(t, "WITH"), words(t, "VALUES"), t[0].isSymbol("("):
		s.kind, s.body = KindSelect, 0
	case words(t, "CREATE"):
		s.create()
	case words(t, "SET"), words(t, "RESET"), words(t, "USE"), words(t, "LOAD"), words(t, "UNLOAD"), words(t, "ADD"), words(t, "REMOVE"):
		s.kind = KindSession
	case words(t, "DROP"):
		s.kind = KindDrop
	case words(t, "ALTER"):
		s.kind = KindAlter
	case words(t, "SHOW"), words(t, "DESCRIBE"), words(t, "DESC"), words(t, "HELP"), words(t, "QUIT"), words(t, "EXIT"), words(t, "CLEAR"):
		s.kind = KindRead
	}
}

// insertTarget is the table of INSERT INTO | OVERWRITE [TABLE] name.
func insertTarget(t []token) string {
	at := 2
	if len(t) > 2 && t[2].is("TABLE") {
		at = 3
	}
	name, _ := nameAt(t, at)
	return name
}

// inner takes the statement that begins at token i instead: what EXECUTE or EXPLAIN stands before.
func (s *statement) inner(i int) {
	if i <= 0 || i >= len(s.tokens) {
		return
	}
	s.text = s.text[s.tokens[i].start-s.tokens[0].start:]
	s.tokens = s.tokens[i:]
	s.classify()
}

// explained is the index behind EXPLAIN and its details: PLAN FOR, ESTIMATED_COST, JSON_EXECUTION_PLAN, …
func explained(t []token) int {
	if words(t, "EXPLAIN", "PLAN", "FOR") {
		return 3
	}
	i := 1
	for i < len(t) && (t[i].is("ESTIMATED_COST") || t[i].is("CHANGELOG_MODE") || t[i].is("JSON_EXECUTION_PLAN") || t[i].is("PLAN_ADVICE") || t[i].isSymbol(",")) {
		i++
	}
	return i
}

func (s *statement) create() {
	t, i := s.tokens, 1
	if words(t[i:], "OR") {
		i += 2 // OR REPLACE, OR ALTER
	}
	for i < len(t) && (t[i].is("TEMPORARY") || t[i].is("SYSTEM") || t[i].is("MATERIALIZED")) {
		i++
	}
	if i >= len(t) {
		return
	}
	kind := t[i]
	i++
	if words(t[i:], "IF", "NOT", "EXISTS") {
		i += 3
	}
	s.target, i = nameAt(t, i)
	as := topLevel(t, i, "AS")
	switch {
	case kind.is("TABLE") && as > 0 && as+1 < len(t):
		s.kind, s.body = KindCreateAs, as+1
	case kind.is("TABLE"):
		s.kind = KindCreateTable
	case kind.is("VIEW") && as > 0 && as+1 < len(t):
		s.kind, s.body = KindCreateView, as+1
	default:
		s.kind = KindCreate
	}
}

// nameAt reads a.b.c at token i, unquoted, and gives the index behind it.
func nameAt(t []token, i int) (name string, next int) {
	var parts []string
	for i < len(t) && t[i].isName() {
		parts = append(parts, t[i].value)
		if i++; i >= len(t) || !t[i].isSymbol(".") {
			break
		}
		i++
	}
	return strings.Join(parts, "."), i
}

// topLevel finds the first of the keywords outside of brackets from token i on; -1 where there is none.
func topLevel(t []token, i int, keywords ...string) int {
	depth := 0
	for ; i < len(t); i++ {
		switch {
		case t[i].isSymbol("("):
			depth++
		case t[i].isSymbol(")"):
			depth--
		case depth == 0 && slices.ContainsFunc(keywords, t[i].is):
			return i
		}
	}
	return -1
}

// find is the index of a keyword from token i on, -1 where it is not.
func find(t []token, i int, keyword string) int {
	for ; i < len(t); i++ {
		if t[i].is(keyword) {
			return i
		}
	}
	return -1
}
