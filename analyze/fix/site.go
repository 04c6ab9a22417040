// Package fix makes the fixes of findings suit the job: its API, Flink version and names, the delay in force, and the
// options that are set already.
package fix

import (
	"regexp"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
)

// api is a set of APIs that a job is written in, as far as its plan shows.
type api int

// dataStream and sql may both be set: a table made from a DataStream, or a DataStream made from a table.
const (
	dataStream api = 1 << iota
	sql
	beam
)

// site is a job and the place that a finding names.
type site struct {
	job    *model.Job
	vertex *model.Vertex // nil = the job as a whole
	source *model.Vertex // that the place is, or reads from; nil where there are several
	found  *catalog.Finding
	all    []catalog.Finding // of the job
}

func siteOf(j *model.Job, f *catalog.Finding, all []catalog.Finding) site {
	s := site{job: j, found: f, all: all}
	if f.Vertex != nil {
		s.vertex = j.Vertex(f.Vertex.ID)
	}
	s.source = sourceOf(j, s.vertex)
	return s
}

// sourceOf is the source that a vertex is, or reads from; nil where there are several.
func sourceOf(j *model.Job, v *model.Vertex) *model.Vertex {
	sources := j.Sources()
	if v != nil {
		sources = v.SourcesOf()
		if v.IsSource() {
			return v
		}
	}
	if len(sources) == 1 {
		return sources[0]
	}
	return nil
}

// api is the API of the place and of its sources.
func (s site) api() api {
	vertices := s.job.Vertices
	if s.vertex != nil {
		vertices = append([]*model.Vertex{s.vertex}, s.vertex.SourcesOf()...)
	}
	var out api
	for _, v := range vertices {
		out |= apiOf(v)
	}
	if out&beam != 0 {
		return beam
	}
	if out == 0 {
		return dataStream
	}
	return out
}

// beamName matches operators of Beam's Flink runner, which are named by a transform's path down to the Read or the DoFn.
var beamName = regexp.MustCompile(`/Read\(|/ParMultiDo\(|ParDo\(|/Impulse|^Source: Impulse|ExecutableStage`)

func apiOf(v *model.Vertex) api {
	isSQL, own := false, false
	for i, op := range v.Chain {
		switch {
		case beamName.MatchString(op.Name):
			return beam
		case op.IsSQL():
			isSQL = true
		case i == 0 && v.IsSource():
			own = !tableSource.MatchString(op.Name)
		}
	}
	switch {
	case isSQL && own:
		return sql | dataStream // the strategy may be the DataStream's or the table's
	case isSQL || v.IsSource() && v.IsSQLScan() && !own:
		return sql
	case v.IsSource() && v.IsSQLScan():
		return sql | dataStream
	}
	return dataStream
}

// tableSource matches the name that 2.3 shows for a table source, in place of a scan text: it ends in
// catalog.database.table.
var tableSource = regexp.MustCompile(`(?:^|[ -])([^ .-]+)\.([^ .]+)\.([^ .]+)$`)

// table is the name of the table that a source reads, as a SQL identifier; "" where the plan does not show it.
func table(v *model.Vertex) string {
	if v == nil || v.Head() == nil {
		return ""
	}
	head := v.Head()
	if inner, ok := model.Property(head.Text, "table"); ok && strings.HasPrefix(head.Text, "TableSourceScan(") {
		parts := strings.SplitN(strings.Trim(inner, "[]"), ",", 4)
		if len(parts) >= 3 {
			return identifier(strings.TrimSpace(parts[2]))
		}
	}
	if m := tableSource.FindStringSubmatch(head.Name); m != nil {
		return identifier(m[3])
	}
	return ""
}

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func identifier(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}

// column is the rowtime column of a table, "" where the plan does not show it.
func (s site) column() string {
	if s.source == nil {
		return ""
	}
	for _, v := range append([]*model.Vertex{s.source}, s.source.Descendants()...) {
		for _, op := range v.Chain {
			if col, ok := model.Property(op.Text, "rowtime"); ok && strings.HasPrefix(op.Text, "WatermarkAssigner(") {
				return col
			}
			if col, ok := model.TimeColumn(op); ok && !strings.Contains(col, "$") {
				return col
			}
		}
	}
	if d, ok := s.job.Declared(s.source); ok {
		if m := plainColumn.FindStringSubmatch(d.Expr); m != nil {
			return m[1]
		}
	}
	return ""
}

var plainColumn = regexp.MustCompile(`^(?:-\(|\()?([A-Za-z_][A-Za-z0-9_]*)\b(?:,| -|$)`)

// label is the name of the source that was given to fromSource, "Orders" where there are several sources.
func (s site) label() string {
	if s.source == nil {
		return "Orders"
	}
	return model.SourceName(s.source)
}

// delay is the bound in force: declared, or inferred from the age of records; ok is false where that gives a mere limit or
// a range that includes 0.
func (s site) delay() (b lag.Bound, ok bool) {
	if s.source == nil {
		return b, false
	}
	b, ok = lag.BoundOf(s.job, s.source)
	if ok && (b.Declared || !b.Upper && !b.Untold()) {
		return b, true
	}
	return s.delayAtRest()
}

// delayAtRest is the bound of a source that reads nothing now: watermarkLag and currentEmitEventTimeLag stay as they were
// at its last record (InternalSourceReaderMetricGroup), and differ by the bound if that record was the newest.
func (s site) delayAtRest() (b lag.Bound, ok bool) {
	for _, t := range s.source.Subtasks {
		mark, okMark := t.WatermarkLag.Value()
		record, okRecord := t.EmitLag.Value()
		if !okMark || !okRecord || s.source.IsSQLScan() || len(t.ActiveSplits()) != 1 || !t.IdlePolls() || mark < record || record < 0 {
			continue
		}
		late, known := s.job.Lag(s.source, t.SourceOut())
		idle, _ := t.SourceIdle.Value()
		ms := int64(mark - record)
		if since := late - int64(idle+record); !known || since < ms-tellMs || since > ms+tellMs {
			continue // the gauges were read at different times
		}
		if !ok || ms < b.Ms {
			b, ok = lag.Bound{Ms: ms}, true
		}
	}
	return b, ok
}

// tellMs is how far two inferences of the same delay may differ, ms: an emission interval, and the reading of gauges.
const tellMs = 2000

// connector is hybrid, kinesis, pulsar or kafka, whose fixes differ; "" for any other.
func (s site) connector() string {
	if s.source == nil {
		return ""
	}
	name := strings.ToLower(s.source.Name)
	for _, c := range []string{"hybrid", "kinesis", "pulsar"} {
		if strings.Contains(name, c) {
			return c
		}
	}
	for _, t := range s.source.Subtasks {
		for _, sp := range t.Splits {
			switch {
			case strings.HasPrefix(sp.ID, "shardId-"):
				return "kinesis"
			case strings.HasPrefix(sp.ID, "persistent://"):
				return "pulsar"
			}
			if _, ok := sp.Offset.Value(); ok {
				return "kafka"
			}
		}
	}
	return ""
}

// splits is how many splits the source has, 0 where its metrics do not name them.
func (s site) splits() int {
	if s.source == nil {
		return 0
	}
	return s.source.TotalSplits()
}

// below reports a job that is known to run before a version.
func (s site) below(major, minor int) bool { return s.job.Version.Below(major, minor, 0) }
