// Package job describes a Flink job and what its sources are given: graph, operators, watermark
// strategies, splits, schedules of records. A description is plain data; it says nothing of how it
// was made (by hand, by chance, from a real job) nor of what comes of it.
package job

import "tidemark/engine"

// Job is a job of a cluster. All times are JobManager wall clock in epoch ms.
type Job struct {
	ID, Name  string
	Flink     engine.Version
	StartsMs  []int64    // when its tasks began to run, and again after each failure; at least one
	Failures  []Failure  // what ended each run but the last
	EndMs     int64      // when the job reached State; 0 = still running
	State     string     // JobStatus after EndMs
	Operators []Operator // upstream first
	// Restored says that even the first run began from a savepoint; every later one does.
	Restored bool
	// CheckpointMs is the checkpoint interval, 0 = off.
	CheckpointMs int64
	Config       map[string]string // cluster configuration beyond what every cluster says
}

// Failure is what ended a run.
type Failure struct {
	AtMs      int64
	Task      string // "Parse (2/2)"
	Exception string // class and message
	Stack     string
}

// Operator is a node of the job graph before chaining.
type Operator struct {
	Name        string // as in the vertex name; its metric ids come from it
	Text        string // its line of the plan, "" = Name
	Parallelism int
	Inputs      []Input // none: a source
	Chained     bool    // runs in the task of its only input
	Source      *Source // of an operator without inputs
	Work        Work
	// CostMs is how long a record keeps a subtask busy.
	CostMs float64
	// Queue is how many records wait before it at most, per subtask, until whoever sends to it is
	// back-pressured; 0 = DefaultQueue. It counts only with a cost.
	Queue int
}

// DefaultQueue is about what 32 KiB buffers flushed every 100 ms hold of small records.
const DefaultQueue = 200

// Input is one logical input; several upstream operators make a union.
type Input struct {
	Ship engine.Ship
	From []int // indices of Job.Operators
}

// Kind is what an operator does to event time.
type Kind uint8

// The kinds. Pass is any operator that only hands on: map, filter, connect, sink.
const (
	Pass Kind = iota
	Sink
	Window
	IntervalJoin
	Assign     // assignTimestampsAndWatermarks
	SQLAssign  // WatermarkAssigner
	MiniBatch  // MiniBatchAssigner(mode=[RowTime])
	Wait       // CEP, OVER, sort: holds records until the watermark reaches them
	LocalAgg   // LocalWindowAggregate: passes a row a key and window when the watermark closes it
	Hold       // timers that are never done: the watermark goes in and does not come out
	ProcWindow // a window on processing time: a row a key and SizeMs of wall clock
	TemporalJoin
	Delay // keeps watermarks and statuses for IntervalMs of wall clock, and lets records pass
)

// Work is what an operator does to event time.
type Work struct {
	Kind       Kind
	Window     engine.WindowSpec
	Join       engine.IntervalJoinSpec
	Strategy   Strategy // of Assign and SQLAssign
	Buffer     engine.BufferRule
	IntervalMs int64 // MiniBatch, Delay
	FromMs     int64 // Hold: since when nothing comes out
	SideOutput bool  // late records are kept apart, not dropped
}

// Source is where records come from.
type Source struct {
	Strategy  Strategy
	Splits    []Split
	Align     *engine.AlignmentConfig
	Connector Connector
	// ArrivalStamps says that records carry the time of their arrival and the event time is a column,
	// as in SQL: currentEmitEventTimeLag then tells nothing of event time.
	ArrivalStamps bool
	// Bounded ends a subtask once it has read all records of its splits.
	Bounded bool
}

// Connector decides which gauges a reader has.
type Connector uint8

// The connectors.
const (
	Kafka  Connector = iota // offsets by partition, pending records
	Opaque                  // splits without offsets, no pending records
)

// Split is a split of a source: for Kafka a partition.
type Split struct {
	Topic     string
	Partition int
	Subtask   int   // who reads it
	FromMs    int64 // when it was assigned; 0 = from the start
	ToMs      int64 // when it was read to its end; 0 = never
	Records   Records
}

// Strategy is a watermark strategy with the generator behind it.
type Strategy struct {
	engine.Strategy
	Own    Own
	FromMs int64 // Stops: since when
}

// Own is a generator that users write.
type Own uint8

// The generators. Flinks is the one that Strategy names.
const (
	Flinks Own = iota
	Silent     // never emits
	Clock      // emits the wall clock minus the bound
	Max        // emits end of input after the first record
	Stops      // bounded out-of-orderness that emits nothing from a time on
)
