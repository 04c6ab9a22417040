// Package advise derives a watermark delay from a measurement: the smallest one for a target,
// what it costs, how certain it is, and whether a delay is the right remedy at all.
package advise

import (
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

// Schema names the JSON form; changes only add fields.
const Schema = "tidemark.recommendation/v1"

// Recommendation is the whole answer about one topic. Times are epoch ms or durations in ms;
// fractions are of usable records.
type Recommendation struct {
	Schema      string          `json:"schema"`
	Topic       string          `json:"topic"`
	Source      string          `json:"source"` // where the records came from, as the user named it
	Records     uint64          `json:"records"`
	Counters    Counters        `json:"counters"`
	Partitions  []Partition     `json:"partitions"`
	Window      Window          `json:"window"`
	EventTime   EventTime       `json:"event_time"`
	TargetLate  float64         `json:"target_late"`
	TargetText  string          `json:"target"`
	Transport   *Quantiles      `json:"transport"` // null if arrival times are unknown
	Disorder    Quantiles       `json:"disorder"`
	Lag         *Quantiles      `json:"lag"`
	Curve       []Point         `json:"curve"`
	Hours       []Hour          `json:"hours"` // by hour of day, UTC; hours without records are left out
	Week        []WeekHour      `json:"week"`
	Distrib     []Bin           `json:"distribution"` // of disorder, over records that have a running maximum
	Joint       *Joint          `json:"joint"`        // null if arrival times are unknown
	Latency     *Latency        `json:"latency"`      // null if arrival times are unknown
	Advice      Advice          `json:"recommendation"`
	Stability   *Stability      `json:"stability"`
	Confluent   *Confluent      `json:"confluent_default"` // null if the order of the records is unknown
	Findings    Findings        `json:"findings"`
	NotSeen     []string        `json:"not_seen"`
	NotMeasured []string        `json:"not_measured"`
	Review      Review          `json:"review"`
	Assumptions []string        `json:"assumptions"`
	Code        Code            `json:"code"`
	By          *By             `json:"by,omitempty"`         // late records by the value of a field, if requested
	Candidates  []Candidate     `json:"candidates,omitempty"` // fields that may be the event time, if none was named
	Sampling    *Sampling       `json:"sampling,omitempty"`
	LeftOut     *record.LeftOut `json:"left_out,omitempty"` // by --since, --until and --last, of a file
	Complete    bool            `json:"complete"`           // false: interrupted or timed out; the numbers cover what was read
	Settings    map[string]any  `json:"settings,omitempty"`
}

// Counters are the record counts behind every fraction.
type Counters = measure.Counters

// Window is the measured period of arrival time, RFC 3339 in UTC; empty if unknown.
type Window struct {
	From string `json:"from"`
	To   string `json:"to"`
	Ms   int64  `json:"ms"`
}

// EventTime says where the event time was found and how its number or text was read.
type EventTime struct {
	Field    string `json:"field"`
	Format   string `json:"format"`
	Unit     string `json:"unit"`
	Zone     string `json:"zone"`
	Detected bool   `json:"detected"`
	Note     string `json:"note,omitempty"`
	// Envelope is the envelope that says which time is the event time; empty: no known one.
	Envelope string `json:"envelope,omitempty"`
	// Looked is what the records contain if no field reads as a time.
	Looked []string `json:"looked_at,omitempty"`
}

// Quantiles are nearest-rank quantiles in ms.
type Quantiles struct {
	Min  int64 `json:"min"`
	P1   int64 `json:"p1"`
	P50  int64 `json:"p50"`
	P95  int64 `json:"p95"`
	P99  int64 `json:"p99"`
	P995 int64 `json:"p99.5"`
	P999 int64 `json:"p99.9"`
	Max  int64 `json:"max"`
}

// Point of the curve. Dropped is null without a window, latency without known arrival times.
type Point struct {
	DelayMs    int64      `json:"delay_ms"`
	Late       float64    `json:"late"`
	LateN      uint64     `json:"late_records"`
	LateCI95   [2]float64 `json:"late_ci95"`
	Dropped    *float64   `json:"dropped"`
	LatencyP99 *int64     `json:"latency_p99_ms"`
	// Held is the number of records that an operator which waits for the watermark holds at once:
	// their rate times the delay plus the median time until a window's end is passed. Null
	// without arrival times.
	Held     *float64 `json:"records_held"`
	Mark     string   `json:"mark,omitempty"`             // need, rounded, drops, sla
	Deployed *float64 `json:"late_as_deployed,omitempty"` // share late with periodic watermarks, see Emission
}

// Partition is one partition, judged separately.
type Partition struct {
	ID         int32      `json:"partition"`
	Records    uint64     `json:"records"`
	NeedMs     int64      `json:"datastream_ms"`
	Disorder   Quantiles  `json:"disorder"`
	Transport  *Quantiles `json:"transport"`
	GapP9999   int64      `json:"gap_p99.99_ms"`
	GapMax     int64      `json:"gap_max_ms"`
	Future     uint64     `json:"future"`
	Outlier    bool       `json:"outlier"`
	Confluent  *int64     `json:"confluent_ms"`
	Contiguous bool       `json:"contiguous"`
	// LateByDelay are this partition's late records, one count for each point of the curve.
	LateByDelay []uint64 `json:"late_records_by_delay"`
}

// Hour is one hour of the day over all measured days, UTC.
type Hour struct {
	Hour    int     `json:"hour"`
	Records uint64  `json:"records"`
	NeedMs  int64   `json:"datastream_ms"`
	Late    float64 `json:"late_at_recommended"`
	P999    int64   `json:"p99.9"`
	Thin    bool    `json:"thin"` // too few records for the target: the need is the largest disorder seen
}

// Latency splits the 99th percentile of result latency into its parts, ms.
type Latency struct {
	DelayMs       int64 `json:"delay_ms"`
	FrontierP99Ms int64 `json:"frontier_p99_ms"` // time until the slowest partition passes a window's end
	EmitMs        int64 `json:"emit_ms"`
	ProcessingMs  int64 `json:"processing_ms"`
}

// Advice is the decision. DataStreamMs and SQLMs are the smallest delays that meet the target on
// this sample, before rounding. RoundedMs and RoundedSQLMs are what to declare; they differ by
// more than rounding if the verdict is sla-bound or wrong-knob.
type Advice struct {
	Verdict       Verdict   `json:"verdict"`
	Reason        string    `json:"reason"`
	DataStreamMs  int64     `json:"datastream_ms"`
	SQLMs         int64     `json:"sql_ms"`
	PersonMs      int64     `json:"declare_ms"`   // the next delay a person would write: 1, 2, 5, 10, 15, 30 s, 1 min and so on
	PersonLate    float64   `json:"declare_late"` // share late with it
	RoundedMs     int64     `json:"rounded_ms"`
	RoundedSQLMs  int64     `json:"rounded_sql_ms"`
	GuaranteedMs  *int64    `json:"guaranteed_ms"`    // smallest delay whose interval is below the target; null: none in the sample, or no interval is credible
	GlobalMs      *int64    `json:"one_generator_ms"` // null if the partitions were not read side by side
	DropsOnlyMs   *int64    `json:"drops_only_ms"`
	WorstMs       int64     `json:"worst_partition_ms"`
	MergedLate    *float64  `json:"late_today_merged"`
	AsIsLate      *float64  `json:"late_with_future_records"`
	Late          Share     `json:"late"`
	Dropped       *Share    `json:"dropped"`
	MaxByMs       *int64    `json:"sla_max_ms"`
	SLAMs         int64     `json:"sla_ms"`
	LatencyP99Ms  *int64    `json:"latency_p99_ms"`
	IdleTimeoutMs int64     `json:"idle_timeout_ms"`  // as given, or above the pauses seen; 0: no partition was silent for long
	IdleLate      *uint64   `json:"late_by_idleness"` // records of Late that are late only because of the idle timeout; null: none was given
	AlignDriftMs  int64     `json:"alignment_drift_ms"`
	AsDeployed    *Emission `json:"as_deployed"`       // null: arrival times are unknown
	TransportMs   *int64    `json:"transport_rule_ms"` // what the target would require of transport delay; null if arrival times are unknown
	WindowMs      int64     `json:"window_ms"`
	Verified      *Verified `json:"verified"` // null: not replayed, see not_seen
}

// Share is a number of records beyond the recommended delay, with its share.
type Share struct {
	Records     uint64     `json:"records"`
	Fraction    float64    `json:"fraction"`
	CI95        [2]float64 `json:"ci95"`
	Episodes    int        `json:"episodes"`
	Partitions  int        `json:"partitions"`
	DesignEff   float64    `json:"design_effect"`
	Independent bool       `json:"assumes_independence"`
}

// Emission estimates how many records a job as it runs today would find late at the recommended
// delay: partitions merged, a watermark every EmitMs. It is between the numbers for a watermark
// that is an interval old and for a fresh one. Compare it with the job's own counter. The
// recommendation does not depend on it, because the effect is absent in a replay and smaller with
// a shorter interval.
type Emission struct {
	EmitMs       int64   `json:"emit_ms"`
	DelayMs      int64   `json:"delay_ms"`
	LateRecords  float64 `json:"late_records"`
	LeastRecords float64 `json:"least_records"`
	MostRecords  float64 `json:"most_records"`
	Late         float64 `json:"late"`          // share of the usable records
	OnEvent      float64 `json:"late_on_event"` // the same with a watermark after every record
}

// Verified is the count of the reference engine with the recommended delay.
type Verified struct {
	DelayMs     int64  `json:"delay_ms"`
	Records     uint64 `json:"records"`
	LateRecords uint64 `json:"late_records"`
	Predicted   uint64 `json:"predicted_late_records"`
}

// Confluent is the delay that Confluent Cloud's default estimator would have chosen, by
// partition.
type Confluent struct {
	MinMs int64   `json:"min_ms"`
	MaxMs int64   `json:"max_ms"`
	Late  float64 `json:"late_at_max"`
}

// Verdict says whether a delay is the answer.
type Verdict string

// The verdicts, in order of precedence.
const (
	Choose               Verdict = "choose"
	FixTimestamps        Verdict = "fix-timestamps"
	NoProgress           Verdict = "no-event-time-progress"
	LatencyInfeasible    Verdict = "latency-infeasible"
	WrongKnob            Verdict = "wrong-knob"
	InsufficientEvidence Verdict = "insufficient-evidence"
	SLABound             Verdict = "sla-bound"
	Fits                 Verdict = "fits"
)

// Words is the verdict for people; scripts have the slug.
func (v Verdict) Words() string {
	if text, ok := verdictWords[v]; ok {
		return text
	}
	return string(v)
}

// verdictWords are at most 24 characters each: they head a page.
var verdictWords = map[Verdict]string{
	Choose: "choose the field", FixTimestamps: "fix timestamps first", NoProgress: "event time stands still", LatencyInfeasible: "target cannot be met",
	WrongKnob: "delay does not help", InsufficientEvidence: "too little evidence", SLABound: "limited by latency", Fits: "fits",
}

// Code is the code to paste.
type Code struct {
	DataStream string `json:"datastream"`
	SQL        string `json:"sql"`
}
