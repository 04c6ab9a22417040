package sqlplan

import (
	"context"
	"fmt"
	"strings"
)

// reader goes through a script once.
type reader struct {
	file, script string
	gw           Gateway // nil: CREATE TABLE alone
	answer       Answer
	set, cluster settings          // in force, and the gateway's own
	catalog      string            // current one
	home         string            // the session's first
	kinds        map[string]string // type of each catalog that the script creates
	memory       map[string]bool   // catalogs that live in the session's memory
	stored       bool              // the gateway keeps a catalog store
	tables       []declared        // of the script, in its order
	views        map[string]*statement
	mentioned    mentions          // without a gateway
	byPath       map[string]*scan  // tables that plans read
	absent       map[string]string // objects that could not be created, and why
	reported     map[string]bool   // findings about tables, said once
	hints        map[string]*hints // of the tables that queries read
	compiled     map[string]bool   // files that the script compiles a plan into
	gone         map[string]bool   // catalogs of the script that the gateway cannot create
}

// declared is a table of the script with the settings of its last query.
type declared struct {
	table
	statement statement
	catalog   string // that keeps it, "" where that is in memory or the table is temporary
	current   string // current catalog where it was declared, "" where that is in memory
}

// ReadDDL reads the CREATE TABLE statements of a script without a gateway; its queries stay unchecked,
// which Incomplete says. file is the name used in locations.
func ReadDDL(file, script string) Answer {
	r := newReader(file, script, nil)
	r.read(context.Background())
	return r.finish()
}

// Read executes the definitions of a script in a session of a gateway and explains its queries. What
// Flink refuses is a finding; the error is the gateway's, which then answers no more, or ctx's.
func Read(ctx context.Context, gw Gateway, file, script string) (Answer, error) {
	r := newReader(file, script, gw)
	r.answer.Gateway = gw.URL()
	version, err := gw.Version(ctx)
	if err != nil {
		return Answer{}, err
	}
	r.answer.FlinkVersion = version
	if err := r.session(ctx); err != nil {
		return Answer{}, err
	}
	if err := r.read(ctx); err != nil {
		return Answer{}, err
	}
	return r.finish(), nil
}

func newReader(file, script string, gw Gateway) *reader {
	return &reader{file: file, script: script, gw: gw, answer: Answer{File: file}, set: settings{}, cluster: settings{}, memory: map[string]bool{},
		catalog: builtinCatalog, home: builtinCatalog, kinds: map[string]string{}, views: map[string]*statement{}, absent: map[string]string{}, byPath: map[string]*scan{}, reported: map[string]bool{},
		hints: map[string]*hints{}, compiled: map[string]bool{}, gone: map[string]bool{}}
}

// session finds out the gateway's settings and which catalogs live in memory.
func (r *reader) session(ctx context.Context) error {
	rows, err := r.gw.Run(ctx, "SET")
	if err != nil {
		return err
	}
	for _, row := range rows {
		if len(row) > 1 {
			r.cluster[row[0]], r.set[row[0]] = row[1], row[1]
		}
	}
	kind, ok := r.cluster["table.catalog-store.kind"]
	r.stored = ok && kind != "generic_in_memory"
	rows, err = r.gw.Run(ctx, "SHOW CURRENT CATALOG")
	if err != nil {
		return err
	}
	if len(rows) > 0 && len(rows[0]) > 0 {
		r.catalog = rows[0][0]
		r.home = r.catalog
		r.memory[r.catalog] = !r.stored // a store may have put another catalog under that name
	}
	return nil
}

func (r *reader) read(ctx context.Context) error {
	tokens, broken := lex(r.script)
	statements := split(r.script, tokens)
	if broken != nil {
		// The statement with the open quote is cut short: it must not be sent.
		if len(statements) > 0 && !tokens[len(tokens)-1].isSymbol(";") {
			statements = statements[:len(statements)-1]
		}
	}
	for i := range statements {
		if err := r.statement(ctx, &statements[i]); err != nil {
			return err
		}
	}
	if broken != nil {
		f := r.finding("TM612", ofQuery(r.file), Location{File: r.file, Line: broken.line, Column: broken.col})
		f.Summary = fmt.Sprintf("%s does not parse: %s", name(r.file), broken.what)
		r.add(f)
	}
	if len(statements) == 0 && broken == nil {
		r.incomplete("%s holds no statement", name(r.file))
	}
	return nil
}

func (r *reader) statement(ctx context.Context, s *statement) error {
	for _, t := range s.tokens {
		if t.kind == varRef {
			f := r.finding("TM612", r.subject(s), r.at(t))
			f.Summary = fmt.Sprintf("The statement still has the variable ${%s}: have it replaced before the check, as before the run", oneLine(t.value))
			r.add(f)
			r.lose(s, "its statement still has a variable")
			return nil
		}
	}
	marks := r.platformMarks(s)
	if len(marks) > 0 {
		r.ofPlatform(s, marks)
		if r.gw != nil {
			return nil
		}
	}
	if e := r.unparsed(*s); e != nil {
		f := r.finding("TM612", r.subject(s), Location{File: r.file, Line: e.line, Column: e.col})
		f.Summary = fmt.Sprintf("%s does not parse: %s", strings.TrimSpace(head(*s)+" "+quotedName(s.target)), e.what)
		r.add(f)
		r.lose(s, "its statement does not parse")
		return nil
	}
	r.readHints(s)
	if s.plan != "" && s.kind != KindPlan {
		r.compiled[s.plan] = true
	}
	switch s.kind {
	case KindPlan:
		r.executePlan(s)
		return nil
	case KindCreateTable:
		r.declare(s, len(marks) > 0)
	case KindCreateView:
		r.views[last(s.target)] = s
	}
	if r.gw == nil {
		if s.isQuery() || s.kind == KindCreateView {
			r.mentioned.of(s.tokens)
		}
		r.follow(*s)
		if s.kind == KindAlter && !r.altered(s) || words(s.tokens, "SOURCE") {
			r.incomplete("%s in line %d is not followed without a SQL gateway, so tables may differ from what was judged%s", head(*s), s.first().line, r.topicTable(s))
		}
		if s.isQuery() {
			r.answer.Queries = append(r.answer.Queries, Query{Kind: s.kind, Name: oneLine(s.queryName()), Location: r.at(s.first()), Status: Skipped, Reason: "without a SQL gateway only CREATE TABLE is read"})
			r.changes(s, nil, r.changeUses(s), nil)
			r.emits(s)
		}
		return nil
	}
	if s.isQuery() {
		return r.query(ctx, s)
	}
	return r.execute(ctx, s)
}

func quotedName(s string) string {
	if s == "" {
		return ""
	}
	return name(s)
}

// unparsed finds without a gateway what Flink's parser would refuse, nil with one: Flink itself tells.
func (r *reader) unparsed(s statement) *lexError {
	switch {
	case r.gw != nil:
		return nil
	case !s.known():
		return s.wrong(0, "no statement of Flink begins with "+name(s.tokens[0].value))
	case s.kind == KindCreateTable:
		return malformed(s)
	}
	return nil
}

// declare keeps a table; a later one of the same name takes its place.
func (r *reader) declare(s *statement, platform bool) {
	d := declared{table: readTable(*s), statement: *s}
	d.platform = platform
	if r.keepsElsewhere(r.catalog) {
		d.current = r.catalog
	}
	if of := r.catalogOf(*s); r.keepsElsewhere(of) && topLevel(s.tokens, 0, "TEMPORARY") < 0 {
		d.catalog = of
		r.createdElsewhere(&d)
	}
	for i := range r.tables {
		if r.tables[i].name == d.name {
			r.tables[i] = d
			return
		}
	}
	r.tables = append(r.tables, d)
}

// execute runs a definition in the session, as far as the rules allow.
func (r *reader) execute(ctx context.Context, s *statement) error {
	a := r.action(*s)
	if a.send == "" {
		if a.reason != "" {
			r.answer.Queries = append(r.answer.Queries, Query{Kind: s.kind, Name: head(*s), Location: r.at(s.first()), Status: Skipped, Reason: a.reason})
			r.lose(s, "its statement was not executed")
			if s.kind == KindAlter || s.kind == KindOther && (words(s.tokens, "SOURCE") || !s.known()) {
				r.incomplete("%s", a.reason)
			}
		}
		return nil
	}
	if words(s.tokens, "USE", "CATALOG") && len(s.tokens) > 2 && r.gone[s.tokens[2].value] {
		r.catalog = s.tokens[2].value
		return nil
	}
	_, err := r.gw.Run(ctx, a.send)
	if err == nil {
		r.follow(*s)
		if s.kind == KindAlter && words(s.tokens, "ALTER", "TABLE") {
			r.altered(s)
		}
		delete(r.absent, last(s.target))
		return nil
	}
	refusal, ok := asRefusal(err)
	if !ok {
		return err
	}
	r.lose(s, "its statement was refused")
	r.refusedDefinition(s, a, refusal)
	return nil
}

// lose remembers that what s defines does not exist, so that its users are not blamed.
func (r *reader) lose(s *statement, why string) {
	if s.target != "" && s.kind != KindInsert && s.kind != KindSelect && s.kind != KindSet {
		r.absent[last(s.target)] = why
	}
}

func (s *statement) isQuery() bool {
	switch s.kind {
	case KindInsert, KindSet, KindSelect, KindCreateAs:
		return true
	}
	return false
}

// queryName is what a query writes to.
func (s *statement) queryName() string {
	switch s.kind {
	case KindSelect:
		return "SELECT"
	case KindSet:
		var targets []string
		for i := range s.tokens {
			if s.tokens[i].is("INSERT") {
				targets = append(targets, insertTarget(s.tokens[i:]))
			}
		}
		return strings.Join(targets, ", ")
	}
	return s.target
}
