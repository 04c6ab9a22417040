package crosscheck

import (
	"fmt"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/fix"
	"tidemark/analyze/model"
	"tidemark/engine"
	"tidemark/flinkapi"
)

// Crosscheck is a live job next to what its topics hold. Times are epoch ms, durations ms.
type Crosscheck struct {
	Jobs    []*model.Job // the job by consecutive samples; the last one is judged
	Version engine.Version
	Sources []*CrossSource
}

// Job is the newest view of the job.
func (c *Crosscheck) Job() *model.Job { return c.Jobs[len(c.Jobs)-1] }

// CrossSource is one source of the job, its topic's records and what follows from both.
type CrossSource struct {
	Vertex     *model.Vertex
	Data       map[string]*PartitionData // by split id
	Declared   *Promise                  // nil = nothing says what should be in force
	SQL        bool                      // max - delay, without DataStream's extra millisecond
	OnEvent    bool
	IntervalMs int64  // pipeline.auto-watermark-interval
	IntervalBy string // where that was read
	Missing    string // why the topic could not be read, "" = it was

	Assigner *model.Operator // emits in place of the source's splits, nil = the source itself
	Observed []Observation
	InForce  InForce
	Splits   []Compared
	Subtasks []Compared
}

// Promise is a declared strategy.
type Promise struct {
	DelayMs int64
	IdleMs  int64
	Origin  string // plan, flags, or the name of a file
}

// Observation is one watermark of the cluster and the records it can come from.
type Observation struct {
	Split     *model.Split // nil where only the subtask's output is known
	Subtask   *model.Subtask
	Splits    []offsetOf // whose running maxima the watermark can be
	Watermark flinkapi.Watermark
	FetchedMs int64
	Last      bool // of the newest sample
}

// offsetOf is how far a split was read at an observation.
type offsetOf struct {
	id     string
	offset int64
}

// InForce is the delay that explains what the cluster shows.
type InForce struct {
	Known        bool
	Exact        bool  // one value explains the observations
	Lo, Hi       int64 // equal where exact
	Agree, Of    int   // observations that the value explains, of all
	Unit         Misreading
	ShiftMs      int64 // the job's event time minus the field's, a zone offset
	LaterStart   bool  // agrees only if the job did not read the records before some offset
	WindowMs     int64 // how far back from the offset shown the running maximum was looked for
	Alternatives int   // values that explain as many observations
}

// Compared is what should be shown and what is.
type Compared struct {
	Label     string
	Partition int32
	Subtask   int
	Vertex    *model.Vertex
	Offset    int64
	Observed  flinkapi.Watermark
	Lo, Hi    flinkapi.Watermark
	Verdict   string // equal, behind, ahead or not compared
	DiffMs    int64  // observed minus the nearer end, 0 inside
	Reason    string // why it was not compared
}

// The verdicts of a comparison.
const (
	Equal       = "equal"
	Behind      = "behind"
	Ahead       = "ahead"
	NotCompared = "not compared"
)

// crosschecks are the TM8xx checks of a crosscheck, filled by their files.
var crosschecks []crosscheck

type crosscheck struct {
	code string
	run  func(*Crosscheck) []catalog.Finding
}

func registerCrosscheck(c catalog.Check, run func(*Crosscheck) []catalog.Finding) bool {
	crosschecks = append(crosschecks, crosscheck{c.Code, run})
	return catalog.Register(c)
}

// Run infers, predicts and compares, and reports what differs.
func (c *Crosscheck) Run() analyze.JobReport {
	j := c.Job()
	r := analyze.JobReport{ID: j.ID, Name: j.Name, ShortID: j.ShortID, State: j.State, SampleGapMs: j.GapMs, Samples: 1, Findings: []catalog.Finding{}, Vertices: []analyze.VertexReport{}, NotChecked: []catalog.NotChecked{}}
	if j.Now == nil || !j.Running() || j.Batch {
		r.Verdict, r.Headline = analyze.VerdictIncomplete, "the job is not a running streaming job, so its cached metrics are old"
		r.NotChecked = append(r.NotChecked, catalog.NotChecked{Code: "TM703", Reason: r.Headline})
		return r
	}
	if j.Compared() {
		r.Samples = len(c.Jobs) + 1
	}
	incomplete := len(c.Sources) == 0
	if incomplete {
		r.NotChecked = append(r.NotChecked, catalog.NotChecked{Code: "TM806", Reason: "the job has no source whose splits are Kafka partitions"})
	}
	for _, s := range c.Sources {
		if s.Missing != "" {
			r.NotChecked = append(r.NotChecked, catalog.NotChecked{Code: "TM806", Reason: model.SourceLabel(s.Vertex) + ": " + s.Missing})
			incomplete = true
			continue
		}
		s.observe(c.Jobs)
		s.infer()
		s.compare(c)
		incomplete = incomplete || !s.compared()
		r.NotChecked = append(r.NotChecked, s.notChecked(c)...)
	}
	var all []catalog.Finding
	for _, x := range crosschecks {
		all = append(all, x.run(c)...)
	}
	r.Findings = analyze.Settle(j, all)
	fix.Complete(j, r.Findings)
	r.Verdict = analyze.VerdictOf(r.Findings, incomplete)
	r.Headline = c.headline(r)
	return r
}

// compared reports whether anything of the source could be compared.
func (s *CrossSource) compared() bool {
	for _, x := range append(append([]Compared{}, s.Splits...), s.Subtasks...) {
		if x.Verdict != NotCompared {
			return true
		}
	}
	return false
}

// notChecked says what could not be checked of a source.
func (s *CrossSource) notChecked(c *Crosscheck) []catalog.NotChecked {
	var out []catalog.NotChecked
	if s.Assigner == nil && !model.SplitsTellWatermarks(s.Vertex) {
		out = append(out, catalog.NotChecked{Code: "TM806", Reason: model.SourceLabel(s.Vertex) + ": split watermarks are shown from Flink 2.1 on; only subtasks were compared"})
	}
	if !s.InForce.Known {
		out = append(out, catalog.NotChecked{Code: "TM801", Reason: model.SourceLabel(s.Vertex) + ": no watermark is known yet, so no bound can be inferred"})
	}
	if s.Declared == nil {
		out = append(out, catalog.NotChecked{Code: "TM801", Reason: model.SourceLabel(s.Vertex) + ": neither the plan nor a flag declares a bound, so what is in force was only inferred; compare with --delay"})
	}
	partly, bad := 0, int64(0)
	for _, d := range s.Data {
		if !d.Complete {
			partly++
		}
		bad += d.Unusable
	}
	if partly > 0 {
		out = append(out, catalog.NotChecked{Code: "TM808", Reason: fmt.Sprintf("%s: of %s only the last records were read; what came before was not looked at", model.SourceLabel(s.Vertex), catalog.Plural(partly, "partition"))})
	}
	if bad > 0 {
		out = append(out, catalog.NotChecked{Code: "TM806", Reason: fmt.Sprintf("%s: %s had no event time in the field given and did not count", model.SourceLabel(s.Vertex), catalog.Plural(int(bad), "record"))})
	}
	sortNotChecked(out)
	return out
}
