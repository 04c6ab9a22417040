package sqlplan_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/analyze/catalog"
	"tidemark/analyze/sqlplan"
	"tidemark/internal/sqlplantest"
)

const scripts = "../../testdata/sql"

var versions = []string{"1.18.1", "1.20.3", "2.3.0"}

// conversation and script read each file once.
var (
	conversations = map[string]*sqlplantest.Conversation{}
	byName        = map[string]sqlplantest.Script{}
)

func conversation(t *testing.T, version string) *sqlplantest.Conversation {
	t.Helper()
	if conversations[version] == nil {
		conversations[version] = sqlplantest.Load(t, scripts, version)
	}
	return conversations[version]
}

func script(t *testing.T, name string) sqlplantest.Script {
	t.Helper()
	if len(byName) == 0 {
		for _, s := range sqlplantest.Scripts(t, scripts) {
			byName[s.Name] = s
		}
	}
	s, ok := byName[name]
	if !ok {
		t.Fatalf("no script %s", name)
	}
	return s
}

func replay(t *testing.T, version, name string) sqlplan.Answer {
	t.Helper()
	s := script(t, name)
	a, err := sqlplan.Read(context.Background(), conversation(t, version).Replay(name), name, s.Text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Every script has its verdict on the answers of every version, and a fixed twin has none.
func TestScripts(t *testing.T) {
	for _, version := range versions {
		c := conversation(t, version)
		for _, s := range sqlplantest.Scripts(t, scripts) {
			t.Run(version+"/"+s.Name, func(t *testing.T) {
				a, err := sqlplan.Read(context.Background(), c.Replay(s.Name), s.Name, s.Text)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(s.Want(version), sqlplantest.Found(a)); diff != "" {
					t.Errorf("-want +found:\n%s", diff)
				}
				sane(t, a, s)
				if a.FlinkVersion != version || a.Gateway == "" || a.File != s.Name {
					t.Errorf("%q %q %q", a.FlinkVersion, a.Gateway, a.File)
				}
				if strings.HasSuffix(s.Name, ".fixed.sql") {
					for _, f := range a.Findings {
						if f.Severity != "info" {
							t.Errorf("the mended twin has %s %s", f.Code, f.Summary)
						}
					}
					if len(a.Incomplete) > 0 {
						t.Errorf("the mended twin is not judged: %q", a.Incomplete)
					}
				}
			})
		}
	}
}

// Without a gateway the tables are read, and no query is said to be checked.
func TestScriptsWithoutGateway(t *testing.T) {
	for _, s := range sqlplantest.Scripts(t, scripts) {
		t.Run(s.Name, func(t *testing.T) {
			a := sqlplan.ReadDDL(s.Name, s.Text)
			if diff := cmp.Diff(s.Want("ddl"), sqlplantest.Found(a)); diff != "" {
				t.Errorf("-want +found:\n%s", diff)
			}
			sane(t, a, s)
			for _, q := range a.Queries {
				if q.Status != sqlplan.Skipped {
					t.Errorf("%s is %s", q.Name, q.Status)
				}
			}
			if len(a.Queries) > 0 && !strings.Contains(strings.Join(a.Incomplete, "\n"), "--sql-gateway") {
				t.Errorf("the answer does not say that queries were not checked: %q", a.Incomplete)
			}
		})
	}
}

var control = regexp.MustCompile(`[\x00-\x1f\x7f]`)

// sane holds for every answer: places exist, texts are one line, all fields are filled.
func sane(t *testing.T, a sqlplan.Answer, s sqlplantest.Script) {
	t.Helper()
	lines := strings.Split(s.Text, "\n")
	place := func(l sqlplan.Location) bool {
		return l.File == s.Name && l.Line >= 1 && l.Line <= len(lines) && l.Column >= 1 && l.Column <= len([]rune(lines[l.Line-1]))+1
	}
	for _, f := range a.Findings {
		switch {
		case !place(f.Location):
			t.Errorf("%s is at %v", f.Code, f.Location)
		case f.Summary == "" || control.MatchString(f.Summary) || f.Title == "" || f.Fix.Text == "" || f.Confidence == "" || f.Evidence == nil:
			t.Errorf("%s is incomplete: %+v", f.Code, f)
		case f.Subject.Kind == "" || f.Subject.Name == "":
			t.Errorf("%s has no subject", f.Code)
		}
	}
	for _, q := range a.Queries {
		if !place(q.Location) || q.Name == "" || q.Status != sqlplan.Explained && q.Reason == "" {
			t.Errorf("%+v", q)
		}
	}
	for _, source := range a.Sources {
		if source.Table == "" || source.Location.Line > 0 && !place(source.Location) || source.Delay.State == "" || source.IdleTimeout.State == "" || source.AlignDrift.State == "" || source.Emit == "" {
			t.Errorf("%+v", source)
		}
	}
}

func only(t *testing.T, a sqlplan.Answer, table string) sqlplan.Source {
	t.Helper()
	for _, s := range a.Sources {
		if s.Table == table {
			return s
		}
	}
	t.Fatalf("no source %s in %+v", table, a.Sources)
	return sqlplan.Source{}
}

func known(ms int64) sqlplan.Span { return sqlplan.Span{State: sqlplan.SpanKnown, Ms: ms} }

var unset = sqlplan.Span{State: sqlplan.SpanUnset}

// The facts that a policy judges are the same from a plan and from CREATE TABLE alone.
func TestSourceFacts(t *testing.T) {
	base := sqlplan.Source{Table: "orders", Topic: "orders", Connector: "kafka", RowtimeColumn: "ts", RowtimeType: "TIMESTAMP_LTZ(3)", EpochColumn: "event_time", EpochUnit: "ms",
		Delay: known(5000), IdleTimeout: known(60_000), AlignDrift: unset, AlignInterval: unset, Emit: sqlplan.EmitPeriodic}
	with := func(edit func(*sqlplan.Source)) sqlplan.Source {
		s := base
		edit(&s)
		return s
	}
	for name, want := range map[string]sqlplan.Source{
		"join-before-window.fixed.sql": base,
		"idle-by-setting.sql":          with(func(s *sqlplan.Source) { s.IdleTimeout = known(30_000) }),
		"idle-not-set.sql":             with(func(s *sqlplan.Source) { s.IdleTimeout = unset }),
		"like.sql":                     with(func(s *sqlplan.Source) { s.Topic = "orders-eu" }),
		"alignment.sql": with(func(s *sqlplan.Source) {
			s.AlignGroup, s.AlignDrift, s.AlignInterval, s.Emit = "g", known(30_000), known(2000), sqlplan.EmitOnEvent
		}),
		"timestamp-session-zone.sql": with(func(s *sqlplan.Source) { s.RowtimeType = "TIMESTAMP(3)" }),
		"source-watermark.sql": with(func(s *sqlplan.Source) {
			s.Delay, s.SourceWatermark = sqlplan.Span{State: sqlplan.SpanUnknown}, true
		}),
	} {
		check := func(how string, got sqlplan.Source) {
			got.Location, got.WatermarkExpr, got.Read, got.EventTime, got.FromPlan = sqlplan.Location{}, "", false, false, false
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, how, diff)
			}
		}
		for _, version := range versions {
			s := only(t, replay(t, version, name), "orders")
			if !s.Read || !s.FromPlan || !s.EventTime {
				t.Errorf("%s, %s: %+v", name, version, s)
			}
			check(version, s)
		}
		check("alone", only(t, sqlplan.ReadDDL(name, script(t, name).Text), "orders"))
	}
}

// Where the connector takes no watermark, it is an operator: scan.watermark.* does not apply there.
func TestAssignerFacts(t *testing.T) {
	for _, version := range versions {
		s := only(t, replay(t, version, "assigner.sql"), "orders")
		if s.Delay != known(90_000) || s.IdleTimeout != unset || s.Emit != sqlplan.EmitUnknown || s.RowtimeType != "TIMESTAMP_LTZ(3)" || s.Connector != "datagen" {
			t.Errorf("%s: %+v", version, s)
		}
	}
}

func TestQueries(t *testing.T) {
	type row struct{ Kind, Name, Status, Tables, Holds string }
	for name, want := range map[string][]row{
		"statement-set.fixed.sql":       {{"statement set", "sink, other", "explained", "orders", ""}},
		"create-table-as.sql":           {{"create table as", "copied", "explained", "orders", ""}},
		"interval-join.sql":             {{"insert", "sink", "explained", "orders payments", "IntervalJoin 3600000"}},
		"match-before-window.fixed.sql": {{"insert", "sink", "explained", "orders", "Match 3600000"}},
		"precision.sql":                 {{"insert", "sink", "skipped", "", ""}},
		"refused.sql":                   {{"insert", "sink", "refused", "", ""}},
		"catalog.sql":                   {{"insert", "sink", "explained", "orders", ""}},
	} {
		for _, version := range versions {
			var got []row
			for _, q := range replay(t, version, name).Queries {
				var holds []string
				for _, h := range q.Holds {
					holds = append(holds, fmt.Sprintf("%s %d", h.Operator, h.Ms))
				}
				got = append(got, row{string(q.Kind), q.Name, string(q.Status), strings.Join(q.Tables, " "), strings.Join(holds, " ")})
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, version, diff)
			}
		}
	}
	for name, eventTime := range map[string]bool{"no-event-time.sql": false, "processing-time.sql": false, "over.sql": true, "temporal-join.sql": true, "window-join.sql": true} {
		for _, version := range versions {
			if q := replay(t, version, name).Queries[0]; q.EventTime != eventTime {
				t.Errorf("%s, %s: event time %v", name, version, q.EventTime)
			}
		}
	}
}

// A finding names who took the time attribute.
func TestSummariesNameTheCulprit(t *testing.T) {
	for name, parts := range map[string][]string{
		"join-before-window.sql":         {"a regular join (Join)", `"ts"`, "Flink refuses"},
		"union-before-window.sql":        {"UNION, which removes duplicates (GroupAggregate)"},
		"intersect-before-window.sql":    {"INTERSECT"},
		"except-before-window.sql":       {"EXCEPT"},
		"distinct-before-window.sql":     {"DISTINCT"},
		"group-by-before-window.sql":     {"an aggregation without a window"},
		"match-before-window.sql":        {"MATCH_RECOGNIZE without MATCH_ROWTIME"},
		"window-chained.sql":             {"not grouped by window_time"},
		"cast-before-window.sql":         {"a CAST of the time attribute"},
		"topn-before-window.sql":         {"Top-N (Rank)"},
		"limit-before-window.sql":        {"ORDER BY … LIMIT (SortLimit)"},
		"last-row-before-window.sql":     {"keeps the last row (Deduplicate)"},
		"join-before-group-window.sql":   {"a regular join (Join)", "GroupWindowAggregate"},
		"union-in-window.sql":            {"TUMBLE a set operation of 2 branches", "only the first"},
		"no-watermark.sql":               {`Table "orders" has no WATERMARK`},
		"no-watermark-in-join.sql":       {`Table "orders" has no WATERMARK`, "the join on a time range"},
		"wrong-column.sql":               {`"order_time"`, `"ts"`},
		"precision.sql":                  {"TIMESTAMP_LTZ(6)"},
		"source-watermark.sql":           {"SOURCE_WATERMARK()", `"kafka"`},
		"timestamp-session-zone.sql":     {"FROM_UNIXTIME in the session's time zone"},
		"timestamp-metadata.sql":         {"a METADATA column"},
		"refused.sql":                    {"Column 'price' not found"},
		"variables.sql":                  {"${window}"},
		"open-quote.sql":                 {"a string opened by ' is never closed"},
		"proctime-in-union.sql":          {`PROCTIME() of table "payments"`, `column "ts" of UNION ALL`, "never starts"},
		"proctime-in-interval-join.sql":  {`event time "ts" of table "orders"`, `PROCTIME() "ts" of table "payments"`},
		"types-in-union.sql":             {`a TIMESTAMP_LTZ of column "ts" of table "payments"`},
		"types-in-interval-join.sql":     {"time attributes of different types"},
		"two-rowtimes-in-sink.sql":       {`columns ts, paid of "sink"`},
		"expression-before-window.sql":   {`"best", which is made by "COALESCE(sent, ts)"`},
		"from-unixtime-in-view.sql":      {`"event_time", which is made by "TO_TIMESTAMP(t)"`},
		"expression-in-group-window.sql": {"TUMBLE", "TO_TIMESTAMP(FROM_UNIXTIME(created))"},
		"compile-plan.sql":               {"ts + INTERVAL '1' HOUR"},
		"temporal-join-no-key.sql":       {`table "rates" has no PRIMARY KEY`},
		"temporal-join-no-watermark.sql": {`table "rates" declares no WATERMARK`},
		"temporal-join-proctime.sql":     {"lookup tables only"},
		"emit-append-sink.sql":           {`sink "sink" takes only rows that are inserted`},
		"emit-late-without-lateness.sql": {"needs table.exec.emit.allow-lateness"},
		"emit-window-function.sql":       {"group windows only"},
		"cdc-window-topn.sql":            {"a window Top-N behind it takes only inserted rows"},
		"alignment-incomplete.sql":       {"no scan.watermark.alignment.max-drift"},
		"alignment-below-idle.sql":       {"stops the others for 50 s"},
		"start-offsets.sql":              {"names no group"},
		"over-two-windows.sql":           {"the OVER clauses of one SELECT differ"},
	} {
		for _, version := range versions {
			a := replay(t, version, name)
			for _, part := range parts {
				if !slices.ContainsFunc(a.Findings, func(f catalog.Finding) bool { return strings.Contains(f.Summary, part) }) {
					t.Errorf("%s, %s: no %q in %v", name, version, part, a.Findings)
				}
			}
		}
	}
}
