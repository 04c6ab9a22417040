package sqlplan

import (
	"fmt"
	"strings"
)

// What is sent to a gateway, and how. The session is the gateway's own and dies with the reading, so
// what lives in its memory may be changed; nothing else may, and nothing is ever run as a job:
//
//   - queries (INSERT, statement set, SELECT, the query of CREATE TABLE AS) are only explained;
//   - SET, RESET, USE, LOAD, ADD JAR and everything TEMPORARY change the session alone: executed;
//   - CREATE, ALTER and DROP without TEMPORARY are executed in a catalog in memory: the session's
//     built-in one, and those that the script creates with 'type' = 'generic_in_memory';
//   - elsewhere CREATE TABLE, VIEW and FUNCTION are executed as TEMPORARY ones, which the catalog never
//     sees; ALTER, DROP and CREATE DATABASE are not executed;
//   - a catalog is created only where the gateway keeps no catalog store, which would remember it;
//   - everything else (UPDATE, DELETE, TRUNCATE, CALL, ANALYZE, STOP JOB, …) is not executed.

// action is what becomes of a statement that is no query.
type action struct {
	send   string // what is executed, "" for nothing
	shift  int    // characters that were put in front of the statement's second word
	reason string // why nothing is executed, "" where that needs no word
}

func (r *reader) action(s statement) action {
	verbatim := action{send: s.text}
	temporary := len(s.tokens) > 1 && (s.tokens[1].is("TEMPORARY") || words(s.tokens, "CREATE", "OR", "REPLACE", "TEMPORARY"))
	switch s.kind {
	case KindSession:
		return verbatim
	case KindRead:
		return action{}
	case KindCreateTable, KindCreateView, KindCreate:
		if temporary {
			return verbatim
		}
		return r.create(s)
	case KindDrop, KindAlter:
		if temporary || r.inMemory(r.catalogOf(s)) {
			return verbatim
		}
		return action{reason: fmt.Sprintf("%s is not executed: it would change catalog %s", head(s), name(r.catalogOf(s)))}
	}
	if words(s.tokens, "SOURCE") {
		return action{reason: "SOURCE is not followed: check that file by itself, or put it before this one"}
	}
	if !s.known() {
		return action{reason: head(s) + " is not executed: no statement that is known here begins so"}
	}
	return action{reason: head(s) + " is not executed: it would change something outside of the session"}
}

func (r *reader) create(s statement) action {
	t := s.tokens
	switch {
	case find(t, 1, "CATALOG") == 1:
		if r.stored {
			return action{reason: "CREATE CATALOG is not executed: the gateway keeps a catalog store, which would remember it"}
		}
		return action{send: s.text}
	case r.inMemory(r.catalogOf(s)):
		return action{send: s.text}
	case t[1].is("TABLE") || t[1].is("VIEW") || t[1].is("FUNCTION"):
		const word = "TEMPORARY "
		at := t[1].start - t[0].start
		return action{send: s.text[:at] + word + s.text[at:], shift: len(word)}
	}
	return action{reason: fmt.Sprintf("%s is not executed: it would change catalog %s", head(s), name(r.catalogOf(s)))}
}

// follow keeps up with the session's catalogs and settings after a statement was executed.
func (r *reader) follow(s statement) {
	t := s.tokens
	switch {
	case words(t, "USE", "CATALOG") && len(t) > 2:
		r.catalog = t[2].value
	case words(t, "USE") && len(t) == 4 && t[2].isSymbol("."): // USE catalog.database
		r.catalog = t[1].value
	case words(t, "CREATE", "CATALOG"):
		for i := range t {
			if t[i].kind == text && t[i].value == "type" && i+2 < len(t) {
				r.kinds[s.target] = strings.ToLower(t[i+2].value)
				r.memory[s.target] = t[i+2].value == "generic_in_memory"
			}
		}
	case s.kind == KindSession:
		r.set.apply(t, r.cluster)
	}
}

// catalogOf is the catalog that a statement changes: the first of three parts of the name behind
// TABLE, VIEW, …, else the current one.
func (r *reader) catalogOf(s statement) string {
	for i, t := range s.tokens {
		if i == 0 || !(t.is("TABLE") || t.is("VIEW") || t.is("FUNCTION") || t.is("DATABASE") || t.is("MODEL")) {
			continue
		}
		k := i + 1
		for k < len(s.tokens) && (s.tokens[k].is("IF") || s.tokens[k].is("NOT") || s.tokens[k].is("EXISTS")) {
			k++
		}
		parts := 3
		if t.is("DATABASE") {
			parts = 2
		}
		n, end := nameAt(s.tokens, k)
		if end-k == 2*parts-1 { // a.b.c has five tokens
			return n[:strings.Index(n, ".")]
		}
		break
	}
	return r.catalog
}

func (r *reader) inMemory(catalog string) bool { return r.memory[catalog] }

func topLevelSymbol(t []token, symbol string) int {
	for i := range t {
		if t[i].isSymbol(symbol) {
			return i
		}
	}
	return -1
}

// head is the statement's kind in its own words: "ALTER TABLE".
func head(s statement) string {
	out := strings.ToUpper(s.tokens[0].value)
	if s.tokens[0].is("SET") || s.tokens[0].is("RESET") {
		if i := topLevelSymbol(s.tokens, "="); i > 1 {
			out += " '" + join(s.tokens[1:i]) + "'"
		}
		return cut(oneLine(out), 80)
	}
	if len(s.tokens) > 1 && s.tokens[1].kind == word {
		out += " " + strings.ToUpper(s.tokens[1].value)
	}
	return cut(oneLine(out), 40)
}
