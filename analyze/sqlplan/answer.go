package sqlplan

import (
	"tidemark/analyze/catalog"
	"tidemark/internal/units"
)

// Answer is what a script says about event time, and what could not be found out.
type Answer struct {
	File         string // as the user named it
	Gateway      string // URL of the SQL gateway, "" where only CREATE TABLE was read
	FlinkVersion string // of the gateway
	Sources      []Source
	Findings     []catalog.Finding // in the order of the script
	Queries      []Query
	Incomplete   []string // why the answer is not complete, one sentence each
}

// Status is what became of a statement with a query.
type Status string

// The statuses of a query.
const (
	Explained Status = "explained"
	Refused   Status = "refused" // by Flink, which is a finding
	Skipped   Status = "skipped" // with a Reason
)

// Query is a statement that would run as a job: INSERT, statement set, SELECT, CREATE TABLE AS. A
// statement that changes something and was therefore not executed is listed as skipped, too.
type Query struct {
	Kind      Kind
	Name      string // the tables it writes to, "SELECT" for a plain query
	Location  Location
	Status    Status
	Reason    string   // of Skipped and Refused
	EventTime bool     // an operator of the plan waits for watermarks
	Tables    []string // Source.Table of the tables it reads, from the plan
	Holds     []Hold   // operators that hold event time back by their own rule
}

// planned reports a query whose plan was read.
func (q *Query) planned() bool { return q != nil && q.Status == Explained }

// Hold is an operator that holds event time back by design.
type Hold struct {
	Operator string // IntervalJoin, MiniBatchAssigner, Match
	Ms       int64  // event time, at most
}

// SpanState says whether a span of time is known.
type SpanState string

// The states of a span.
const (
	SpanKnown   SpanState = "known"
	SpanUnset   SpanState = "unset"   // nothing declares it, and Flink's default is none
	SpanUnknown SpanState = "unknown" // declared, but in a way that cannot be read
)

// Span is a length of time in ms that may be unset or unreadable.
type Span struct {
	State SpanState `json:"state"`
	Ms    int64     `json:"ms,omitempty"` // only with SpanKnown
}

func known(ms int64) Span { return Span{SpanKnown, ms} }

// String writes the span for a sentence.
func (s Span) String() string {
	if s.State == SpanKnown {
		return units.Duration(s.Ms)
	}
	return string(s.State)
}

// Emit is when watermarks are emitted (scan.watermark.emit.strategy, since 1.18).
type Emit string

// The emit strategies; EmitUnknown where the plan does not show it and no option says it.
const (
	EmitPeriodic Emit = "on-periodic"
	EmitOnEvent  Emit = "on-event"
	EmitUnknown  Emit = "unknown"
)

// Source is one table that a script declares or reads, as far as its watermark goes.
type Source struct {
	Table           string // as the script names it, or the plan's catalog.database.table
	Topic           string // of Kafka; "" where the connector has none
	Connector       string
	RowtimeColumn   string // "" without a WATERMARK
	RowtimeType     string // TIMESTAMP_LTZ(3); "" where only Flink could tell
	WatermarkExpr   string // as written
	EpochColumn     string // whose number the rowtime is made of, "" where it is made otherwise
	EpochUnit       string // s, ms, us or ns: what the script takes that number for
	Delay           Span   // SpanUnset without a WATERMARK, SpanUnknown for a function or SOURCE_WATERMARK()
	SourceWatermark bool   // SOURCE_WATERMARK(): the connector decides
	IdleTimeout     Span
	AlignGroup      string // "" = not aligned
	AlignOff        string // the group of an alignment whose drift or interval is 0: Flink leaves it off
	AlignDrift      Span
	AlignInterval   Span
	Emit            Emit
	Read            bool // a query that was explained reads it
	EventTime       bool // and an operator behind it waits for its watermark
	OnlyWritten     bool // without a gateway: the script writes to it and nothing in the text reads it
	FromPlan        bool // the facts are those of Flink's plan, not only of CREATE TABLE
	// Location is the WATERMARK clause, the table's name where it has none, Line 0 where the script does
	// not declare it.
	Location Location
}

// HasWatermark reports a WATERMARK clause.
func (s Source) HasWatermark() bool { return s.RowtimeColumn != "" }
