package recommend

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tidemark/analyze/catalog"
	"tidemark/internal/cases"
	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/record"
	"tidemark/request"
)

const began = int64(1_796_000_000_000)

// moments are a record's times in ms: every tenth event is sent 1.9 s late, and a system stamps all of them
// within 5 ms of their arrival.
type moments struct{ n, event, handled, arrival int64 }

// written is a file of 3000 records as kcat prints them, in order of arrival.
func written(t *testing.T, payload func(m moments) string) string {
	t.Helper()
	var all []moments
	for n := range int64(3000) {
		m := moments{n: n, event: began + 100*n}
		m.arrival = m.event + 20
		if n%10 == 0 {
			m.arrival += 1900
		}
		m.handled = m.arrival - 5
		all = append(all, m)
	}
	slices.SortStableFunc(all, func(a, b moments) int { return int(a.arrival - b.arrival) })
	var b strings.Builder
	for i, m := range all {
		value, _ := json.Marshal(payload(m))
		fmt.Fprintf(&b, `{"topic":"t","partition":0,"offset":%d,"tstype":"logappend","ts":%d,"key":null,"payload":%s}`+"\n", i, m.arrival, value)
	}
	path := filepath.Join(t.TempDir(), "records.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func recommended(t *testing.T, path string, say func(*Request)) advise.Recommendation {
	t.Helper()
	r := Defaults()
	r.Records = record.File{Path: path, Format: "auto"}
	r.Demand.Late = "1%"
	if say != nil {
		say(&r)
	}
	res, err := Run(context.Background(), request.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return *res.Recommendation
}

func iso(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

// An envelope says which time is the event's own: nothing is to be named.
func TestEnvelopesTellTheEventTime(t *testing.T) {
	all := map[string]struct {
		payload func(m moments) string
		field   string
	}{
		"Debezium with schema": {func(m moments) string {
			return fmt.Sprintf(`{"schema":null,"payload":{"before":null,"after":{"id":%d},"source":{"ts_ms":%d,"snapshot":"false"},"op":"u","ts_ms":%d}}`, m.n, m.event, m.handled)
		}, "debezium"},
		"Debezium flattened": {func(m moments) string {
			return fmt.Sprintf(`{"id":%d,"__op":"u","__source_ts_ms":%d,"__ts_ms":%d}`, m.n, m.event, m.handled)
		}, "__source_ts_ms"},
		"CloudEvents": {func(m moments) string {
			return fmt.Sprintf(`{"specversion":"1.0","id":"%d","source":"/a","type":"b","time":"%s","data":{"ts":%d}}`, m.n, iso(m.event), m.handled)
		}, "time"},
		"OpenTelemetry": {func(m moments) string {
			return fmt.Sprintf(`{"timeUnixNano":"%d000000","observedTimeUnixNano":"%d000000","severityNumber":9}`, m.event, m.handled)
		}, "timeUnixNano"},
		"OpenTelemetry, exported": {func(m moments) string {
			return fmt.Sprintf(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"%d000000","observedTimeUnixNano":"%d000000"}]}]}]}`, m.event, m.handled)
		}, "resourceLogs.0.scopeLogs.0.logRecords.0.timeUnixNano"},
		"Segment": {func(m moments) string {
			return fmt.Sprintf(`{"messageId":"%d","type":"track","receivedAt":"%s","sentAt":"%s","timestamp":"%s"}`, m.n, iso(m.handled), iso(m.handled), iso(m.event))
		}, "timestamp"},
		"Snowplow": {func(m moments) string {
			return fmt.Sprintf(`{"event_id":"%d","collector_tstamp":"%s","derived_tstamp":"%s"}`, m.n, iso(m.handled), iso(m.event))
		}, "derived_tstamp"},
		"Maxwell": {func(m moments) string {
			return fmt.Sprintf(`{"database":"d","table":"t","type":"update","ts":%d,"xid":%d,"data":{"updated":%d}}`, m.event, m.n, m.handled)
		}, "ts"},
		"Canal": {func(m moments) string {
			return fmt.Sprintf(`{"database":"d","table":"t","type":"UPDATE","es":%d,"ts":%d,"isDdl":false}`, m.event, m.handled)
		}, "es"},
		"Kafka Connect": {func(m moments) string {
			return fmt.Sprintf(`{"schema":{"type":"struct","fields":[{"field":"n","type":"int64"},{"field":"at","type":"int64","name":"org.apache.kafka.connect.data.Timestamp"}]},"payload":{"n":%d,"at":%d}}`, m.handled, m.event)
		}, "payload.at"},
	}
	for _, name := range cases.Some(slices.Sorted(maps.Keys(all)), 4) {
		v := all[name]
		t.Run(name, func(t *testing.T) {
			r := recommended(t, written(t, v.payload), nil)
			if r.EventTime.Field != v.field || r.Advice.DataStreamMs < 1700 || r.Advice.DataStreamMs > 2000 || r.Advice.Verdict != advise.Fits {
				t.Fatalf("%+v: %s %d ms, %s", r.EventTime, r.Advice.Verdict, r.Advice.DataStreamMs, r.Advice.Reason)
			}
		})
	}
}

// Where two times need different delays and no envelope decides, a person must.
func TestFieldsThatDisagreeAreToBeChosen(t *testing.T) {
	r := recommended(t, written(t, func(m moments) string {
		return fmt.Sprintf(`{"id":%d,"received":"%s","measured":"%s","born":"1988-03-%02dT00:00:00Z"}`, m.n, iso(m.handled), iso(m.event), 1+m.n%28)
	}), nil)
	if r.Advice.Verdict != advise.Choose || len(r.Candidates) != 2 || r.Candidates[0].Field != "measured" || !r.Candidates[1].Handled {
		t.Fatalf("%s: %s; %+v", r.Advice.Verdict, r.Advice.Reason, r.Candidates)
	}
	if a, b := *r.Candidates[0].NeedMs, *r.Candidates[1].NeedMs; a < 1700 || b > 200 {
		t.Fatalf("needs %d and %d", a, b)
	}
	if !strings.HasSuffix(r.Candidates[1].Command, "--field received") {
		t.Fatal(r.Candidates[1].Command)
	}
	// A field that is named settles it.
	r = recommended(t, written(t, func(m moments) string {
		return fmt.Sprintf(`{"received":%d,"measured":%d}`, m.handled, m.event)
	}), func(r *Request) { r.EventTime.Field = "measured" })
	if r.Advice.Verdict != advise.Fits || r.Candidates != nil {
		t.Fatalf("%s %+v", r.Advice.Verdict, r.Candidates)
	}
}

// The time of an event that stands alone in a list is one of the fields.
func TestAListOfOneEventIsLookedInto(t *testing.T) {
	r := recommended(t, written(t, func(m moments) string {
		return fmt.Sprintf(`{"received":%d,"readings":[{"v":1,"measured":%d}]}`, m.handled, m.event)
	}), nil)
	if r.Advice.Verdict != advise.Choose || len(r.Candidates) != 2 || r.Candidates[0].Field != "readings.0.measured" || *r.Candidates[0].NeedMs < 1700 {
		t.Fatalf("%s: %s; %+v", r.Advice.Verdict, r.Advice.Reason, r.Candidates)
	}
}

func TestFieldsThatAgreeNeedNoChoice(t *testing.T) {
	r := recommended(t, written(t, func(m moments) string {
		return fmt.Sprintf(`{"created":%d,"event_time":%d}`, m.event-3, m.event)
	}), nil)
	if r.Advice.Verdict != advise.Fits || r.EventTime.Field != "event_time" || len(r.Candidates) != 2 {
		t.Fatalf("%s: %s %+v", r.Advice.Verdict, r.Advice.Reason, r.EventTime)
	}
}

// Without a field that reads as a time the Kafka timestamp is measured, and never said to fit.
func TestWithoutAnEventTimeNothingFits(t *testing.T) {
	for name, v := range map[string]struct {
		payload func(m moments) string
		said    string
	}{
		"US dates": {func(m moments) string {
			return `{"ts":"` + time.UnixMilli(m.event).UTC().Format("01/02/2006 03:04:05 PM") + `"}`
		}, "day and month"},
		"list of events": {func(m moments) string { return fmt.Sprintf(`[{"ts":%d},{"ts":%d}]`, m.event, m.event+1) }, "list of 2 events"},
		"list of events beside the time of a gateway": {func(m moments) string {
			return fmt.Sprintf(`{"received":%d,"readings":[{"at":%d},{"at":%d}]}`, m.handled, m.event, m.event+1)
		}, "list of 2 events"},
		"syslog": {func(m moments) string {
			return time.UnixMilli(m.event).UTC().Format("Jan _2 15:04:05") + " host app: up"
		}, "without its year"},
		"short zone": {func(m moments) string {
			return `{"at":"` + time.UnixMilli(m.event).UTC().Format("Mon, 02 Jan 2006 15:04:05") + ` CET"}`
		}, "short name of a zone"},
	} {
		t.Run(name, func(t *testing.T) {
			r := recommended(t, written(t, v.payload), nil)
			if r.Advice.Verdict != advise.Choose || !strings.Contains(r.Advice.Reason, v.said) || len(r.Candidates) != 1 || !strings.HasSuffix(r.Candidates[0].Command, "--format timestamp") {
				t.Fatalf("%s: %s; %+v", r.Advice.Verdict, r.Advice.Reason, r.Candidates)
			}
		})
	}
}

func TestTextsAreRead(t *testing.T) {
	for name, v := range map[string]struct {
		payload func(m moments) string
		flags   string
	}{
		"semicolons": {func(m moments) string { return fmt.Sprintf("a,b;%s;12,5", iso(m.event)) }, `--format csv --field 2 --separator ';'`},
		"tabs":       {func(m moments) string { return fmt.Sprintf("%d\t%d", m.n, m.event) }, "--format csv --field 2 --separator tab"},
		"ISO basic": {func(m moments) string {
			return `{"t":"` + time.UnixMilli(m.event).UTC().Format("20060102T150405.000Z") + `"}`
		}, "--field t"},
		"RFC 1123": {func(m moments) string { return `{"t":"` + time.UnixMilli(m.event).UTC().Format(time.RFC1123) + `"}` }, "--field t"},
		"web server": {func(m moments) string {
			return `1.2.3.4 - - [` + time.UnixMilli(m.event).UTC().Format("02/Jan/2006:15:04:05 -0700") + `] "GET /"`
		}, "--format raw"},
		"a list": {func(m moments) string { return fmt.Sprintf(`[%d,"x"]`, m.event) }, "--field 0"},
	} {
		t.Run(name, func(t *testing.T) {
			r := recommended(t, written(t, v.payload), nil)
			if r.Advice.Verdict != advise.Fits || r.Advice.DataStreamMs < 900 || !strings.HasSuffix(r.Candidates[0].Command, v.flags) {
				t.Fatalf("%s %s: %d ms, %+v", r.Advice.Verdict, r.Advice.Reason, r.Advice.DataStreamMs, r.Candidates)
			}
		})
	}
}

// Rows of a snapshot are as old as they are: they are counted apart, whatever way the field was found.
func TestSnapshotRowsAreLeftOut(t *testing.T) {
	payload := func(m moments) string {
		op, flag, created := "u", "false", m.event
		if m.n < 900 {
			op, flag, created = "r", "true", m.event-30*86_400_000+7_000_000*(m.n%300)
		}
		return fmt.Sprintf(`{"before":null,"after":{"created_at":%d000},"source":{"ts_ms":%d,"snapshot":"%s"},"op":"%s","ts_ms":%d}`, created, m.event, flag, op, m.handled)
	}
	for name, say := range map[string]func(*Request){
		"found":           nil,
		"debezium column": func(r *Request) { r.EventTime.Format, r.EventTime.Field = "debezium", "after.created_at" },
		"JSON path":       func(r *Request) { r.EventTime.Field = "after.created_at" },
	} {
		t.Run(name, func(t *testing.T) {
			r := recommended(t, written(t, payload), say)
			found := slices.ContainsFunc(r.Findings, func(f catalog.Finding) bool { return f.Cause == advise.CauseSnapshot })
			if r.Counters.Snapshot != 900 || r.Records != 2100 || !found || r.Advice.DataStreamMs > 2000 {
				t.Fatalf("%+v, %d ms, found %v", r.Counters, r.Advice.DataStreamMs, found)
			}
		})
	}
}

func fileOf(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func causeOf(r advise.Recommendation, cause string) (f catalog.Finding, ok bool) {
	i := slices.IndexFunc(r.Findings, func(f catalog.Finding) bool { return f.Cause == cause })
	if i < 0 {
		return f, false
	}
	return r.Findings[i], true
}

// Times of a whole minute repeat, and still move on.
func TestMinutesAreAnEventTime(t *testing.T) {
	var b strings.Builder
	for i := range int64(20_000) {
		at := began + 60*i
		fmt.Fprintf(&b, "0;%d;%d\n", at, at/60_000*60_000)
	}
	r := recommended(t, fileOf(t, "minutes.csv", b.String()), nil)
	if _, stuck := causeOf(r, advise.CauseNoProgress); stuck || r.Advice.Verdict != advise.Fits || r.Records != 20_000 {
		t.Fatalf("%s: %s %+v", r.Advice.Verdict, r.Advice.Reason, r.Findings)
	}
	// A constant does not.
	r = recommended(t, fileOf(t, "constant.csv", regexp.MustCompile(`;\d+\n`).ReplaceAllString(b.String(), fmt.Sprintf(";%d\n", began))), nil)
	if r.Advice.Verdict != advise.NoProgress {
		t.Fatalf("%s: %s", r.Advice.Verdict, r.Advice.Reason)
	}
}

func TestARowWithoutAnEventTimeIsMissing(t *testing.T) {
	var b strings.Builder
	for i := range int64(2000) {
		at := began + 100*i
		event := fmt.Sprint(at - i%7)
		if i%20 == 3 {
			event = ""
		}
		fmt.Fprintf(&b, "0,%d,%s\n", at, event)
	}
	r := recommended(t, fileOf(t, "missing.csv", b.String()), nil)
	f, found := causeOf(r, advise.CauseUnusable)
	if !found || r.Counters.Missing != 100 || r.Counters.Tombstone != 0 || !strings.Contains(f.Summary, "100 of 2,000 records are without an event time") {
		t.Fatalf("%+v %q", r.Counters, f.Summary)
	}
}

// A wrong unit is answered in the words of the one that was given.
func TestAUnitThatWasGivenWrongIsNamed(t *testing.T) {
	var b strings.Builder
	for i := range int64(1000) {
		fmt.Fprintf(&b, "0,%d,%d\n", began+100*i, began+100*i-50)
	}
	path := fileOf(t, "unit.csv", b.String())
	for given, want := range map[string]string{"s": "event time read as s is ", "us": "event time read as us is "} {
		r := recommended(t, path, func(r *Request) { r.EventTime.Unit = given })
		f, found := causeOf(r, advise.CauseEpochUnit)
		if !found || !strings.HasPrefix(f.Summary, want) || !strings.HasSuffix(f.Summary, "the unit is ms") || !strings.HasSuffix(f.Fix.Text, "--unit ms") {
			t.Errorf("--unit %s: %q, %+v", given, f.Summary, f.Fix)
		}
	}
}
