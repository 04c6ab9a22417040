package sqlplan

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

// scan is what a plan and the gateway's catalog say about one table.
type scan struct {
	path      string // catalog.database.table
	table     table  // from SHOW CREATE TABLE and DESCRIBE; without columns where the gateway refuses those
	declared  model.Declared
	watermark bool // the plan has a watermark for it
	assigner  bool // in a separate operator: only table.exec.source.idle-timeout works there
	set       settings
	eventTime bool // an event-time operator is behind it
}

// scans takes note of the tables that a plan reads.
func (r *reader) scans(ctx context.Context, q *Query, p plan) error {
	assigned := map[*node]model.Declared{}
	p.each(func(n *node) {
		if n.kind != model.KindAssigner {
			return
		}
		if d, ok := model.ParseDeclared(n.text); ok {
			for _, in := range sourcesOf(n) {
				assigned[in] = d
			}
		}
	})
	var err error
	p.each(func(n *node) {
		path, ok := scanned(n)
		if !ok || err != nil {
			return
		}
		var c *scan
		if c, err = r.scanOf(ctx, path); err != nil {
			return
		}
		if !slices.Contains(q.Tables, r.tableName(path)) {
			q.Tables = append(q.Tables, r.tableName(path))
		}
		c.set = clone(r.set)
		if d, ok := model.ParseDeclared(n.text); ok {
			c.declared, c.watermark, c.assigner = d, true, false
		} else if d, ok := assigned[n]; ok {
			c.declared, c.watermark, c.assigner = d, true, true
		}
	})
	if err != nil {
		return err
	}
	p.each(func(n *node) {
		if n.kind.UsesEventTime() && !r.procTime(q, p, n) {
			for _, in := range sourcesOf(n) {
				path, ok := scanned(in)
				if !ok {
					continue
				}
				c := r.byPath[path]
				if c.eventTime = true; !c.watermark && !c.bounded() {
					r.noWatermark(q, c, fmt.Sprintf("its rows reach %s in %s: event time is the minimum over all inputs and would never start there", n.name(), q.words()), catalog.Critical)
				}
			}
		}
	})
	return nil
}

// bounded reports a table that is read to its end, after which it holds no event time back.
func (c *scan) bounded() bool {
	o := c.table.options
	switch o["connector"].value {
	case "jdbc", "values":
		return true
	case "filesystem":
		_, monitored := o["source.monitor-interval"]
		return !monitored
	case "datagen":
		_, limited := o["number-of-rows"]
		return limited
	}
	mode, ok := o["scan.bounded.mode"]
	return ok && mode.value != "unbounded"
}

// sourcesOf lists the scans that feed an operator.
func sourcesOf(n *node) (out []*node) {
	plan{exec: []*node{n}}.each(func(in *node) {
		if len(in.inputs) == 0 {
			out = append(out, in)
		}
	})
	return out
}

// scanOf asks the gateway about a table once: SHOW CREATE TABLE has LIKE resolved, DESCRIBE has the
// types of computed columns.
func (r *reader) scanOf(ctx context.Context, path string) (*scan, error) {
	if c := r.byPath[path]; c != nil {
		return c, nil
	}
	c := &scan{path: path}
	r.byPath[path] = c
	quoted := "`" + strings.ReplaceAll(strings.ReplaceAll(path, "`", "``"), ".", "`.`") + "`"
	rows, err := r.gw.Run(ctx, "SHOW CREATE TABLE "+quoted)
	if _, refused := asRefusal(err); err != nil && !refused {
		return nil, err
	}
	if err == nil && len(rows) > 0 && len(rows[0]) > 0 {
		if tokens, broken := lex(rows[0][0]); broken == nil {
			if s := split(rows[0][0], tokens); len(s) > 0 && s[0].kind == KindCreateTable {
				c.table = readTable(s[0])
			}
		}
	}
	rows, err = r.gw.Run(ctx, "DESCRIBE "+quoted)
	if _, refused := asRefusal(err); err != nil && !refused {
		return nil, err
	}
	for _, row := range rows {
		if len(row) < 2 {
			continue
		}
		if col := c.table.column(row[0]); col != nil {
			col.typ = row[1]
		} else {
			c.table.columns = append(c.table.columns, column{name: row[0], typ: row[1]})
		}
	}
	return c, nil
}

// find gives the script's table for a plan's path, nil where the script does not declare it.
func (r *reader) declaredFor(path string) *declared {
	for i := len(r.tables) - 1; i >= 0; i-- {
		if strings.HasSuffix("."+path, "."+r.tables[i].name) {
			return &r.tables[i]
		}
	}
	return nil
}

// tableName is a table as the script names it, else its path.
func (r *reader) tableName(path string) string {
	if d := r.declaredFor(path); d != nil {
		return d.name
	}
	return path
}

var timeColumn = regexp.MustCompile(`(?:time_col=\[|GroupWindow\('[^,]*, )([^\],]+)`)

// procTime reports a window, OVER or sort on processing time. Plan text does not say it: the columns
// of the tables that are read do.
func (r *reader) procTime(q *Query, p plan, n *node) bool {
	switch {
	case strings.Contains(n.text, "proctime('w$)") && !strings.Contains(n.text, "rowtime('w$)"), r.noneMarked(n):
		return true
	case strings.HasPrefix(n.name(), "GroupWindow") && r.processingWindows(p):
		return true
	}
	col := orderColumn(n)
	if m := timeColumn.FindStringSubmatch(n.text); m != nil {
		col = m[1]
	}
	return col != "" && r.anyColumn(q, col, func(c *scan, typ string) bool { return strings.Contains(typ, "*PROCTIME*") }) && !r.isRowtime(q, col)
}

// noneMarked reports an operator that no table with a watermark feeds: Flink would have refused it, were it
// on event time.
func (r *reader) noneMarked(n *node) bool {
	tables := 0
	for _, in := range sourcesOf(n) {
		path, ok := scanned(in)
		if c := r.byPath[path]; ok && (c == nil || c.watermark) || !ok && in.name() != "Values" {
			return false
		}
		tables++
	}
	return tables > 0
}

// isRowtime reports a column name that is the time attribute of a table that is read.
func (r *reader) isRowtime(q *Query, col string) bool {
	return r.anyColumn(q, col, func(c *scan, typ string) bool {
		return strings.Contains(typ, "*ROWTIME*") || c.table.watermark != nil && c.table.watermark.column == col
	})
}

func (r *reader) anyColumn(q *Query, col string, is func(*scan, string) bool) bool {
	for _, c := range r.byPath {
		if !slices.Contains(q.Tables, r.tableName(c.path)) {
			continue
		}
		for _, have := range c.table.columns {
			if have.name == col && is(c, have.typ) {
				return true
			}
		}
	}
	return false
}

// withoutWatermark finds a table below a join that has no watermark.
func (r *reader) withoutWatermark(n *node) (*scan, bool) {
	for _, in := range sourcesOf(n) {
		if path, ok := scanned(in); ok && r.byPath[path] != nil && !r.byPath[path].watermark {
			return r.byPath[path], true
		}
	}
	return nil, false
}

func clone(s settings) settings {
	out := settings{}
	for k, v := range s {
		out[k] = v
	}
	return out
}
