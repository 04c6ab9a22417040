package sqlplan

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze/catalog"
)

// builtinCatalog is the catalog of a session without another (table.builtin-catalog-name).
const builtinCatalog = "default_catalog"

// catalogRefusals are what catalogs refuse in CREATE TABLE, by the type of the catalog.
var catalogRefusals = map[string]func(t table) string{
	"iceberg": func(t table) string {
		if t.watermark != nil {
			return "an Iceberg catalog takes no table with WATERMARK"
		}
		if slices.ContainsFunc(t.columns, func(c column) bool { return c.computed != nil || c.metadata }) {
			return "an Iceberg catalog takes no computed and no METADATA column"
		}
		return ""
	},
	"jdbc": func(table) string { return "a JDBC catalog only reads, it creates no table" },
}

// keepsElsewhere reports a catalog that does not live in the session's memory: what a table there is,
// it decides.
func (r *reader) keepsElsewhere(catalog string) bool {
	return catalog != "" && catalog != r.home && !r.memory[catalog]
}

// catalogWords names a catalog with its type.
func (r *reader) catalogWords(catalog string) string {
	if kind := r.kinds[catalog]; kind != "" {
		return fmt.Sprintf("catalog %s (%s)", name(catalog), oneLine(kind))
	}
	return "catalog " + name(catalog)
}

// goneCatalog is the catalog that a refused statement needs and the gateway's session does not have, "" for
// none: one that the script could not create, or one that it does not create and writes before a name.
func (r *reader) goneCatalog(s *statement, refusal *Refusal) string {
	for i := 0; i+3 < len(s.tokens); i++ {
		t := s.tokens[i:]
		if !t[0].isName() || !t[1].isSymbol(".") || !t[2].isName() {
			continue
		}
		path, _ := nameAt(t, 0)
		if of := t[0].value; r.gone[of] || strings.Count(path, ".") == 2 && of == refusal.missing() && r.kinds[of] == "" {
			return of
		}
	}
	if r.gone[r.catalog] {
		return r.catalog
	}
	for i := range r.tables {
		d := &r.tables[i]
		for _, of := range []string{d.catalog, r.likeCatalog(d)} {
			if r.gone[of] && d.name != s.target && reads(s.tokens, last(d.name)) {
				return of
			}
		}
	}
	for _, v := range r.viewsOf(s) {
		if of := r.goneCatalog(v, refusal); of != "" {
			return of
		}
	}
	return ""
}

// withoutCatalog says that a statement was refused for lack of a catalog, which is no fault of the script.
func (r *reader) withoutCatalog(s *statement, what string, refusal *Refusal) bool {
	_, known := refusal.remedy()
	if kind := refusal.kind(); kind != refusedObject && kind != refusedMissing && !known {
		return false
	}
	of := r.goneCatalog(s, refusal)
	if of == "" {
		return false
	}
	r.incomplete("%s was not checked: it needs %s, which the gateway does not have: %s", what, r.catalogWords(of), refusal.reason())
	return true
}

// createdElsewhere judges a CREATE TABLE in a catalog that is not in memory.
func (r *reader) createdElsewhere(d *declared) {
	refuses := catalogRefusals[r.kinds[d.catalog]]
	if refuses == nil {
		return
	}
	why := refuses(d.table)
	if why == "" {
		return
	}
	f := r.finding("TM617", ofTable(d.name), r.at(d.at))
	f.Confidence = catalog.Likely
	f.Summary = fmt.Sprintf("Table %s is refused by its %s: %s", name(d.name), r.catalogWords(d.catalog), why)
	prove(&f, d.name, "type of catalog "+d.catalog, r.kinds[d.catalog])
	r.add(f)
}

// base is the table of the script that LIKE names, nil where it declares none: by its whole name, or
// by catalog and table where the database was left to USE.
func (r *reader) base(like string) *declared {
	if d := r.declaredAs(like); d != nil {
		return d
	}
	if strings.Count(like, ".") < 2 {
		return nil
	}
	of := like[:strings.Index(like, ".")]
	for i := range r.tables {
		if d := &r.tables[i]; d.catalog == of && last(d.name) == last(like) {
			return d
		}
	}
	return nil
}

// likeCatalog is the catalog of the table that d is LIKE, "" where it is in memory.
func (r *reader) likeCatalog(d *declared) string {
	switch b := r.base(d.like); {
	case d.like == "":
		return ""
	case b != nil:
		return b.catalog
	case strings.Count(d.like, ".") >= 2:
		if of := d.like[:strings.Index(d.like, ".")]; r.keepsElsewhere(of) {
			return of
		}
		return ""
	}
	return d.current
}

// fromCatalog judges what another catalog decides about the event time of a table. t is d with what
// LIKE takes over.
func (r *reader) fromCatalog(d *declared, t table, read bool) {
	if d.catalog != "" && (t.watermark != nil || read) {
		how := "the script alone does not show what the catalog makes of it"
		if r.gw != nil {
			how = "it was planned as a temporary table, which the catalog never sees"
		}
		r.incomplete("table %s is created in %s, which decides its types and whether it takes a WATERMARK: %s", name(d.name), r.catalogWords(d.catalog), how)
		return
	}
	of := r.likeCatalog(d)
	if of == "" || t.watermark == nil && r.gw != nil {
		return
	}
	if t.watermark != nil && d.column(t.watermark.column) != nil {
		return // a column of its own, whose type is written here
	}
	if t.watermark != nil && t.watermark.col.line > 0 { // the plan's temporary table has the types as written
		if c := t.column(t.watermark.column); c != nil {
			if ts, ok := ParseTimestamp(c.typ); ok && ts.Precision > 3 {
				r.precision(d.name, r.at(t.watermark.col), c.name, c.typ, nil)
			}
		}
	}
	if r.base(d.like) == nil && r.gw != nil {
		return // the gateway's session has the catalog and took the types from it
	}
	r.incomplete("table %s is LIKE %s of %s, which decides the types of its columns: check it through a SQL gateway, against the table as the catalog keeps it", name(d.name), name(d.like), r.catalogWords(of))
}

// icebergTypes are the columns as an Iceberg catalog gives them back: six digits in every timestamp.
func icebergTypes(columns []column) []column {
	out := slices.Clone(columns)
	for i := range out {
		ts, ok := ParseTimestamp(out[i].typ)
		switch {
		case ok && ts.Zoned:
			out[i].typ = "TIMESTAMP_LTZ(6)"
		case ok:
			out[i].typ = "TIMESTAMP(6)"
		}
	}
	return out
}
