package sqlplan

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

// remedy explains a message with which Flink refuses a statement.
type remedy struct {
	message *regexp.Regexp // its groups fill the %s of says
	code    string         // of the check that it belongs to; "" is TM611
	says    string         // what is wrong, as a sentence continues after "Flink refuses it: "
	fix     catalog.Fix
}

const upsertSink = "CREATE TABLE sink (…, PRIMARY KEY (id, window_start) NOT ENFORCED)\nWITH ('connector' = 'upsert-kafka', …)"

// remedies are asked in their order. Each message was seen in the answers of 1.18.1, 1.20.3 and 2.3.0,
// unless it says otherwise.
var remedies = sync.OnceValue(func() []remedy {
	return []remedy{
		{regexp.MustCompile(`Table sink '([^']+)' doesn't support consuming [a-z ]+ which is produced by node GroupWindowAggregate\((?s:.*)emit=\[`), "TM621",
			`early or late firing sends a result again when it changes, and sink "%s" takes only rows that are inserted`, catalog.Fix{
				Text: "Write into a sink with a primary key that takes updates, or leave table.exec.emit.early-fire and late-fire off.", SQL: upsertSink}},
		{regexp.MustCompile(`Early-fire delay should not be null`), "TM621", "table.exec.emit.early-fire.enabled needs table.exec.emit.early-fire.delay", catalog.Fix{
			Text: "Set the delay between two early results.", SQL: "SET 'table.exec.emit.early-fire.delay' = '10 s';"}},
		{regexp.MustCompile(`Late-fire delay should not be null`), "TM621", "table.exec.emit.late-fire.enabled needs table.exec.emit.late-fire.delay", catalog.Fix{
			Text: "Set the delay between two late results; 0 s fires with each late row.", SQL: "SET 'table.exec.emit.late-fire.delay' = '0 s';"}},
		{regexp.MustCompile(`'AFTER WATERMARK' emit strategy requires set 'allow-lateness'`), "TM621", "table.exec.emit.late-fire.enabled needs table.exec.emit.allow-lateness, which says how long a window is kept for late rows", catalog.Fix{
			Text: "Set how late a row may come.", SQL: "SET 'table.exec.emit.allow-lateness' = '1 h';"}},
		{regexp.MustCompile(`window table function based aggregate doesn't support early-fire and late-fire`), "TM621", "table.exec.emit.early-fire and late-fire work with group windows only, and this is a window table function", catalog.Fix{
			Text: "Leave the two settings off, or write the query with a group window.", SQL: "RESET 'table.exec.emit.early-fire.enabled';\n-- or: SELECT id, COUNT(*) FROM orders GROUP BY id, TUMBLE(ts, INTERVAL '1' MINUTE)"}},

		{regexp.MustCompile(`more than one rowtime attribute column \[([^\]]+)\] for writing into table '([^']+)'`), "TM620", `the columns %s of "%s" are all time attributes, and a row in a sink has one event time`, catalog.Fix{
			Text: "Cast all of them but the one that is the event time of the result.", SQL: "SELECT id, ts, CAST(other_ts AS TIMESTAMP_LTZ(3)) AS other_ts FROM …"}},
		{regexp.MustCompile(`requires same rowtime types, but the types are (.+?)\.?$`), "TM620", "the two sides of the join have time attributes of different types (%s)", catalog.Fix{
			Text: "Give both tables the same type of time attribute, TIMESTAMP_LTZ(3), in CREATE TABLE: a CAST in the query would take the time attribute away.", SQL: "ts AS TO_TIMESTAMP_LTZ(epoch_ms, 3),\nWATERMARK FOR ts AS ts - INTERVAL '5' SECOND"}},
		{regexp.MustCompile(`Union fields with time attributes requires same types`), "TM620", "the branches of UNION ALL have time attributes of different types", catalog.Fix{
			Text: "Give both tables the same type of time attribute in CREATE TABLE.", SQL: "ts AS TO_TIMESTAMP_LTZ(epoch_ms, 3),\nWATERMARK FOR ts AS ts - INTERVAL '5' SECOND"}},

		{regexp.MustCompile(`Processing-time temporal join is not supported yet`), "TM622", "FOR SYSTEM_TIME AS OF a PROCTIME() column works on lookup tables only (jdbc, hbase and others that can be asked for a key), and the table behind JOIN is none", catalog.Fix{
			Text: "Join as of the event time of the left table, or put the versions into a table that can be looked up.", SQL: "FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.currency = r.currency"}},
		{regexp.MustCompile(`Temporal Table Join requires primary key in versioned table`), "TM622", "the table behind JOIN has no PRIMARY KEY, so its rows are no versions of anything", catalog.Fix{
			Text: "Declare the key that identifies a version, on a table of changes (upsert-kafka, a CDC format); or make a versioned view of a table of inserts.", SQL: "CREATE VIEW rates AS\nSELECT currency, rate, ts FROM (\n  SELECT *, ROW_NUMBER() OVER (PARTITION BY currency ORDER BY ts DESC) AS n FROM rate_history)\nWHERE n = 1"}},
		{regexp.MustCompile(`requires both primary key and row time attribute in versioned table`), "TM622", "the table behind JOIN declares no WATERMARK, so it is not known when a version begins", catalog.Fix{
			Text: "Declare the time from which a version is valid as event time of that table.", SQL: "valid_from TIMESTAMP_LTZ(3),\nWATERMARK FOR valid_from AS valid_from - INTERVAL '5' SECOND,\nPRIMARY KEY (currency) NOT ENFORCED"}},

		{regexp.MustCompile(`No match found for function signature SESSION\(<RecordType`), "TM623", "SESSION as a window table function needs Flink 1.19 or newer", catalog.Fix{
			Text: "Run on 1.19 or newer, or write a session group window, which all versions have.", SQL: "SELECT id, COUNT(*) FROM orders\nGROUP BY id, SESSION(ts, INTERVAL '10' MINUTE)"}},

		{regexp.MustCompile(`Unsupported use of OVER windows\. All aggregates must be computed on the same window`), "", "the OVER clauses of one SELECT differ in PARTITION BY, ORDER BY or range, and Flink computes one of them a SELECT", catalog.Fix{
			Text: "Compute each in a separate query and join the results, or give all the same window.", SQL: "SELECT COUNT(*) OVER w, SUM(amount) OVER w FROM orders\nWINDOW w AS (PARTITION BY id ORDER BY ts)"}},
		{regexp.MustCompile(`Table sink '([^']+)' doesn't support consuming ([a-z ]+) changes? which is produced by node (\w+)\(`), "", `sink "%s" takes only rows that are inserted, and the query sends %s changes (%s)`, catalog.Fix{
			Text: "Write into a sink with a primary key that takes updates (upsert-kafka, jdbc), or aggregate in windows, whose results are final.", SQL: upsertSink}},
		{regexp.MustCompile(`Property group\.id is required when using committed offset`), "", "a Kafka table starts at the offsets of its group (scan.startup.mode is group-offsets unless it is set) and names no group", catalog.Fix{
			Text: "Name the group, or say where to start.", SQL: "'properties.group.id' = 'orders-counts'\n-- or 'scan.startup.mode' = 'earliest-offset'"}},
		{regexp.MustCompile(`must be set when configuring watermark alignment`), "TM619", "scan.watermark.alignment needs both group and max-drift", catalog.Fix{}},
		{regexp.MustCompile(`Table options do not contain an option key 'connector'|is a managed table|Managed table`), "", "a table names no connector: only a catalog that keeps tables itself (Iceberg, Paimon, Hive) takes such a table", catalog.Fix{
			Text: "Name the connector, or create the table in that catalog.", SQL: "WITH ('connector' = 'kafka', …)"}},
	}
})

// explained looks up what a refusal means; the sentence is filled in.
func (r *Refusal) remedy() (remedy, bool) {
	for i := len(r.Causes) - 1; i >= 0; i-- {
		if known, ok := unknownOptions(r.Causes[i].Message); ok {
			return known, true
		}
		for _, known := range remedies() {
			m := known.message.FindStringSubmatch(r.Causes[i].Message)
			if m == nil {
				continue
			}
			args := make([]any, 0, len(m))
			for _, part := range m[1:] {
				args = append(args, oneLine(strings.TrimPrefix(part, model.DefaultPath)))
			}
			known.says = fmt.Sprintf(known.says, args...)
			return known, true
		}
	}
	return remedy{}, false
}

// temporalTable is the table of JOIN table FOR SYSTEM_TIME AS OF, of the first such join.
func temporalTable(s *statement) token {
	for i := max(s.body, 0) + 1; i < len(s.tokens); i++ {
		if words(s.tokens[i:], "FOR", "SYSTEM_TIME") && s.tokens[i-1].isName() {
			return s.tokens[i-1]
		}
	}
	return token{}
}

// addRefused reports a statement that Flink refuses: with what its message means where that is known.
func (r *reader) addRefused(s *statement, subject catalog.Subject, at Location, what string, refusal *Refusal) {
	known, ok := refusal.remedy()
	says := known.says
	if table := temporalTable(s); known.code == "TM622" && table.line > 0 {
		at, says = r.at(table), strings.Replace(says, "the table behind JOIN", "table "+name(table.value), 1)
	}
	f := r.finding(cmp.Or(known.code, "TM611"), subject, at)
	f.Severity = catalog.Critical
	f.Summary = fmt.Sprintf("Flink refuses %s: %s", what, refusal.reason())
	if ok {
		f.Summary = fmt.Sprintf("Flink %s refuses %s: %s", r.answer.FlinkVersion, what, says)
	}
	if known.fix.Text != "" {
		f.Fix = known.fix
	}
	refused(&f, subject.Name, refusal)
	r.add(f)
}
