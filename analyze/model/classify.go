package model

import (
	"regexp"
	"strconv"
	"strings"
)

// kindRule recognises an operator by its plan text or name.
type kindRule struct {
	text *regexp.Regexp
	kind Kind
}

// The first rule that matches decides. Texts: ExecNodeBase and StreamingJobGraphGenerator, 1.17 to 2.3.
var kindRules = []kindRule{
	{regexp.MustCompile(`^MiniBatchAssigner\(.*mode=\[RowTime\]`), KindMiniBatchRow},
	{regexp.MustCompile(`^MiniBatchAssigner\(.*mode=\[ProcTime\]`), KindMiniBatchProc},
	{regexp.MustCompile(`^WatermarkAssigner(\(|\[|$)`), KindAssigner},
	{regexp.MustCompile(`^Timestamps/Watermarks$`), KindAssigner},
	{regexp.MustCompile(`^(TableSourceScan|DataStreamScan|Source: |LegacyTableSourceScan)`), KindSource},
	{regexp.MustCompile(`^(Sink|LegacySink)\(|: (Writer|Committer)$|^Sink: |^Sink(\[|$)`), KindSink},
	{regexp.MustCompile(`^IntervalJoin\(.*isRowTime=true`), KindIntervalJoin},
	{regexp.MustCompile(`^Interval Join$`), KindIntervalJoin},
	{regexp.MustCompile(`^IntervalJoin\(`), KindStateless},
	{regexp.MustCompile(`^TemporalJoin\(.*__TEMPORAL_JOIN_CONDITION\([^,()]+, [^,()]+, `), KindTemporalJoin},
	{regexp.MustCompile(`^TemporalJoin\(.*__TEMPORAL_JOIN_CONDITION\([^,()]+, __TEMPORAL_JOIN_CONDITION_PRIMARY_KEY`), KindProcTime},
	{regexp.MustCompile(`^TemporalJoin\(`), KindUnknown},
	{regexp.MustCompile(`^Match\(`), KindMatch},
	{regexp.MustCompile(`^(Global)?CepOperator`), KindMatch},
	{regexp.MustCompile(`^LocalWindowAggregate\(`), KindLocalWindow},
	{regexp.MustCompile(`^(Global)?WindowAggregate\(|^WindowTableFunction\(|^Window(Join|Rank|Deduplicate)\(|^GroupWindowAggregate\(`), KindWindow},
	{regexp.MustCompile(`^Window\(.*(EventTime|ContinuousEventTimeTrigger)`), KindWindow},
	{regexp.MustCompile(`^Window\(.*ProcessingTime`), KindProcTime},
	{regexp.MustCompile(`^(Tumbling|Sliding|DynamicSession|Session|.*)EventTime(Session)?Windows$|^EventTimeSessionWindows$`), KindWindow},
	{regexp.MustCompile(`^OverAggregate\(`), KindOver},
	{regexp.MustCompile(`^TemporalSort\(`), KindSort},
	{regexp.MustCompile(`^Deduplicate\(.*order=\[ROWTIME\]`), KindDeduplicate},
	{regexp.MustCompile(`^[A-Z][A-Za-z]*\(.*\bCURRENT_WATERMARK\(`), KindReadsMark},
	{regexp.MustCompile(`(?i)^[^(]*committer`), KindCommitter},
	{regexp.MustCompile(`^Join\(|^MultiJoin\(|^DeltaJoin\(`), KindRegularJoin},
	{regexp.MustCompile(`^((Local|Global|Incremental)?GroupAggregate|GroupTableAggregate)\(`), KindAggregate},
	{regexp.MustCompile(`^(Rank|SortLimit|Limit)\(`), KindRank},
	{regexp.MustCompile(`^(Calc|Correlate|Expand|LookupJoin|ChangelogNormalize|DropUpdateBefore|ConstraintEnforcer|SinkMaterializer|StreamRecordTimestampInserter|SourceConversion|Values|Union|Deduplicate|PythonCalc|WatermarkTimestampAssigner)[(\[:]`), KindStateless},
	{regexp.MustCompile(`^(Map|Flat Map|Filter|Project|Print to Std\. (Out|Err)|SourceConversion|TableToDataSteam.*)$`), KindStateless},
}

// classify is the kind of an operator, from its plan text or else its name; first says that it is the head of its chain.
func classify(text, name string, first bool, source bool) Kind {
	if first && source {
		return KindSource
	}
	for _, s := range []string{text, stripNodeID(name)} {
		if s == "" {
			continue
		}
		for _, r := range kindRules {
			if r.text.MatchString(s) {
				return r.kind
			}
		}
	}
	return KindUnknown
}

// KindOf is the kind of an operator of a SQL plan, from its plan text alone.
func KindOf(text string) Kind { return classify(text, "", false, false) }

var trailingNodeID = regexp.MustCompile(`\[\d+\]$`)

// stripNodeID turns a simplified SQL name, "Calc[3]", into the head of its text, "Calc(".
func stripNodeID(name string) string {
	if loc := trailingNodeID.FindStringIndex(name); loc != nil {
		return name[:loc[0]] + "("
	}
	return name
}

var joinBounds = regexp.MustCompile(`leftLowerBound=(-?\d+), leftUpperBound=(-?\d+)`)

// HoldOf is how far an operator's output watermark is behind its input by design, ms of event time: for a SQL interval
// join the larger of its bounds (KeyedCoProcessOperatorWithWatermarkDelay), for a rowtime mini-batch at most its interval
// (RowTimeMiniBatchAssginerOperator).
func HoldOf(op *Operator) (ms int64, ok bool) {
	switch op.Kind {
	case KindIntervalJoin:
		m := joinBounds.FindStringSubmatch(op.Text)
		if m == nil { // DataStream's IntervalJoinOperator passes watermarks on
			return 0, false
		}
		lower, err1 := strconv.ParseInt(m[1], 10, 64)
		upper, err2 := strconv.ParseInt(m[2], 10, 64)
		return max(-lower, upper, 0), err1 == nil && err2 == nil
	case KindMiniBatchRow:
		s, found := Property(op.Text, "interval")
		if !found {
			return 0, false
		}
		n, err := strconv.ParseInt(strings.TrimSuffix(s, "ms"), 10, 64)
		return n, err == nil
	}
	return 0, false
}

// FirstRow reports a deduplication that keeps the first row.
func FirstRow(text string) bool {
	keep, _ := Property(text, "keep")
	return keep == "FirstRow"
}

// RangeJoin matches a comparison with a time plus or minus an interval, in infix notation.
var RangeJoin = regexp.MustCompile(`(>=|<=|>|<) \([^()]+ [-+] \d+:INTERVAL`)

// JoinsOnTimeRange reports a join whose condition compares times within an interval, from its text in an execution plan.
// It would be an interval join if both columns were time attributes.
func JoinsOnTimeRange(text string) bool {
	where, ok := Property(text, "where")
	return ok && RangeJoin.MatchString(where)
}
