package policy

// Policy is a policy file. The tags are the one table of its keys: they read it, and they make its
// JSON Schema and the reference in the README. Every pointer is nil where the key was left out.
type Policy struct {
	place
	Version  *Count       `key:"version" need:"true" doc:"version of this format: 1"`
	FailOn   *Word        `key:"fail-on" words:"none,info,warning,critical" doc:"severity from which a failed result fails the run (default warning)"`
	Require  []*Word      `key:"require" words:"owner,strategy,delay,idleness,lateness,event-time,replay,drill,alerts" doc:"keys that every rule must have written down (default: owner)"`
	Jobs     []*Rule      `key:"jobs" doc:"what is demanded of jobs, tables and sources"`
	Suppress []*Exemption `key:"suppress" doc:"failed results that are accepted for a while"`
}

// Rule is what is demanded of the jobs, or the SQL tables, that it names. All rules that name a
// subject apply to it. A key that may be judged where none was read is tagged alone.
type Rule struct {
	place
	Name        *Pattern     `key:"name" alone:"true" doc:"job name; * and ? match any characters, /…/ is a regular expression"`
	Table       *Pattern     `key:"table" alone:"true" doc:"SQL table, in place of name: the rule is about sources that read it"`
	Source      *Pattern     `key:"source" alone:"true" doc:"keys about sources apply only to the sources of this name"`
	Owner       *Text        `key:"owner" alone:"true" doc:"who answers for the job"`
	Strategy    *Word        `key:"strategy" words:"on-source,any" doc:"on-source: every source that feeds event time has its own watermark strategy"`
	Delay       *Delay       `key:"delay" alone:"true" doc:"out-of-orderness bound, in SQL the delay of the WATERMARK clause"`
	Idleness    *Idleness    `key:"idleness" alone:"true" doc:"idle timeout, or why none is needed"`
	MaxLag      *Duration    `key:"max-lag" doc:"largest event-time lag (clock minus watermark) of any vertex"`
	Late        *Late        `key:"late" doc:"how many records may be dropped as late"`
	Parallelism *Parallelism `key:"parallelism" doc:"source subtasks against partitions"`
	Alignment   *Alignment   `key:"alignment" doc:"watermark alignment"`
	Emission    *Emission    `key:"emission-interval" doc:"when a source emits watermarks"`
	EventTime   *EventTime   `key:"event-time" alone:"true" doc:"where the event time is and how it is written"`
	Lateness    *Lateness    `key:"lateness" alone:"true" doc:"what becomes of late records, written down and watched"`
	Alerts      *Alerts      `key:"alerts" alone:"true" doc:"alert on event-time lag"`
	Replay      *Replay      `key:"replay" alone:"true" doc:"records run through the reference engine, and what must come out"`
	WhatIf      *WhatIf      `key:"whatif" doc:"a change of the job, played with the records that it reads, and what must come out"`
	Drill       *Drill       `key:"drill" doc:"a replay from an old offset that is watched while it runs (--for) or afterwards (--prometheus, --since), and what must be seen"`
	Forbid      []*CheckName `key:"forbid" doc:"codes or causes that fail whatever their severity"`
	Warn        []*CheckName `key:"warn" alone:"true" doc:"codes or causes that are shown as info and fail nothing"`
}

// Delay is about the out-of-orderness bound in force.
type Delay struct {
	place
	Declared *Duration   `key:"declared" doc:"the delay that the job declares"`
	Covers   *Percentile `key:"covers" doc:"share of records that the delay must not make late, such as p99.9"`
	Measured *Measured   `key:"measured" doc:"where the need is taken from: a duration, a profile, records or a topic"`
	AtMost   *Factor     `key:"at-most" doc:"largest delay as a multiple of the measured need, such as 10x"`
	SLA      *Duration   `key:"sla" doc:"latest moment of a result after the end of its window (99th percentile)"`
}

// Decoding is where records come from and how their event time is read.
type Decoding struct {
	Brokers       []*Text `key:"brokers" doc:"Kafka brokers, host:port (default TIDEMARK_BROKERS)"`
	Config        *Text   `key:"kafka-config" doc:"client.properties file (default TIDEMARK_KAFKA_CONFIG)"`
	RecordsFormat *Word   `key:"records-format" words:"auto,kcat,csv" doc:"what a file of records is (default auto: by its name)"`
	Field         *Text   `key:"field" doc:"path of the event time in the payload, or CSV column"`
	Separator     *Text   `key:"separator" doc:"character between the columns of a CSV value (default a comma)"`
	Unit          *Word   `key:"unit" words:"auto,s,ms,us,ns" doc:"unit of a number (default auto: by its size, stated)"`
	Zone          *Text   `key:"zone" doc:"zone of a time that names none"`
	Schema        *Text   `key:"schema" doc:"file with an Avro schema or .proto"`
	Message       *Text   `key:"message" doc:"Protobuf message in schema"`
	Registry      *Text   `key:"schema-registry" doc:"schema registry URL (default TIDEMARK_SCHEMA_REGISTRY)"`
}

// Measured says where the measured need comes from: exactly one of value, profile, records, topic.
type Measured struct {
	place
	Value   *Duration `key:"value" short:"true" doc:"the need as a number, measured elsewhere; measured: 5s is the same"`
	Profile []*Text   `key:"profile" doc:"files written by tidemark observe"`
	Records *Text     `key:"records" doc:"file of kcat -J lines or CSV"`
	Topic   *Text     `key:"topic" doc:"Kafka topic"`
	MaxAge  *Duration `key:"max-age" doc:"the last record measured must not be older"`
	Decoding
	Format          *Text     `key:"format" doc:"where the event time is, as --format of recommend"`
	Last            *Count    `key:"last" doc:"of a topic, only the last N records"`
	Since           *Duration `key:"since" doc:"of a topic, only the last stretch of time"`
	From            *Text     `key:"from" doc:"of a topic, from this time on (RFC 3339)"`
	To              *Text     `key:"to" doc:"of a topic, up to this time (RFC 3339)"`
	Segments        *Count    `key:"segments" doc:"of a topic, this many contiguous segments in place of all of it"`
	Hours           *Text     `key:"hours" doc:"only records that arrived in these hours of the week, as --hours of recommend"`
	ReadCommitted   *Flag     `key:"read-committed" doc:"read only committed transactions, as the job does"`
	Exact           *Flag     `key:"exact" doc:"count every distinct millisecond while there are few"`
	MaxErrors       *Count    `key:"max-errors" doc:"undecodable records before giving up (default 1000)"`
	IdleTimeout     *Duration `key:"idle-timeout" doc:"the job's idle timeout: a partition that becomes active again may be late"`
	FutureTolerance *Duration `key:"future-tolerance" doc:"exclude event times this far ahead of their arrival (default 5m)"`
}

// Idleness is decided: a timeout is required, or there is a reason for none.
type Idleness struct {
	place
	Required *Flag     `key:"required" doc:"true: every source has an idle timeout"`
	Excused  *Text     `key:"excused" doc:"why no idle timeout is needed"`
	Min      *Duration `key:"min" doc:"smallest idle timeout: above the longest ordinary silence"`
	Max      *Duration `key:"max" doc:"largest idle timeout"`
}

// Late limits what operators drop.
type Late struct {
	place
	Share   *Share `key:"share" doc:"dropped share of an operator's input between two samples"`
	Dropped *Count `key:"dropped" doc:"records dropped since the start of the job, per operator"`
}

// Parallelism compares source subtasks with partitions.
type Parallelism struct {
	place
	AtMostPartitions *Flag  `key:"at-most-partitions" doc:"true: no source has more subtasks than splits"`
	Partitions       *Count `key:"partitions" doc:"number of partitions, where neither metrics nor the topic tell it"`
	Max              *Count `key:"max" doc:"largest parallelism of a source"`
}

// Alignment is about withWatermarkAlignment.
type Alignment struct {
	place
	Required    *Word     `key:"required" words:"always,for-backfill,never" doc:"for-backfill: demanded where a source reads a backlog"`
	Group       *Text     `key:"group" doc:"alignment group"`
	DriftCovers *Flag     `key:"drift-at-least-idle-timeout" doc:"true: the drift is at least the idle timeout"`
	MaxDrift    *Duration `key:"max-drift" doc:"largest alignment drift"`
}

// Emission is about periodic watermarks.
type Emission struct {
	place
	Min      *Duration `key:"min" doc:"smallest interval between watermarks"`
	Max      *Duration `key:"max" doc:"largest interval between watermarks"`
	Strategy *Word     `key:"strategy" words:"on-periodic,on-event" doc:"when watermarks are emitted"`
}

// EventTime is what has to be proven of the timestamps.
type EventTime struct {
	place
	Field *Text `key:"field" doc:"payload path or SQL column"`
	Unit  *Word `key:"unit" words:"s,ms,us,ns" doc:"unit of the number in the records"`
	Zone  *Text `key:"zone" doc:"zone of the text in the records, such as UTC"`
}

// Lateness is what becomes of late records.
type Lateness struct {
	place
	Allowed *Duration `key:"allowed" doc:"allowed lateness of the windows"`
	Watched *Word     `key:"watched" words:"counter,side-output,none" doc:"how late records are seen"`
	Sink    *Text     `key:"sink" doc:"with side-output: the operator that takes the late records"`
	Reason  *Text     `key:"reason" doc:"with none: why late records are not watched"`
}

// Alerts names the Prometheus rules of the job.
type Alerts struct {
	place
	Rules []*Text `key:"rules" need:"true" doc:"Prometheus rule files that hold an alert on event-time lag for this job"`
}

// Replay is a test on the reference engine.
type Replay struct {
	place
	Records *Text `key:"records" doc:"file of kcat -J lines or CSV"`
	Topic   *Text `key:"topic" doc:"Kafka topic, in place of a file"`
	Decoding
	Last       *Count    `key:"last" doc:"of a topic, the last N records"`
	Format     *Word     `key:"format" words:"json,jsonschema,avro,protobuf,csv,debezium,header,key,timestamp,raw,text,kafka" doc:"what a value is, as --format of simulate"`
	SkipBad    *Flag     `key:"skip-bad" doc:"leave records without a usable event time out, and count them"`
	Finish     *Flag     `key:"finish" doc:"end the input after the last record, which fires every window"`
	Sort       *Flag     `key:"sort" doc:"put the records in order of arrival"`
	Partitions *Count    `key:"partitions" doc:"how many partitions exist, silent ones included"`
	Strategy   *Strategy `key:"strategy" need:"true" doc:"the strategy to run"`
	Windows    []*Text   `key:"windows" doc:"tumbling:SIZE, hop:SIZE/SLIDE, cumulate:SIZE/STEP or session:GAP"`
	Lateness   *Duration `key:"allowed-lateness" doc:"allowed lateness of the windows (DataStream only)"`
	Tail       *Duration `key:"tail" doc:"let the clock run on after the last record (default 1s)"`
	Expect     []*Text   `key:"expect" need:"true" doc:"limits such as late<=0.1%, dropped=0, fired>=10, lag-max<30s"`
}

// WhatIf is a change of a job, or none, and what its twin must do with the records that the job reads.
type WhatIf struct {
	place
	Set     []*Text `key:"set" doc:"changes such as Orders.idle-timeout=30s, as --set of whatif; none: the job as it is"`
	Known   []*Text `key:"known" doc:"what is in force where the cluster does not show it, as --known of whatif"`
	Records []*Text `key:"records" doc:"files of kcat -J lines or CSV, in place of the topics that the job reads"`
	Topic   []*Text `key:"topic" doc:"exact names of topics, where metric names do not tell them"`
	All     *Flag   `key:"all" doc:"read partitions from their start; else at most the last 1,000,000 records before the reader's offset"`
	Decoding
	Format *Text     `key:"format" doc:"where the event time is, as --format of whatif"`
	KeyBy  *Text     `key:"key-by" doc:"field by which the job keys its records (default: the Kafka key)"`
	Last   *Duration `key:"last" doc:"how much to judge, up to the last sample (default 15m)"`
	Expect []*Text   `key:"expect" need:"true" doc:"limits such as stands<5s, dropped=0, windows>=6, latency-p99<10s"`
}

// Drill is what must be seen of a replay from an old offset. Sources are those that event time is needed of.
type Drill struct {
	place
	Speed          *Factor   `key:"speed" doc:"least event time per wall-clock time of every source while it is behind, such as 5x"`
	Records        *Count    `key:"records" doc:"least records a second of every source meanwhile"`
	CatchUp        *Duration `key:"catch-up" doc:"longest time until every source is within a minute of the clock: seen, or at the speed that was seen"`
	SplitSpread    *Duration `key:"split-spread" doc:"largest event time between the newest and the oldest split of a source"`
	SourceSpread   *Duration `key:"source-spread" doc:"largest event time between the newest and the oldest source"`
	Size           *Size     `key:"checkpoint-size" doc:"largest state of a checkpoint, such as 2 GB (1024 MB)"`
	SizeGrowth     *Factor   `key:"checkpoint-size-growth" doc:"largest growth of that size: the last third of the checkpoints against the first, such as 3x"`
	Duration       *Duration `key:"checkpoint-duration" doc:"longest checkpoint, from its trigger to its end"`
	DurationGrowth *Factor   `key:"checkpoint-duration-growth" doc:"largest growth of that time, reckoned as that of the size"`
	Failed         *Count    `key:"failed-checkpoints" doc:"checkpoints that may fail meanwhile"`
	Dropped        *Count    `key:"dropped" doc:"late records that an operator may drop meanwhile"`
	DroppedShare   *Share    `key:"dropped-share" doc:"share of its input that an operator may drop meanwhile"`
}

// Strategy is a watermark strategy for the reference engine.
type Strategy struct {
	place
	Kind        *Word     `key:"kind" words:"bounded,ascending,none" doc:"generator (default bounded)"`
	Delay       *Duration `key:"delay" doc:"out-of-orderness bound (default: delay.declared)"`
	Dialect     *Word     `key:"dialect" words:"datastream,sql" doc:"sql counts one ms less (default datastream)"`
	Emit        *Word     `key:"emit" words:"on-periodic,on-event" doc:"when watermarks are emitted"`
	Interval    *Duration `key:"interval" doc:"pipeline.auto-watermark-interval (default 200ms)"`
	IdleTimeout *Duration `key:"idle-timeout" doc:"idle timeout (default none)"`
	Place       *Word     `key:"place" words:"source,downstream" doc:"where the generator is"`
	Parallelism *Count    `key:"parallelism" doc:"source subtasks (default 1)"`
	Version     *Text     `key:"flink-version" doc:"Flink whose behaviour counts"`
}

// Exemption is a failed result that is accepted until a day.
type Exemption struct {
	place
	Check  *CheckName `key:"check" need:"true" doc:"code or cause"`
	Job    *Pattern   `key:"job" doc:"job, table or script; default all"`
	Vertex *Pattern   `key:"vertex" doc:"vertex or source; default all"`
	Split  *Pattern   `key:"split" doc:"split; default all"`
	Reason *Text      `key:"reason" need:"true" doc:"why it is accepted"`
	Until  *Date      `key:"until" need:"true" doc:"last day, UTC"`
}
