//go:build lab

package prom

import "fmt"

func stuckScenarios(add adder) {
	add("MIN everywhere: no strategy", fromStart("TidemarkNeverEmitted"), func(w world) {
		w.eventTime(never(), orders, 0, 1, 2, 3)
		w.eventTime(never(), window, 0, 1)
	})
	add("MIN: a split silent from the start", fromStart("TidemarkSourceSubtaskSilent", "TidemarkSplitHoldsEventTime", "TidemarkTaskWithoutEventTime"), func(w world) {
		w.eventTime(never(), orders, 1)
		w.records(held(0), orders, 1)
		w.eventTime(never(), window, 0, 1)
	}).naming("orders-1")
	add("the same before 2.1", fromStart("TidemarkSourceSubtaskSilent", "TidemarkTaskWithoutEventTime"), func(w world) {
		w.drop("split=")
		w.eventTime(never(), orders, 1)
		w.records(held(0), orders, 1)
		w.eventTime(never(), window, 0, 1)
	})
	add("a split that shares its subtask with one that goes on", fromStart("TidemarkSplitHoldsEventTime", "TidemarkTaskWithoutEventTime"), func(w world) {
		w.drop("subtask_index=\"1\"", orders)
		w.drop("subtask_index=\"2\"", orders)
		w.drop("subtask_index=\"3\"", orders)
		w.eventTime(never(), orders, 0)
		w[series(splitMark, of(orders, 0), op(orders), `split="orders-7"`)] = onTime()
		w.eventTime(never(), window, 0, 1)
	}).naming("orders-0")
	stops := func(w world) {
		w.eventTime(frozenAt10m(clockStart*1000-5000, 30_000), orders, 1)
		w.records(frozenAt10m(0, 3000), orders, 1)
		w.eventTime(frozenAt10m(clockStart*1000-5000, 30_000), window, 0, 1)
	}
	add("frozen: a split stops", after10("TidemarkEventTimeFrozen", "TidemarkSourceSubtaskSilent", "TidemarkSplitHoldsEventTime"), stops).naming("orders-1")
	add("frozen, without the JobManager", after10("TidemarkEventTimeFrozen", "TidemarkSourceSubtaskSilent", "TidemarkSplitHoldsEventTime"), func(w world) {
		stops(w)
		w.drop("flink_jobmanager")
	}).naming("orders-1")
	add("a split stops, and others are idle or paused by declaration", after10("TidemarkEventTimeFrozen", "TidemarkSourceSubtaskSilent", "TidemarkSplitHoldsEventTime"), func(w world) {
		stops(w)
		w.eventTime(held(clockStart*1000), orders, 2, 3)
		w.set(held(1000), series(splitIdle, of(orders, 2), op(orders), split(orders, 2)), series(splitPaused, of(orders, 3), op(orders), split(orders, 3)))
	}).naming("orders-1")
	add("one stuck subtask of many", after10("TidemarkEventTimeFrozen"), func(w world) {
		for i := range 16 {
			w.task("Map", i)
		}
		w.eventTime(frozenAt10m(clockStart*1000-5000, 30_000), "Map", 13)
	})
	add("one subtask of many without event time", fromStart("TidemarkTaskWithoutEventTime"), func(w world) {
		for i := range 16 {
			w.task("Map", i)
		}
		w.eventTime(never(), "Map", 13)
	})
	add("a quiet input of a join", fromStart("TidemarkQuietInput", "TidemarkTaskWithoutEventTime"), func(w world) {
		w.source("Source:_Payments", 0, 1)
		w.eventTime(never(), "Source:_Payments", 0, 1)
		w.records(held(0), "Source:_Payments", 0, 1)
		w.eventTime(never(), window, 0, 1)
	})
	add("parallelism above the number of splits", fromStart("TidemarkExcessParallelism", "TidemarkTaskWithoutEventTime"), func(w world) {
		for _, i := range []int{2, 3} {
			w.eventTime(never(), orders, i)
			w.records(held(0), orders, i)
			w.drop("split=", fmt.Sprintf(`subtask_index="%d"`, i))
		}
		w.eventTime(never(), window, 0, 1)
	})
	add("the same on Kafka before 2.1", fromStart("TidemarkExcessParallelism", "TidemarkTaskWithoutEventTime"), func(w world) {
		w.drop("split=")
		w[series(kafkaOffset, of(orders, 0), op(orders), `topic="orders"`, `partition="0"`)] = flowing()
		w[series(kafkaOffset, of(orders, 1), op(orders), `topic="orders"`, `partition="1"`)] = flowing()
		for _, i := range []int{2, 3} {
			w.eventTime(never(), orders, i)
			w.records(held(0), orders, i)
		}
		w.eventTime(never(), window, 0, 1)
	})
	add("alignment that has stopped reading", fromStart("TidemarkAlignmentStall"), func(w world) {
		w[series(sourceDrift, of(orders, 0), op(orders))] = held(12_000)
		w.records(held(500), orders, 0)
		w.set(held(1000), series(splitPaused, of(orders, 0), op(orders), split(orders, 0)))
	})
	add("all sources quiet", map[string][]string{"9m": nil, "14m": nil, "20m": {"TidemarkAllSourcesQuiet"}}, func(w world) {
		w.records(held(500), orders, 0, 1, 2, 3)
		w.records(held(500), window, 0, 1)
		w.eventTime(held(clockStart*1000), orders, 0, 1, 2, 3)
		w.eventTime(held(clockStart*1000), window, 0, 1)
	})
}

func wrongScenarios(add adder) {
	add("MAX while records flow", fromStart("TidemarkEndOfInput"), func(w world) {
		w.eventTime(ended(), window, 0, 1)
	})
	add("absent: no watermark of a running job", fromStart("TidemarkWatermarksMissing"), func(w world) { w.drop("atermark{") })
	add("absent: nothing of Flink", fromStart("TidemarkNoFlinkMetrics"), func(w world) {
		w.drop("flink_")
		w["up"] = held(1)
	})
	now := func(name string, names ...string) (string, map[string][]string) {
		return name, map[string][]string{"30s": nil, "5m": names, "30m": names}
	}
	unit := func(title string, from, by float64) {
		name, firing := now(title, "TidemarkEpochUnit")
		add(name, firing, func(w world) {
			w.eventTime(rising(from, by), orders, 0, 1, 2, 3)
			w.eventTime(rising(from, by), window, 0, 1)
		})
	}
	unit("seconds read as milliseconds", clockStart-5, 30)
	unit("microseconds read as milliseconds", clockStart*1e6-5e6, 30e6)
	unit("nanoseconds read as milliseconds", clockStart*1e9-5e9, 30e9)
	name, firing := now("time 0", "TidemarkEpochZero")
	add(name, firing, func(w world) {
		w.eventTime(rising(-5001, 1), orders, 0, 1, 2, 3)
		w.eventTime(rising(-5001, 1), window, 0, 1)
	})
	name, firing = now("a split an hour ahead that its siblings still hold", "TidemarkFutureEventTime")
	add(name, firing, func(w world) {
		w.set(rising(clockStart*1000+3_600_000, 30_000), series(splitMark, of(orders, 3), op(orders), split(orders, 3)))
	})
	name, firing = now("two hours ahead: a time zone", "TidemarkFutureEventTime")
	add(name, firing, func(w world) {
		w.eventTime(rising(clockStart*1000+7_200_000, 30_000), orders, 0, 1, 2, 3)
		w.eventTime(rising(clockStart*1000+7_200_000, 30_000), window, 0, 1)
	})
	add("an hour behind and moving", fromStart("TidemarkEventTimeLag"), func(w world) {
		w.eventTime(rising(clockStart*1000-3_600_000, 30_000), window, 0, 1)
	})
	add("one subtask an hour behind", fromStart("TidemarkEventTimeLag"), func(w world) {
		w.eventTime(rising(clockStart*1000-3_600_000, 30_000), window, 1)
	})
	add("late records", fromStart("TidemarkLateRecords"), func(w world) {
		w.set(rising(0, 200), series(late, of(window, 0), op(window)))
	})
	add("late records of a window join", fromStart("TidemarkLateRecords"), func(w world) {
		w.drop("numLateRecordsDropped")
		w[series(lateLeft, of(window, 0), op(window))] = rising(0, 100)
		w[series(lateRight, of(window, 0), op(window))] = rising(0, 100)
	})
	add("a restart loop", map[string][]string{"1m": nil, "10m": {"TidemarkRestartLoop"}, "30m": {"TidemarkRestartLoop"}}, func(w world) {
		w.set(rising(0, 1), series(jobRestarts))
		w.set(held(20_000), series(jobUptime), series(jobRunning))
		w.eventTime(never(), orders, 0, 1, 2, 3)
		w.eventTime(never(), window, 0, 1)
	})
}
