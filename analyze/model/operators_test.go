package model

import (
	"testing"
)

// Real operator texts, 1.17.2 to 2.3.0, and names of the DataStream API.
func TestClassify(t *testing.T) {
	for _, c := range []struct {
		text string
		want Kind
	}{
		{"IntervalJoin(joinType=[InnerJoin], windowBounds=[isRowTime=true, leftLowerBound=-5000, leftUpperBound=10000, leftTimeIndex=2, rightTimeIndex=1], where=[((a = a0) AND (rowtime >= (rowtime0 - 5000:INTERVAL SECOND)))], select=[a, b])", KindIntervalJoin},
		{"IntervalJoin(joinType=[InnerJoin], windowBounds=[isRowTime=false, leftLowerBound=-5000, leftUpperBound=10000], where=[(a = a0)])", KindStateless},
		{"Interval Join", KindIntervalJoin},
		{"WindowAggregate(window=[TUMBLE(time_col=[rowtime], size=[15 min])], select=[COUNT(*) AS EXPR$2])", KindWindow},
		{"LocalWindowAggregate(groupBy=[a], window=[TUMBLE(time_col=[rowtime], size=[15 min])], select=[slice_end('w$) AS $slice_end])", KindLocalWindow},
		{"GlobalWindowAggregate(groupBy=[a], window=[HOP(slice_end=[$slice_end], size=[10 min], slide=[5 min])], select=[a])", KindWindow},
		{"GroupWindowAggregate(groupBy=[b], window=[TumblingGroupWindow('w$, rowtime, 900000)], properties=[w$start], select=[b])", KindWindow},
		{"WindowTableFunction(window=[TUMBLE(time_col=[rowtime], size=[15 min])])", KindWindow},
		{"WindowJoin(leftWindow=[TUMBLE(win_start=[window_start], win_end=[window_end], size=[15 min])], rightWindow=[TUMBLE(...)], joinType=[InnerJoin])", KindWindow},
		{"WindowRank(window=[TUMBLE(win_start=[window_start], win_end=[window_end], size=[15 min])], rankType=[ROW_NUMBER])", KindWindow},
		{"WindowDeduplicate(window=[TUMBLE(...)], keep=[LastRow], partitionKeys=[a], orderKey=[rowtime], order=[ROWTIME])", KindWindow},
		{"Deduplicate(keep=[LastRow], key=[currency], order=[ROWTIME])", KindDeduplicate},
		{"Deduplicate(keep=[FirstRow], key=[a], order=[ROWTIME], outputInsertOnly=[true])", KindDeduplicate},
		{"Deduplicate(keep=[FirstRow], key=[a], order=[PROCTIME])", KindStateless},
		{"Rank(strategy=[AppendFastStrategy], rankType=[ROW_NUMBER], rankRange=[rankStart=1, rankEnd=10], partitionBy=[b], orderBy=[c DESC], select=[a])", KindRank},
		{"TemporalJoin(joinType=[LeftOuterJoin], where=[((product_id = product_id0) AND __TEMPORAL_JOIN_CONDITION(order_ts, mod_record_ts, __TEMPORAL_JOIN_CONDITION_PRIMARY_KEY(product_id0), __TEMPORAL_JOIN_LEFT_KEY(product_id), __TEMPORAL_JOIN_RIGHT_KEY(product_id0)))], select=[a])", KindTemporalJoin},
		{"TemporalJoin(joinType=[InnerJoin], where=[__TEMPORAL_JOIN_CONDITION(proctime, __TEMPORAL_JOIN_CONDITION_PRIMARY_KEY(a))])", KindProcTime},
		{"Match(partitionBy=[c], orderBy=[ts ASC], measures=[FINAL(A.a) AS a], rowsPerMatch=[ONE ROW PER MATCH], pattern=[_UTF-16LE'A'], define=[{A=>(PREV(A.$0, 0), 1)}])", KindMatch},
		{"CepOperator", KindMatch},
		{"GlobalCepOperator", KindMatch},
		{"OverAggregate(partitionBy=[c], orderBy=[rowtime ASC], window=[ RANGE BETWEEN 1000 PRECEDING AND CURRENT ROW], select=[a])", KindOver},
		{"TemporalSort(orderBy=[rowtime ASC, c ASC])", KindSort},
		{"MiniBatchAssigner(interval=[1000ms], mode=[RowTime])", KindMiniBatchRow},
		{"MiniBatchAssigner(interval=[1000ms], mode=[ProcTime])", KindMiniBatchProc},
		{"WatermarkAssigner(rowtime=[ts], watermark=[ts])", KindAssigner},
		{"Timestamps/Watermarks", KindAssigner},
		{"ChangelogNormalize(key=[user_id])", KindStateless},
		{"LookupJoin(table=[default_catalog.default_database.T], joinType=[InnerJoin], lookup=[id=a], select=[a], async=[UNORDERED, 180000ms, 100])", KindStateless},
		{"Calc(select=[a, b, c], where=[(a > 10)])", KindStateless},
		{"Union(all=[true], union=[a, b, c])", KindStateless},
		{"Join(joinType=[InnerJoin], where=[(k = k0)], select=[k])", KindRegularJoin},
		{"MultiJoin(commonJoinKey=[user_id], joinTypes=[LEFT, LEFT])", KindRegularJoin},
		{"DeltaJoin(joinType=[InnerJoin], where=[(a1 = b1)])", KindRegularJoin},
		{"GroupAggregate(groupBy=[a], select=[a, COUNT(*) AS c])", KindAggregate},
		{"GlobalGroupAggregate(groupBy=[a])", KindAggregate},
		{"DataStreamScan(table=[[default_catalog, default_database, MyTable]], fields=[a, rowtime])", KindSource},
		{"Sink(table=[default_catalog.default_database.sink], fields=[a, b, c])", KindSink},
		{"LegacySink(name=[`a`.`b`.`c`], fields=[total_sum])", KindSink},
		{"Sink: Writer", KindSink},
		{"s[75]: Writer", KindSink},
		{"s[75]: Committer", KindSink},
		{"Window(TumblingEventTimeWindows(10000), EventTimeTrigger, Sum, PassThroughWindowFunction)", KindWindow},
		{"Window(EventTimeSessionWindows(5000), EventTimeTrigger, Sum)", KindWindow},
		{"Window(TumblingProcessingTimeWindows(10000), ProcessingTimeTrigger, Sum)", KindProcTime},
		{"TumblingEventTimeWindows", KindWindow},
		{"SlidingEventTimeWindows", KindWindow},
		{"Map", KindStateless},
		{"KeyedProcess", KindUnknown},
		{"My calc (Calc)", KindUnknown},
		{"Calc(select=[uid, ts], where=[(ts < CURRENT_WATERMARK(ts))])", KindReadsMark},
		{"Calc(select=[current_watermark, committer])", KindStateless},
		{"Global Committer : shipments", KindCommitter},
		{"PartitionCommitter", KindCommitter},
		{"", KindUnknown},
	} {
		if got := classify(c.text, "", false, false); got != c.want {
			t.Errorf("%.90s is %s, want %s", c.text, got, c.want)
		}
	}
	if got := classify("KeyedProcess", "KeyedProcess", true, true); got != KindSource {
		t.Errorf("the head of a source is %s", got)
	}
	if got := classify("", "Calc[3]", false, false); got != KindStateless {
		t.Errorf("a simplified name without text is %s", got)
	}
}

func TestHoldOf(t *testing.T) {
	for text, want := range map[string]int64{
		"IntervalJoin(windowBounds=[isRowTime=true, leftLowerBound=-5000, leftUpperBound=10000, leftTimeIndex=2])":  10000,
		"IntervalJoin(windowBounds=[isRowTime=true, leftLowerBound=-299999, leftUpperBound=0, leftTimeIndex=2])":    299999,
		"IntervalJoin(windowBounds=[isRowTime=true, leftLowerBound=0, leftUpperBound=0, leftTimeIndex=1])":          0,
		"IntervalJoin(windowBounds=[isRowTime=true, leftLowerBound=5000, leftUpperBound=10000, leftTimeIndex=1])":   10000,
		"IntervalJoin(windowBounds=[isRowTime=true, leftLowerBound=-10000, leftUpperBound=-5000, leftTimeIndex=1])": 10000,
		"MiniBatchAssigner(interval=[1000ms], mode=[RowTime])":                                                      1000,
	} {
		op := &Operator{Text: text, Kind: classify(text, "", false, false)}
		if got, ok := HoldOf(op); !ok || got != want {
			t.Errorf("%s holds %d %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"Interval Join", "MiniBatchAssigner(interval=[1000ms], mode=[ProcTime])", "Calc(select=[a])", "MiniBatchAssigner(interval=[x], mode=[RowTime])",
		"IntervalJoin(windowBounds=[isRowTime=false, leftLowerBound=-5000, leftUpperBound=10000])"} {
		if got, ok := HoldOf(&Operator{Text: text, Kind: classify(text, "", false, false)}); ok {
			t.Errorf("%s holds %d", text, got)
		}
	}
}

func TestWindowStepOf(t *testing.T) {
	for text, want := range map[string]int64{
		"Window(TumblingEventTimeWindows(10000), EventTimeTrigger, Sum)":                                                             10000,
		"Window(SlidingEventTimeWindows(60000, 5000), EventTimeTrigger, Sum)":                                                        5000,
		"GroupWindowAggregate(groupBy=[b], window=[TumblingGroupWindow('w$, rowtime, 900000)])":                                      900000,
		"GroupWindowAggregate(groupBy=[b], window=[SlidingGroupWindow('w$, rowtime, 7200000, 3600000)])":                             3600000,
		"WindowAggregate(window=[TUMBLE(time_col=[rowtime], size=[15 min])])":                                                        900000,
		"GlobalWindowAggregate(groupBy=[a], window=[HOP(slice_end=[$slice_end], size=[10 min], slide=[5 min])])":                     300000,
		"GlobalWindowAggregate(groupBy=[a], window=[CUMULATE(slice_end=[$slice_end], max_size=[1 h], step=[10 min])])":               600000,
		"LocalWindowAggregate(window=[TUMBLE(time_col=[ts], size=[1 d 30 s])])":                                                      86430000,
		"WindowJoin(leftWindow=[TUMBLE(win_start=[a], win_end=[b], size=[10 s])], rightWindow=[TUMBLE(win_start=[a], size=[10 s])])": 10000,
	} {
		if got, ok := WindowStepOf(text); !ok || got != want {
			t.Errorf("%s: %d %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "Calc(select=[size])", "Window(EventTimeSessionWindows(5000))", "GroupWindowAggregate(window=[SessionGroupWindow('w, rowtime, 7)])", "x size=[]", "TumblingEventTimeWindows(99999999999999999999)"} {
		if got, ok := WindowStepOf(text); ok {
			t.Errorf("%s: %d", text, got)
		}
	}
}
