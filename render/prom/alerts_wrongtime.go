package prom

// wrongTimeAlerts find watermarks that are numbers, but not a time near today: wrong units, time 0, the future, the end.
var wrongTimeAlerts = []alert{
	{name: "TidemarkEpochUnit", codes: []string{"TM201"}, wait: waitBrief,
		// Seconds from 1998 to 2106 read as ms; micro- and nanoseconds of half to twice the present time.
		expr: `min by ($job) (
  (` + recEventTime + ` >= 9e8 <= 4.3e9)
  or
  (` + recEventTime + ` > time() * 5e5 < time() * 2e6)
  or
  (` + recEventTime + ` > time() * 5e8 < time() * 2e9)
)`,
		summary: ofJob + ` has a watermark of {{ $value }}, which is no time in milliseconds of about today; in seconds, micro- or nanoseconds it is.`,
		means:   `The smallest watermark of the job is a number that is today in seconds, microseconds or nanoseconds, and not in milliseconds.`},
	{name: "TidemarkEpochZero", codes: []string{"TM205"}, wait: waitBrief,
		expr:    `min by ($job) (` + recEventTime + ` > -86400000 < 86400000)`,
		summary: ofJob + ` has a watermark of {{ $value }} ms, near the first of January 1970.`,
		means:   `The smallest watermark of the job lies within a day of the first of January 1970. The rule does not show which records carry time 0.`},
	{name: "TidemarkFutureEventTime", codes: []string{"TM202", "TM203"}, wait: waitBrief,
		// A split ahead of the clock is reported even while other splits still hold the minimum.
		expr: `max by ($task) (
  ((` + recEventTime + ` <sane>) / 1000 - time())
  or
  ((<splitMark>{$jobs} <sane>) / 1000 - time())
) > $maxahead`,
		summary: ofTask + ` is {{ humanizeDuration $value }} ahead of the clock in event time.`,
		means:   `A watermark of this task, or of one of its splits, is further ahead of the clock than the limit. The rule does not show whether it is one record (a wrong time) or all of them (a wrong time zone).`},
	{name: "TidemarkEndOfInput", codes: []string{"TM108"}, wait: waitStill,
		expr: `count by ($task) (
  <taskInput>{$jobs} <isEnd>
  and on ($subtask) ` + recRecordsIn + ` > 0
)`,
		summary: ofTask + ` is at the end of event time (Long.MAX_VALUE) on {{ $value }} subtasks and still gets records: every one of them is late.`,
		means:   `The task's input watermark is Long.MAX_VALUE, and records still reach it. Every operator that compares event time treats them as late.`},
}
