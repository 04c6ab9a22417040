package render

import (
	"slices"

	"tidemark/analyze"
	"tidemark/analyze/crosscheck"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/render/doc"
)

// SchemaCrosscheck names the JSON form of a crosscheck.
const SchemaCrosscheck = "tidemark.crosscheck/v1"

// CrosscheckData compares a job with what its records call for. Durations are ms.
type CrosscheckData struct {
	Schema     string             `json:"schema"`
	Tool       analyze.Tool       `json:"tool"`
	CapturedAt string             `json:"captured_at"`
	CapturedMs int64              `json:"captured_ms"`
	Cluster    analyze.Cluster    `json:"cluster"`
	Job        analyze.JobReport  `json:"job"`
	Sources    []CrosscheckSource `json:"sources"`
	Downstream []CrosscheckRow    `json:"downstream"`
}

// CrosscheckSource is one source: what is declared, what is in force, and its watermarks.
type CrosscheckSource struct {
	Vertex     model.Ref           `json:"vertex"`
	Dialect    string              `json:"dialect"` // datastream or sql
	Declared   *CrosscheckDeclared `json:"declared"`
	InForce    *CrosscheckInForce  `json:"in_force"`
	Tolerance  []model.LagPart     `json:"tolerance"`
	Partitions []CrosscheckTopic   `json:"partitions"`
	Splits     []CrosscheckRow     `json:"splits"`
	Subtasks   []CrosscheckRow     `json:"subtasks"`
}

// CrosscheckDeclared is the declared strategy, and where it was read.
type CrosscheckDeclared struct {
	DelayMs int64  `json:"delay_ms"`
	IdleMs  int64  `json:"idle_timeout_ms"`
	Origin  string `json:"origin"`
}

// CrosscheckInForce is the delay that explains the watermarks; from and to are equal where it is exact.
type CrosscheckInForce struct {
	Exact        bool   `json:"exact"`
	FromMs       int64  `json:"from_ms"`
	ToMs         int64  `json:"to_ms"`
	Agree        int    `json:"agree"`
	Observations int    `json:"observations"`
	Field        string `json:"field"`    // how the job reads it
	ShiftMs      int64  `json:"shift_ms"` // zone offset of the job's event times
	LaterStart   bool   `json:"later_start"`
}

// CrosscheckTopic is what was read of a partition.
type CrosscheckTopic struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Start     int64  `json:"start"`
	End       int64  `json:"end"`
	Records   int64  `json:"records"`
	Unusable  int64  `json:"unusable"`
	Complete  bool   `json:"complete"`
}

// CrosscheckRow is one watermark: what the job shows, and what the records call for.
type CrosscheckRow struct {
	Label   string              `json:"label"`
	Subtask int                 `json:"subtask"`
	Offset  *int64              `json:"offset,omitempty"`
	Shown   flinkapi.Watermark  `json:"shown"`
	From    *flinkapi.Watermark `json:"expected_from"`
	To      *flinkapi.Watermark `json:"expected_to"`
	Verdict string              `json:"verdict"`
	DiffMs  int64               `json:"difference_ms"`
	Reason  string              `json:"reason,omitempty"`
	WidthMs *int64              `json:"tolerance_ms"` // of event time: how far apart the two ends are
}

// CrosscheckOf is the report of a crosscheck that has run.
func CrosscheckOf(x *crosscheck.Crosscheck, job analyze.JobReport, tool analyze.Tool, c *flinkapi.Capture) *CrosscheckData {
	d := &CrosscheckData{Schema: SchemaCrosscheck, Tool: tool, CapturedAt: units.Time(c.ReadAt), CapturedMs: c.ReadAt, Job: job,
		Cluster: analyze.Cluster{URL: c.URL, FlinkVersion: c.FlinkVersion()}, Sources: []CrosscheckSource{}, Downstream: []CrosscheckRow{}}
	for _, s := range x.Sources {
		d.Sources = append(d.Sources, crosscheckSource(x, s))
	}
	if len(x.Sources) > 0 {
		for _, r := range x.Downstream() {
			d.Downstream = append(d.Downstream, crosscheckRow(r))
		}
	}
	return d
}

func crosscheckSource(x *crosscheck.Crosscheck, s *crosscheck.CrossSource) CrosscheckSource {
	out := CrosscheckSource{Vertex: *s.Vertex.Ref(), Dialect: "datastream", Tolerance: s.Tolerances(x), Partitions: []CrosscheckTopic{}, Splits: []CrosscheckRow{}, Subtasks: []CrosscheckRow{}}
	if s.SQL {
		out.Dialect = "sql"
	}
	if p := s.Declared; p != nil {
		out.Declared = &CrosscheckDeclared{p.DelayMs, p.IdleMs, p.Origin}
	}
	if f := s.InForce; f.Known {
		out.InForce = &CrosscheckInForce{f.Exact, f.Lo, f.Hi, f.Agree, f.Of, f.Unit.String(), f.ShiftMs, f.LaterStart}
	}
	for _, p := range s.Partitions() {
		out.Partitions = append(out.Partitions, CrosscheckTopic{p.Topic, p.Partition, p.Start, p.End, p.Records, p.Unusable, p.Complete})
	}
	for _, r := range s.Splits {
		out.Splits = append(out.Splits, crosscheckRow(r))
	}
	for _, r := range s.Subtasks {
		out.Subtasks = append(out.Subtasks, crosscheckRow(r))
	}
	return out
}

func crosscheckRow(r crosscheck.Compared) CrosscheckRow {
	out := CrosscheckRow{Label: r.Label, Subtask: r.Subtask, Shown: r.Observed, Verdict: r.Verdict, DiffMs: r.DiffMs, Reason: r.Reason}
	if r.Offset >= 0 {
		out.Offset = &r.Offset
	}
	if r.Verdict != crosscheck.NotCompared {
		out.From, out.To = &r.Lo, &r.Hi
		a, okA := r.Lo.Millis()
		b, okB := r.Hi.Millis()
		if okA && okB {
			w := b - a
			out.WidthMs = &w
		}
	}
	return out
}

// Crosscheck is a job compared with its records: the findings, then every watermark as shown and as expected.
func Crosscheck(d *CrosscheckData) Result {
	r := &analyze.Report{Tool: d.Tool, CapturedAt: d.CapturedAt, CapturedMs: d.CapturedMs, Cluster: d.Cluster, Jobs: []analyze.JobReport{d.Job}}
	with := func(make func(*analyze.Report) *doc.Document) func() *doc.Document {
		return func() *doc.Document {
			out := make(r)
			out.Title = "tidemark crosscheck"
			for i, b := range out.Blocks {
				if h, ok := b.(doc.Heading); ok && h.Level == 1 {
					h.Label.Word = d.word()
					out.Blocks[i] = h
				}
			}
			out.Add(d.tables()...)
			return out
		}
	}
	return Result{Data: d, Document: with(triage), Page: with(triagePage)}
}

// word is the verdict of the comparison only: whether the job is healthy is triage's verdict.
func (d *CrosscheckData) word() string {
	declared := slices.ContainsFunc(d.Sources, func(s CrosscheckSource) bool { return s.Declared != nil })
	switch {
	case d.Job.Verdict == analyze.VerdictIncomplete:
		return string(d.Job.Verdict)
	case d.Job.Verdict == analyze.VerdictCritical, d.Job.Verdict == analyze.VerdictWarning:
		return "not as declared"
	case declared:
		return "as declared"
	}
	return "consistent"
}
