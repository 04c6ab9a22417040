// Package job describes a Flink job and the input of its sources: graph, operators, watermark
// strategies, splits, schedules of records. A description is plain data. It does not say how it
// was made (by hand, at random, from a real job) or what results from it.
package job

import "tidemark/engine"

// Job is a job of a cluster. All times are JobManager wall clock in epoch ms.
type Job struct {
	ID, Name  string
	Flink     engine.Version
	StartsMs  []int64    // start of its tasks, and of each restart after a failure; at least one
	Failures  []Failure  // why each run but the last ended
	EndMs     int64      // when the job reached State; 0 = still running
	State     string     // JobStatus after EndMs
	Operators []Operator // upstream first
	// Restored says that even the first run began from a savepoint; every later one does.
	Restored bool
	// CheckpointMs is the checkpoint interval, 0 = off.
	CheckpointMs int64
	Config       map[string]string // cluster configuration beyond what every cluster reports
}

// Failure says why a run ended.
type Failure struct {
	AtMs      int64
	Task      string // "Parse (2/2)"
	Exception string // class and message
	Stack     string
}

// Operator is a node of the job graph before chaining.
type Operator struct {
	Name        string // as in the vertex name; metric ids begin with it
	Text        string // its line of the plan, "" = Name
	Parallelism int
	Inputs      []Input // none: a source
	Chained     bool    // runs in the task of its only input
	Source      *Source // of an operator without inputs
	Work        Work
	// CostMs is the time for which a record keeps a subtask busy.
	CostMs float64
	// Queue is the largest number of records that wait in front of a subtask before its senders
	// are back-pressured; 0 = DefaultQueue. It has an effect only together with CostMs.
	Queue int
}

// DefaultQueue is roughly the number of small records in buffers of 32 KiB that are flushed every
// 100 ms.
const DefaultQueue = 200

// Input is one logical input; several upstream operators make a union.
type Input struct {
	Ship engine.Ship
	From []int // indices of Job.Operators
}

// Kind is what an operator does to event time.
type Kind uint8

// The kinds. Pass is any operator that only forwards: map, filter, connect, sink.
const (
	Pass Kind = iota
	Sink
	Window
	IntervalJoin
	Assign     // assignTimestampsAndWatermarks
	SQLAssign  // WatermarkAssigner
	MiniBatch  // MiniBatchAssigner(mode=[RowTime])
	Wait       // CEP, OVER, sort: holds records until the watermark reaches them
	LocalAgg   // LocalWindowAggregate: emits one row per key and window when the watermark closes it
	Hold       // timers that never finish: watermarks enter, none comes out
	ProcWindow // a processing-time window: one row per key and SizeMs of wall clock
	TemporalJoin
	Delay // delays watermarks and statuses by IntervalMs of wall clock; records pass at once
)

// Work is an operator's effect on event time and its settings.
type Work struct {
	Kind       Kind
	Window     engine.WindowSpec
	Join       engine.IntervalJoinSpec
	Strategy   Strategy // of Assign and SQLAssign
	Buffer     engine.BufferRule
	IntervalMs int64 // MiniBatch, Delay
	FromMs     int64 // Hold: the time from which nothing comes out
	SideOutput bool  // late records go to a side output and are not dropped
}

// Source is where records come from.
type Source struct {
	Strategy  Strategy
	Splits    []Split
	Align     *engine.AlignmentConfig
	Connector Connector
	// ArrivalStamps says that the timestamp of a record is its arrival and the event time is a
	// column, as in SQL: currentEmitEventTimeLag then says nothing about event time.
	ArrivalStamps bool
	// Bounded ends a subtask once it has read all records of its splits.
	Bounded bool
}

// Connector decides which gauges a reader has.
type Connector uint8

// The connectors.
const (
	Kafka  Connector = iota // offsets per partition, pendingRecords
	Opaque                  // splits without offsets, no pendingRecords
)

// Split is a split of a source: for Kafka a partition.
type Split struct {
	Topic     string
	Partition int
	Subtask   int   // the subtask that reads it
	FromMs    int64 // when it was assigned; 0 = from the start
	ToMs      int64 // when it was read to its end; 0 = never
	Records   Records
}

// Strategy is a watermark strategy with the generator behind it.
type Strategy struct {
	engine.Strategy
	Own    Own
	FromMs int64 // Stops: from this time on
}

// Own is a generator written by users.
type Own uint8

// The generators. Flinks is the built-in one that Strategy names.
const (
	Flinks Own = iota
	Silent     // never emits
	Clock      // emits the wall clock minus the bound
	Max        // emits Watermark.MAX_WATERMARK after the first record
	Stops      // bounded out-of-orderness that emits nothing from FromMs on
)
