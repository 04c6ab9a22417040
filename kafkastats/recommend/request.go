// Package recommend answers one question: which watermark delay does a topic need? A Request says
// what to measure and what is required; flags and policies fill it alike, and Run returns the
// recommendation.
package recommend

import (
	"time"

	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/broker"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/record"
	"tidemark/request"
)

// Request asks for a recommendation. Start from Defaults; Run checks the request first. Exactly
// one of Topic, Records and Profiles is the source; next to Records, Topic only names the topic.
type Request struct {
	Given request.Given // settings that were given explicitly: one that the source cannot use is refused

	Topic     string // of Kafka
	Records   record.File
	Profiles  []string `flag:"profile" doc:"profile written by observe; may repeat" file:"true"`
	Kafka     Kafka
	EventTime decode.Where
	MaxErrors int64 `flag:"max-errors" doc:"undecodable records before giving up; -1: never"`
	Part      Part
	Demand    Demand
	Flink     Flink

	Idle     time.Duration `flag:"idle-timeout" doc:"the job's idle timeout: a partition that becomes active again may be late"`
	Future   time.Duration `flag:"future-tolerance" doc:"exclude event times this far ahead of their arrival"`
	By       string        `flag:"by" doc:"also count late records by this field, such as a producer: a path in the payload, key, or header:NAME; for CSV rows, a column"`
	Exact    bool          `flag:"exact" doc:"count every distinct millisecond while there are few"`
	Within   time.Duration `flag:"within" doc:"stop reading after this long, and judge what was read"`
	NoReplay bool          // skip the replay of the recommended delay on the reference engine
}

// Kafka says how to reach and read a topic. Connection is resolved from flags, environment and
// context.
type Kafka struct {
	Connection    broker.Options
	ReadCommitted bool  `flag:"read-committed" doc:"read only committed transactions, as the job does"`
	BytesPerSec   int64 `flag:"max-bytes-per-second" doc:"limit the load on the brokers"`
}

// Part is the part of the source to measure; the zero value is all of it.
type Part struct {
	record.Bounds
	Segments int           `flag:"segments" doc:"this many contiguous segments spread over the range instead of all of it"`
	Live     time.Duration `flag:"for" doc:"read the live tail for this long: the only way to see arrival times on a CreateTime topic"`
	Hours    string        `flag:"hours" doc:"only records that arrived in these hours of the week, in the zone of --zone: 'mon-fri 22-06', 'sat, sun'"`
}

// Demand is what the delay must meet, and what is known about the job.
type Demand struct {
	Late       string        `flag:"target-late" doc:"share of records that may be late, or a percentile of disorder such as p99.9"`
	Dropped    string        `flag:"target-dropped" doc:"share of records that may be dropped by --window; instead of --target-late"`
	SLA        time.Duration `flag:"sla" doc:"how long after the end of its window a result may come"`
	Window     time.Duration `flag:"window" doc:"size of the tumbling window: a late record is dropped only when its window has fired"`
	Lateness   time.Duration `flag:"allowed-lateness" doc:"allowed lateness of the window"`
	Emit       time.Duration `flag:"emit-interval" doc:"interval between watermarks: latency grows by it; where arrival times are known, the late records of a job with this interval are estimated as well"`
	Processing time.Duration `flag:"processing" doc:"time the job itself takes"`
	Cycle      time.Duration `flag:"cycle" doc:"slowest cycle of the load (24h, 168h): two must be observed"`
	Column     string        `flag:"column" doc:"name of the rowtime column in the SQL to paste"`
}

// Flink measures with a Flink SQL job on the user's own cluster.
type Flink struct {
	On      string `flag:"on" doc:"flink: measure with a Flink SQL job" words:",flink"`
	Gateway string `flag:"sql-gateway" doc:"SQL gateway URL for --on flink"`
	DryRun  bool   `flag:"dry-run" doc:"with --on flink: print the SQL only"`
	Columns string `flag:"flink-columns" doc:"with --on flink: columns of the payload, as in CREATE TABLE"`
	Event   string `flag:"flink-event" doc:"with --on flink: SQL expression for the event time in epoch ms"`
	Format  string `flag:"flink-format" doc:"with --on flink: Flink format of the topic"`
}

// Defaults is a request that lacks only its source.
func Defaults() Request {
	return Request{
		Records: record.File{Format: "auto"}, EventTime: decode.Detected(), MaxErrors: 1000, Future: 5 * time.Minute,
		Demand: Demand{Late: "0.1%", Emit: 200 * time.Millisecond, Column: "ts"}, Flink: Flink{Format: "json"},
	}
}

// Result is the result of a request.
type Result struct {
	Recommendation *advise.Recommendation // nil: nothing was measured
	LastArrival    int64                  // of the newest record, epoch ms; 0: unknown
	Target         advise.Target
	Units          map[string]uint64 // records by the unit that their size suggests, if there are several
	Statements     []string          // of a dry run: the SQL, secrets masked
}
