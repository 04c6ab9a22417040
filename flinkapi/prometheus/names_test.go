package prometheus

import "testing"

func TestNamesAreMatchedThroughTheReportersCleaning(t *testing.T) {
	for raw, want := range map[string]string{
		"Source: Orders": "Source:_Orders", "orders-1": "orders_1", "127.0.0.1": "127_0_0_1", "a_b9": "a_b9",
		"Zähler": "Z_hler", "😀": "__", "": "",
	} {
		if got := Clean(raw); got != want {
			t.Errorf("%q becomes %q, want %q", raw, got, want)
		}
		if !SameName(want, raw) || !SameName(raw, raw) {
			t.Errorf("%q is not known by %q", raw, want)
		}
	}
	if SameName("lab_plain", "lab.other") {
		t.Error("another name is the same")
	}
}

// A series has the id that REST gives the metric, with the reporter's cleaning and without it.
func TestMetricIDs(t *testing.T) {
	names := restorer{known: map[string]string{}, names: map[string]string{"v": "Source: Orders -> Filter (a.b > 1)", "w": "Window(10 s), all -> Sink: Writer"}}
	offsets := []Series{{Labels: map[string]string{"topic": "stops", "partition": "1"}}}
	for _, tc := range []struct {
		want   string
		labels map[string]string
	}{
		{"0.currentInputWatermark", map[string]string{"__name__": "flink_taskmanager_job_task_currentInputWatermark"}},
		{"0.Source__Orders.currentOutputWatermark", map[string]string{"__name__": "flink_taskmanager_job_task_operator_currentOutputWatermark", "operator_name": "Source:_Orders"}},
		{"0.Source__Orders.currentOutputWatermark", map[string]string{"__name__": "flink_taskmanager_job_task_operator_currentOutputWatermark", "operator_name": "Source: Orders"}},
		{"0.Filter_(a_b_>_1).numRecordsIn", map[string]string{"__name__": "flink_taskmanager_job_task_operator_numRecordsIn", "operator_name": "Filter__a_b___1_"}},
		{"0.Unheard_of.numRecordsIn", map[string]string{"__name__": "flink_taskmanager_job_task_operator_numRecordsIn", "operator_name": "Unheard_of"}},
		{"0.Source__Orders.split.stops-1.watermark.currentWatermark", map[string]string{"__name__": "flink_taskmanager_job_task_operator_split_watermark_currentWatermark", "operator_name": "Source:_Orders", "split": "stops_1"}},
		{"0.Source__Orders.split.file_7.watermark.currentWatermark", map[string]string{"__name__": "flink_taskmanager_job_task_operator_split_watermark_currentWatermark", "operator_name": "Source:_Orders", "split": "file_7"}},
		{"0.Source__Orders.KafkaSourceReader.topic.stops.partition.1.currentOffset", map[string]string{"__name__": "flink_taskmanager_job_task_operator_KafkaSourceReader_topic_partition_currentOffset", "operator_name": "Source:_Orders", "topic": "stops", "partition": "1"}},
		{"0.Source__Orders.KafkaSourceReader.commitsFailed", map[string]string{"__name__": "flink_taskmanager_job_task_operator_KafkaSourceReader_commitsFailed", "operator_name": "Source:_Orders"}},
		{"", map[string]string{"__name__": "flink_jobmanager_job_uptime"}},
	} {
		tc.labels["task_id"], tc.labels["subtask_index"] = "v", "0"
		got, ok := names.restore(tc.labels, splitNames(offsets))
		if got != tc.want || ok != (tc.want != "") {
			t.Errorf("%v: %q, want %q", tc.labels, got, tc.want)
		}
	}
	names.list([]string{"0.Source__Orders.split.file-7.watermark.currentWatermark"})
	got, _ := names.restore(map[string]string{"__name__": "flink_taskmanager_job_task_operator_split_watermark_currentWatermark", "operator_name": "Source:_Orders", "split": "file_7", "task_id": "v", "subtask_index": "0"}, nil)
	if got != "0.Source__Orders.split.file-7.watermark.currentWatermark" {
		t.Errorf("an id that REST listed is spelled %q", got)
	}
}

func TestTopicsThatLookAlikeAreNotGuessed(t *testing.T) {
	names := splitNames([]Series{{Labels: map[string]string{"topic": "a_b", "partition": "1"}}, {Labels: map[string]string{"topic": "a-b", "partition": "1"}}})
	if got := names["a_b_1"]; got != "a_b_1" {
		t.Errorf("the split is %q", got)
	}
}

func TestValuesAreWrittenAsREST(t *testing.T) {
	for v, want := range map[float64]string{
		-9.223372036854776e18: "-9223372036854775808", 9.223372036854776e18: "9223372036854775807",
		1796069574939: "1796069574939", 0: "0", 12.5: "12.5", -1: "-1",
	} {
		if got := (Point{V: v}).text(); got != want {
			t.Errorf("%g is %q, want %q", v, got, want)
		}
	}
}

func TestMatchersAreChecked(t *testing.T) {
	for m, ok := range map[string]bool{`namespace="prod"`: true, `cluster=~"a|b"`: true, ` env != "x\"y" `: true, `prod`: false, `a="b",c="d"`: false, `a='b'`: false, `{a="b"}`: false} {
		if err := checkMatcher(m); (err == nil) != ok {
			t.Errorf("%s: %v", m, err)
		}
	}
}
