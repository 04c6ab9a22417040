package model

import "tidemark/flinkapi"

// Job is the model that checks read: the graph of vertices, each with its chain of operators, its subtasks and their
// splits. Every gauge has the values of two metric fetches.
type Job struct {
	ID, Name    string
	ShortID     string // beginning of the id where another job has the same name, else ""
	State       string // JobStatus
	Batch       bool
	Version     Version
	Config      map[string]string // cluster configuration; nil where it could not be read
	NowMs       int64             // JobManager clock of the last sample, epoch ms
	UptimeMs    int64             // since the last (re)start of the job
	Restarts    Gauge             // numRestarts
	GapMs       int64             // largest gap between two compared fetches; 0 = one fetch only
	IntervalMs  int64             // metrics.fetcher.update-interval
	Before, Now *flinkapi.Sample
	Vertices    []*Vertex      // upstream first
	Finished    bool           // in a globally terminal state, or never started
	Gaps        []flinkapi.Gap // what Now and Before lack, and what could not be read of the job after them
	Unreadable  *flinkapi.Gap  // the answer that failed, where there is no Now
	EdgesGuess  bool           // the plan was not read: only which vertices are sources is known

	samples, nowAt int // samples taken, and the index of Now

	byID   map[string]*Vertex
	nodes  map[string]flinkapi.PlanNode
	gapsOf map[string][]flinkapi.Gap
	Queues *Walk // upstream to the vertices whose input queues, for the parts of a lag
}

// Compared reports whether two different metric fetches could be compared.
func (j *Job) Compared() bool { return j.GapMs > 0 }

// Running reports a job whose metrics are those of live tasks.
func (j *Job) Running() bool { return j.Now != nil && j.State == "RUNNING" }

// Sources lists the vertices without inputs.
func (j *Job) Sources() []*Vertex {
	var out []*Vertex
	for _, v := range j.Vertices {
		if v.IsSource() {
			out = append(out, v)
		}
	}
	return out
}

// Vertex is a task of the job graph: a chain of operators in parallel subtasks.
type Vertex struct {
	ID, Name    string
	Parallelism int
	Status      string // ExecutionState of the vertex
	In, Out     []*Edge
	Chain       []*Operator // in the order of the data flow, a forked chain in pre-order
	Subtasks    []*Subtask
	Late        []LateCounter
	FetchedMs   int64 // JobManager time of the metric fetch, epoch ms; 0 = unknown
	GapMs       int64 // between the two metric fetches of this vertex; 0 = one fetch only
	Stale       bool  // no metric changed between two different fetches
	Sample      *flinkapi.VertexSample
	Totals      Gauge // records of GET /jobs/:jobid: written by a source, read by any other vertex

	Parts         []LagPart // of the lag of a source, computed once
	minIn, minOut *Reading  // computed once, like all below: walks ask for them at every step
	minUp         **Vertex  // MinUpstream
	end           *Vertex   // EndOf a path that reaches this vertex from downstream
	holder        *Holder   // of a path that ends here
	use           *Use      // EventTimeUse
	onward        *onward
	sources       []*Vertex // SourcesOf, in the order of the job
	sign          bool      // EventTimeSign
}

// Edge joins two vertices.
type Edge struct {
	From, To *Vertex
	Ship     string // partitioner: FORWARD, HASH, REBALANCE, BROADCAST, …
}

// IsSource reports a vertex without inputs.
func (v *Vertex) IsSource() bool { return len(v.In) == 0 }

// JobLabel is a job's name, followed by short, the beginning of its id, where another job has the same name.
func JobLabel(name, short string) string {
	if short == "" {
		return name
	}
	return name + " (" + short + ")"
}

// Ref names the vertex in a finding.
func (v *Vertex) Ref() *Ref { return &Ref{v.ID, v.Name} }

// Head is the first operator of the chain, nil where none is known.
func (v *Vertex) Head() *Operator {
	if len(v.Chain) == 0 {
		return nil
	}
	return v.Chain[0]
}

// Operator is an operator of a chain. Metric is its name inside metric ids.
type Operator struct {
	Metric  string
	Name    string // as in the vertex name where that is known
	Text    string // its line of the plan, unescaped
	Kind    Kind
	Parent  int // index in the chain of the operator that feeds it, -1 for the head
	Leaf    bool
	In, Out Reading // minimum over the subtasks
}

// Subtask is one parallel instance of a vertex.
type Subtask struct {
	Vertex                                                     *Vertex
	Index                                                      int
	Status                                                     string // ExecutionState, "" where not read
	Attempt                                                    int
	StartMs                                                    int64
	ScrapedMs                                                  int64     // when Prometheus scraped its metrics, epoch ms; 0 with REST, which reads all at once
	RunMs                                                      int64     // from the start of the attempt to the metric fetch, ms
	In                                                         Reading   // task level, or the head operator's
	Ops                                                        []OpGauge // as Vertex.Chain
	Splits                                                     []*Split
	Sent                                                       Gauge // records that left the task, over all its exchanges
	Records                                                    Gauge // records that left a source operator, or entered any other head operator
	EmitLag, WatermarkLag, AlignmentDrift, SourceIdle, Pending Gauge
	Busy, Backpressured, Idle                                  Gauge // ms per second

	passed passed
}

// OpGauge is an operator's gauges in one subtask.
type OpGauge struct {
	In, Out               Reading
	RecordsIn, RecordsOut Gauge
}

// Split is a split of a source subtask, for Kafka a partition.
type Split struct {
	Subtask                    *Subtask
	ID                         string
	Watermark                  Reading // absent before 2.1
	Offset                     Gauge   // Kafka currentOffset: offset of the last emitted record, -1 = none yet
	IdleRate, PausedRate       Gauge   // ms per second, 60 s average; NaN before 2.1
	ActiveMs, IdleMs, PausedMs Gauge   // accumulated, ms
	Leftover                   bool    // finished, or read by another subtask now; its last value is still in the cache
}

// Out is the subtask's output: the minimum over the ends of its chain that feed an edge.
func (s *Subtask) Out() Reading {
	var out Reading
	for i, op := range s.Vertex.Chain {
		if i < len(s.Ops) && s.Vertex.feedsEdge(op) {
			out = MinReading(out, s.Ops[i].Out)
		}
	}
	return out
}

// SourceOut is the output of the source operator itself, before any assigner in the chain.
func (s *Subtask) SourceOut() Reading {
	if len(s.Ops) == 0 {
		return Reading{}
	}
	return s.Ops[0].Out
}

// feedsEdge reports an operator whose output leaves the vertex: a leaf of the chain that is no sink, or any leaf where
// all of them are sinks.
func (v *Vertex) feedsEdge(op *Operator) bool {
	if !op.Leaf {
		return false
	}
	if op.Kind != KindSink {
		return true
	}
	for _, o := range v.Chain {
		if o.Leaf && o.Kind != KindSink {
			return false
		}
	}
	return true
}

// Ref names a vertex.
type Ref struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}
