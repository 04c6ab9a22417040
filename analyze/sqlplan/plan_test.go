package sqlplan

import (
	"strings"
	"testing"

	"tidemark/analyze/model"
)

const reused = `== Abstract Syntax Tree ==
LogicalSink(table=[a.b.s])
+- LogicalTableScan(table=[[a, b, o]])

== Optimized Physical Plan ==
Sink(table=[a.b.s])

== Optimized Execution Plan ==
TableSourceScan(table=[[a, b, o, project=[k, ts], metadata=[], watermark=[-(ts, 5000:INTERVAL SECOND)]]], fields=[k, ts])(reuse_id=[1])

Sink(table=[a.b.s], fields=[k])
+- Union(all=[true], union=[k])
   :- Calc(select=[k])
   :  +- Reused(reference_id=[1])
   +- Join(joinType=[InnerJoin], where=[(k = k0)])
      :- Exchange(distribution=[hash[k]])
      :  +- Reused(reference_id=[1])
      +- TableSourceScan(table=[[a, b, p]], fields=[k])

Sink(table=[a.b.t], fields=[k])
+- Reused(reference_id=[1])
`

func TestPlanWithReuse(t *testing.T) {
	p, ok := readPlan(reused)
	if !ok || len(p.exec) != 3 || len(p.ast) != 1 {
		t.Fatalf("%v, %d roots", ok, len(p.exec))
	}
	var names []string
	p.each(func(n *node) { names = append(names, n.name()) })
	if got := strings.Join(names, " "); got != "TableSourceScan Sink Union Calc Join Exchange TableSourceScan Sink" {
		t.Error(got)
	}
	join := p.exec[1].inputs[0].inputs[1]
	if join.kind != model.KindRegularJoin || len(sourcesOf(join)) != 2 {
		t.Errorf("%s has %d sources", join.text, len(sourcesOf(join)))
	}
	if path, ok := scanned(p.exec[0]); !ok || path != "a.b.o" {
		t.Errorf("%q", path)
	}
	if p.exec[2].inputs[0] != p.exec[0] {
		t.Error("a reference leads elsewhere")
	}
}

func TestTextThatIsNoPlan(t *testing.T) {
	for _, text := range []string{"", "OK", "== Abstract Syntax Tree ==\nA\n", "== Optimized Execution Plan ==\nA\n", "== Abstract Syntax Tree ==\n\n== Optimized Execution Plan ==\n\n"} {
		if _, ok := readPlan(text); ok {
			t.Errorf("%q is taken for a plan", text)
		}
	}
}

func TestLosses(t *testing.T) {
	for plan, want := range map[string]string{
		"Join(joinType=[LeftOuterJoin], where=[(a = b)])":                                      "a regular join",
		"Join(joinType=[LeftSemiJoin], where=[(a = b)])":                                       "a subquery with IN or EXISTS",
		"GroupAggregate(groupBy=[k], select=[k, COUNT(*) AS n])":                               "an aggregation without a window",
		"GroupAggregate(groupBy=[k, ts], select=[k, ts])":                                      "DISTINCT",
		"Match(partitionBy=[k], orderBy=[ts ASC], measures=[FINAL(B.ts) AS t])":                "MATCH_RECOGNIZE without MATCH_ROWTIME",
		"Match(partitionBy=[k], orderBy=[ts ASC], measures=[FINAL(MATCH_ROWTIME()) AS t])":     "",
		"Rank(strategy=[AppendFastStrategy], rankType=[ROW_NUMBER])":                           "Top-N",
		"SortLimit(orderBy=[v DESC], offset=[0], fetch=[3])":                                   "ORDER BY … LIMIT",
		"Deduplicate(keep=[LastRow], key=[k], order=[ROWTIME])":                                "a deduplication that keeps the last row",
		"Deduplicate(keep=[FirstRow], key=[k], order=[ROWTIME])":                               "",
		"Union(all=[true], union=[k])":                                                         "",
		"IntervalJoin(joinType=[InnerJoin], windowBounds=[isRowTime=true, leftLowerBound=-1])": "",
		"LookupJoin(table=[a.b.c], joinType=[InnerJoin])":                                      "",
	} {
		l, ok := lossOf(&node{text: plan, kind: model.KindOf(plan)})
		if l.what != want || ok != (want != "") {
			t.Errorf("%s: %q", plan, l.what)
		}
	}
}

// The right side of a temporal join is updated by design, its left side is not.
func TestTemporalJoinTakesUpdates(t *testing.T) {
	const join = "TemporalJoin(joinType=[LeftOuterJoin], where=[((k = k0) AND __TEMPORAL_JOIN_CONDITION(ts, ts0, __TEMPORAL_JOIN_CONDITION_PRIMARY_KEY(k0)))])"
	leaf := func(text string) *node { return &node{text: text, kind: model.KindOf(text)} }
	last, scan := leaf("Deduplicate(keep=[LastRow], key=[k], order=[ROWTIME])"), leaf("TableSourceScan(table=[[a, b, o]], fields=[k])")
	n := leaf(join)
	n.inputs = []*node{scan, last}
	if l, ok := lossBelow(n); ok {
		t.Errorf("the versions: %s", l.what)
	}
	n.inputs = []*node{leaf("Join(joinType=[InnerJoin])"), last}
	if l, ok := lossBelow(n); !ok || l.what != "a regular join" {
		t.Errorf("the left side: %v %s", ok, l.what)
	}
}

func TestRefusalKinds(t *testing.T) {
	for message, want := range map[string]refusalKind{
		"The window function requires the timecol is a time attribute type, but is TIMESTAMP(3).":                                                         refusedTime,
		"Window aggregate can only be defined over a time attribute column, but TIMESTAMP(3) encountered.":                                                refusedTime,
		"OVER windows' ordering in stream mode must be defined on a time attribute.":                                                                      refusedTime,
		"Sort on a non-time-attribute field is not supported.":                                                                                            refusedTime,
		"Event-Time Temporal Table Join requires both primary key and row time attribute in versioned table, but no row time attribute can be found.":     refusedOther,
		"StreamPhysicalWindowAggregate doesn't support consuming update and delete changes which is produced by node Rank(rankType=[ROW_NUMBER])":         refusedUpdates,
		"The field must be of type TIMESTAMP(p) or TIMESTAMP_LTZ(p), the supported precision 'p' is from 0 to 3, but the time field type is TIMESTAMP(6)": refusedPrecision,
		"Could not find any factory for identifier 'avro' that implements 'x' in the classpath.":                                                          refusedMissing,
		"jar resource [/nope.jar] not found.":                         refusedMissing,
		"Object 'nope' not found":                                     refusedObject,
		"A catalog with name [nope] does not exist.":                  refusedObject,
		"Column 'price' not found in any table":                       refusedOther,
		"SQL parse failed. Encountered \"FROM\" at line 1, column 9.": refusedText,
	} {
		if got := (&Refusal{Causes: []Cause{{"a.B", "outer"}, {"a.C", message}}}).kind(); got != want {
			t.Errorf("%s: %d, want %d", message, got, want)
		}
	}
	for message, want := range map[string]string{
		"Object 'nope' not found": "nope",
		"Cannot find table '`default_catalog`.`default_database`.`nosink`' in any of the catalogs": "nosink",
		"Table `a`.`b`.`c` doesn't exist or is a temporary table.":                                 "c",
		"Table with identifier 'a.b.c' does not exist.":                                            "c",
		"A catalog with name [nope] does not exist.":                                               "nope",
		"Catalog nope does not exist.":                                                             "nope",
		"A database with name [d] does not exist in the catalog: [c].":                             "d",
		"No match found for function signature f(<NUMERIC>)":                                       "f",
	} {
		if got := (&Refusal{Causes: []Cause{{"a.C", message}}}).object(); got != want {
			t.Errorf("%s: %q", message, got)
		}
	}
	consumer, producer := (&Refusal{Causes: []Cause{{"a.C", "StreamPhysicalIntervalJoin doesn't support consuming update changes which is produced by node Rank(a=[b])"}}}).producer()
	if consumer != "IntervalJoin" || producer != "Rank(a=[b])" {
		t.Errorf("%q %q", consumer, producer)
	}
}
