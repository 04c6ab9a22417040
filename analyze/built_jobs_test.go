package analyze

import (
	"strconv"
	"strings"

	"tidemark/flinkapi"
	"tidemark/internal/jobtest"
)

// ofSource sets a metric of a source operator to the same value in both samples.
func ofSource(m *jobtest.Job, source string, subtask int, metric, before, now string) {
	m.Gauge("Source: "+source, subtask, jobtest.OpOf(source)+"."+metric, before, now)
}

// load sets the busy and the backpressured time of a subtask, ms per second.
func load(m *jobtest.Job, vertex string, subtask, busy, back int) {
	for name, x := range map[string]int{"busyTimeMsPerSecond": busy, "backPressuredTimeMsPerSecond": back, "idleTimeMsPerSecond": 1000 - busy - back} {
		m.Gauge(vertex, subtask, name, strconv.Itoa(x), strconv.Itoa(x))
	}
}

// struck is a window two hours ahead of the wall clock, downstream of a source that is correct again.
func struck(version string) *jobtest.Job {
	return jobtest.New(version).Source("Orders", 2000).Window(1, jobtest.At0+7_200_000, jobtest.At0+7_200_000, "Source: Orders")
}

// ahead is a source whose producers' clock is half a minute ahead.
func ahead(version string) *jobtest.Job {
	return jobtest.New(version).Source("Orders", -30_000).Window(1, jobtest.At0+29_500, jobtest.At1+29_500, "Source: Orders")
}

// noSlots is a job that lost its TaskManager and has failed for lack of slots since, most recently so many ms ago.
func noSlots(ago int64) func(string) *jobtest.Job {
	return func(version string) *jobtest.Job {
		m := jobtest.New(version).Source("Orders", 2000, 2000).Window(1, jobtest.At0-2500, jobtest.At1-2500, "Source: Orders")
		entries := []flinkapi.ExceptionEntry{
			{Stacktrace: "org.apache.flink.runtime.jobmanager.scheduler.NoResourceAvailableException: Could not acquire the minimum required resources.", Timestamp: jobtest.At1 - ago},
			{Stacktrace: "org.apache.flink.runtime.jobmanager.scheduler.NoResourceAvailableException: Could not acquire the minimum required resources.", Timestamp: jobtest.At1 - ago - 60_000},
			{Stacktrace: "java.util.concurrent.TimeoutException: Heartbeat of TaskManager with id tm-7 timed out.", Timestamp: jobtest.At1 - ago - 120_000, TaskName: "Window (1/1)"},
		}
		for _, s := range m.Samples() {
			s.Exceptions = &flinkapi.Exceptions{}
			s.Exceptions.History.Entries = entries
		}
		return m.Restarts("3").Uptime(ago)
	}
}

// jammed is a source back-pressured for so many ms per second by a slow operator behind a relay.
func jammed(busy, back int) func(string) *jobtest.Job {
	return func(version string) *jobtest.Job {
		m := jobtest.New(version).Source("Orders", 60_000, 60_000)
		m.Relay("Parse", 2, jobtest.At0-60_000, jobtest.At1-60_000, "Source: Orders|REBALANCE")
		for i := range 2 {
			ofSource(m, "Orders", i, "currentEmitEventTimeLag", "58000", "58000")
			load(m, "Source: Orders", i, 2, back)
			load(m, "Parse", i, 2, back)
		}
		m.Relay("Score", 1, jobtest.At0-62_000, jobtest.At1-62_000, "Parse|HASH")
		load(m, "Score", 0, busy, 0)
		return m.Window(1, jobtest.At0-62_000, jobtest.At1-62_000, "Score")
	}
}

// finishedSource is a finished source, and a live one with the given watermark and records.
func finishedSource(mark int64, sent string) func(string) *jobtest.Job {
	return func(version string) *jobtest.Job {
		m := jobtest.New(version).Source("History", 2000).Source("Live", 2000)
		m.Status("Source: History", "FINISHED").SubtaskStatus("Source: History", 0, "FINISHED").Emits("History", 0, jobtest.At0-90_000, jobtest.At0-90_000)
		m.Emits("Live", 0, mark, mark)
		for source, n := range map[string]string{"History": "5000", "Live": sent} {
			ofSource(m, source, 0, "numRecordsOut", n, n)
			ofSource(m, source, 0, "sourceIdleTime", "60000", "80000")
		}
		return m.Window(1, mark, mark, "Source: History", "Source: Live").Gauge("Window", 0, "numRecordsIn", "9000", "9000")
	}
}

// comesBack is a source ten minutes behind with fresh records and a subtask of the given status.
func comesBack(status string) func(string) *jobtest.Job {
	return func(version string) *jobtest.Job {
		m := jobtest.New(version).Source("Orders", 600_000, 600_000).SubtaskStatus("Source: Orders", 1, status)
		for i := range 2 {
			ofSource(m, "Orders", i, "currentEmitEventTimeLag", "300", "400")
			ofSource(m, "Orders", i, "pendingRecords", "0", "0")
		}
		return m.Window(1, jobtest.At0-600_000, jobtest.At1-600_000, "Source: Orders")
	}
}

// onlySplit is a source with one split per subtask, all silent; one of them stopped so many ms before the others.
func onlySplit(age int64) func(string) *jobtest.Job {
	return func(version string) *jobtest.Job {
		m := jobtest.New(version).Source("Orders", 2000, 2000)
		for i, ms := range []int64{70_000, age} {
			m.Offset("Orders", i, "o", i, 90, 90).Emits("Orders", i, jobtest.At0-ms, jobtest.At0-ms)
			ofSource(m, "Orders", i, "numRecordsOut", "900", "900")
			ofSource(m, "Orders", i, "sourceIdleTime", "60000", "80000")
			if strings.HasPrefix(version, "2.") {
				m.Split("Orders", i, "o-"+strconv.Itoa(i), jobtest.At0-ms, jobtest.At0-ms)
			}
		}
		held := jobtest.At0 - max(age, 70_000)
		return m.Window(1, held, held, "Source: Orders").Gauge("Window", 0, "numRecordsIn", "1800", "1800")
	}
}

// swallowed is an operator behind an exchange that passes on records, and either watermarks or none.
func swallowed(passes bool) func(string) *jobtest.Job {
	return func(version string) *jobtest.Job {
		out0, out1 := jobtest.NoMark, jobtest.NoMark
		if passes {
			out0, out1 = jobtest.At0-2500, jobtest.At1-2500
		}
		m := jobtest.New(version).Source("Orders", 2000, 2000)
		m.Vertex("Enrich", "Enrich<br/>", 1, "Source: Orders|REBALANCE").Passes("Enrich", 0, "Enrich", jobtest.At0-2500, jobtest.At1-2500, out0, out1)
		return m.Window(1, out0, out1, "Enrich")
	}
}

// backlog is a source an hour behind without offsets, with the given pending records, if any, and gain in event time.
func backlog(before, now string, gain int64) func(string) *jobtest.Job {
	return func(version string) *jobtest.Job {
		m := jobtest.New(version).Source("Orders", 2000, 2000)
		from := jobtest.At0 - 3_600_000
		for i := range 2 {
			m.Emits("Orders", i, from, from+gain)
			ofSource(m, "Orders", i, "currentEmitEventTimeLag", "3598000", jobtest.Mark(3_598_000-gain+jobtest.Gap))
			if now != "" {
				ofSource(m, "Orders", i, "pendingRecords", before, now)
			}
		}
		return m.Window(1, from-500, from-500+gain, "Source: Orders")
	}
}

// lateUnder is a window downstream of a back-pressured source that drops up to the given number of records.
func lateUnder(dropped string) func(string) *jobtest.Job {
	return func(version string) *jobtest.Job {
		m := jobtest.New(version).Source("Orders", 2000, 2000).Window(1, jobtest.At0-2500, jobtest.At1-2500, "Source: Orders")
		m.Gauge("Source: Orders", 0, "backPressuredTimeMsPerSecond", "400", "400")
		return m.Gauge("Window", 0, "Window.numLateRecordsDropped", "0", dropped).Gauge("Window", 0, "Window.numRecordsIn", "1000", "2000")
	}
}

// finishedSubtask is a source of three subtasks: the last has the given status, the second stopped so many ms ago.
func finishedSubtask(status string, ago int64) func(string) *jobtest.Job {
	return func(version string) *jobtest.Job {
		m := jobtest.New(version).Source("Orders", 2000, 2000, 2000).SubtaskStatus("Source: Orders", 2, status)
		m.Emits("Orders", 1, jobtest.At0-ago, jobtest.At0-ago)
		return m.Window(1, jobtest.At0-2000, jobtest.At1-2000, "Source: Orders")
	}
}

// finishedSplit is a source of three subtasks, one of them finished, and a split that was idle for so many ms.
func finishedSplit(idle string) func(string) *jobtest.Job {
	return func(version string) *jobtest.Job {
		m := jobtest.New(version).Source("Orders", 2000, 2000, 2000).SubtaskStatus("Source: Orders", 2, "FINISHED")
		m.Split("Orders", 0, "o-0", jobtest.At0-2000, jobtest.At1-2000, "accumulatedIdleTimeMs", idle, idle)
		return m.Window(1, jobtest.At0-2000, jobtest.At1-2000, "Source: Orders")
	}
}

// oneInMicros is a source whose second subtask reads two partitions, with a record of the given age (ms) in one of them.
func oneInMicros(age int64) func(string) *jobtest.Job {
	return func(version string) *jobtest.Job {
		m := jobtest.New(version).Source("Orders", 2000, 2000)
		for i := range 4 {
			m.Offset("Orders", i/2, "gps", i, 100, 200)
		}
		ofSource(m, "Orders", 1, "currentEmitEventTimeLag", jobtest.Mark(age), "12")
		return m.Window(2, jobtest.At0-2000, jobtest.At1-2000, "Source: Orders")
	}
}

// oneInSeconds is a source with one partition per subtask; the second is in seconds and holds event time at 1970.
func oneInSeconds(version string) *jobtest.Job {
	m := jobtest.New(version).Source("Orders", 2000, 2000).Emits("Orders", 1, jobtest.At0/1000-2, jobtest.At1/1000-2)
	for i := range 2 {
		m.Offset("Orders", i, "gps", i, 100, 200)
	}
	return m.Window(1, jobtest.At0/1000-2, jobtest.At1/1000-2, "Source: Orders")
}

// oldRecords is a source with out-of-order records over two hours old: their age varies, the lag of the watermark does not.
func oldRecords(version string) *jobtest.Job {
	m := jobtest.New(version).Source("Orders", 8_560_000, 8_560_000)
	for i := range 2 {
		ofSource(m, "Orders", i, "currentEmitEventTimeLag", "8550000", "8450000")
	}
	return m.Window(1, jobtest.At0-8_560_500, jobtest.At1-8_560_500, "Source: Orders")
}

// hotKey is a query with an aggregation of four subtasks; the given number of them get all records.
func hotKey(hot int) func(string) *jobtest.Job {
	return func(version string) *jobtest.Job {
		m := jobtest.New(version)
		m.Vertex("Source: orders[1]", "[1]:TableSourceScan(table=[[default_catalog, default_database, orders, watermark=[-(ts, 1000:INTERVAL SECOND)]]], fields=[k, ts])<br/>", 2)
		agg := "WindowAggregate[3]"
		for i := range 2 {
			m.Emits("orders[1]", i, jobtest.At0-60_000, jobtest.At1-60_000).Reads("orders[1]", i, 1000, 2000)
			ofSource(m, "orders[1]", i, "currentEmitEventTimeLag", "58000", "58000")
			load(m, "Source: orders[1]", i, 10, 900*hot)
		}
		m.Vertex(agg, "[3]:WindowAggregate(groupBy=[k], window=[TUMBLE(time_col=[ts], size=[10 s])], select=[k, COUNT(*) AS n])<br/>", 4, "Source: orders[1]")
		for i := range 4 {
			m.Passes(agg, i, flinkapi.FilterName(agg), jobtest.At0-62_000, jobtest.At1-62_000, jobtest.At0-62_000, jobtest.At1-62_000)
			m.Gauge(agg, i, "numRecordsIn", "1000", "1010")
			load(m, agg, i, 20, 0)
		}
		for i := range hot {
			m.Gauge(agg, i, "numRecordsIn", "1000", "9000")
			load(m, agg, i, 1000, 0)
		}
		return m
	}
}

// twoFaults joins a source with a partition that never had a record, and a source with a delay of ten minutes.
func twoFaults(version string) *jobtest.Job {
	m := jobtest.New(version).Source("Orders", 2000, 2000).Source("Payments", 600_000)
	m.Emits("Orders", 1, jobtest.NoMark, jobtest.NoMark).Reads("Orders", 1, 0, 0)
	m.Offset("Orders", 0, "o", 0, 1000, 2000).Offset("Orders", 1, "o", 1, -1, -1)
	ofSource(m, "Payments", 0, "currentEmitEventTimeLag", "300", "400")
	ofSource(m, "Payments", 0, "pendingRecords", "0", "0")
	return m.Window(1, jobtest.NoMark, jobtest.NoMark, "Source: Orders", "Source: Payments")
}
