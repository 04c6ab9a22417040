//go:build lab

package prom

import (
	"fmt"
	"maps"
	"sort"
	"strings"
)

// promtool's clock starts at 0, in 1970; the rules under test read it shifted to clockStart, like event time.
const (
	clockStart = 1_796_000_000 // s
	steps      = 80            // of 30 s each: 40 minutes
	stepsOf10m = 20
)

// world is what a Prometheus has of Flink: series to promtool's notation of their values.
type world map[string]string

func held(value float64) string      { return fmt.Sprintf("%g+0x%d", value, steps) }
func rising(from, by float64) string { return fmt.Sprintf("%.0f+%gx%d", from, by, steps) }
func onTime() string                 { return rising(clockStart*1000-5000, 30_000) }
func never() string                  { return held(-9.223372036854776e18) }
func ended() string                  { return held(9.223372036854776e18) }
func flowing() string                { return rising(0, 3000) }
func then(first, rest string) string { return first + " " + rest }
func for10m(from, by float64) string { return fmt.Sprintf("%.0f+%gx%d", from, by, stepsOf10m) }
func after10m(value float64) string  { return fmt.Sprintf("%.0f+0x%d", value, steps-stepsOf10m) }
func frozenAt10m(from, by float64) string {
	return then(for10m(from, by), after10m(from+by*stepsOf10m))
}

const jobLabels = `job_name="orders",job_id="8ff8164f8e2cb45ed7e5f05d58cdebba",host="tm1",tm_id="tm1_9f"`

func series(metric string, labels ...string) string {
	return metric + "{" + strings.Join(append(labels, jobLabels), ",") + "}"
}

func of(task string, subtask int) string {
	return fmt.Sprintf(`task_name=%q,subtask_index="%d",task_attempt_num="0"`, task, subtask)
}

func op(name string) string { return fmt.Sprintf("operator_name=%q", name) }

// split is the label of the only split of a source subtask.
func split(task string, subtask int) string {
	return fmt.Sprintf(`split="%s-%d"`, strings.ToLower(strings.TrimPrefix(task, "Source:_")), subtask)
}

func (w world) source(task string, subtasks ...int) {
	for _, i := range subtasks {
		w[series(sourceIdle, of(task, i), op(task))] = held(0)
		w[series(opOut, of(task, i), op(task))] = flowing()
		w[series(opOutput, of(task, i), op(task))] = onTime()
		w[series(splitMark, of(task, i), op(task), split(task, i))] = onTime()
		w[series(splitIdle, of(task, i), op(task), split(task, i))] = held(0)
		w[series(splitPaused, of(task, i), op(task), split(task, i))] = held(0)
	}
}

func (w world) task(task string, subtasks ...int) {
	for _, i := range subtasks {
		w[series(taskInput, of(task, i))] = onTime()
		w[series(taskIn, of(task, i))] = flowing()
		w[series(opOutput, of(task, i), op(task))] = onTime()
		w[series(opIn, of(task, i), op(task))] = flowing()
		w[series(late, of(task, i), op(task))] = held(0)
	}
}

func (w world) eventTime(values, task string, subtasks ...int) {
	for _, i := range subtasks {
		w.set(values, series(taskInput, of(task, i)), series(opOutput, of(task, i), op(task)), series(splitMark, of(task, i), op(task), split(task, i)))
	}
}

func (w world) records(values, task string, subtasks ...int) {
	for _, i := range subtasks {
		w.set(values, series(taskIn, of(task, i)), series(opIn, of(task, i), op(task)), series(opOut, of(task, i), op(task)))
	}
}

// set changes the series that there are.
func (w world) set(values string, names ...string) {
	for _, n := range names {
		if _, ok := w[n]; ok {
			w[n] = values
		}
	}
}

// drop removes every series whose text has all of the parts.
func (w world) drop(parts ...string) {
	maps.DeleteFunc(w, func(name, _ string) bool {
		for _, p := range parts {
			if !strings.Contains(name, p) {
				return false
			}
		}
		return true
	})
}

// healthy is a job of a source with four splits and a window, in its second hour.
func healthy() world {
	w := world{
		series(jobUptime): rising(3_600_000, 30_000), series(jobRunning): rising(3_600_000, 30_000),
		series(jobRestarts): held(0), clusterJobs + `{host="jm"}`: held(1),
	}
	w.source("Source:_Orders", 0, 1, 2, 3)
	w.task("Window10s", 0, 1)
	return w
}

// yaml is the scenario as promtool reads it: the series, the alerts that must be firing at each time and no others,
// and the splits that they name.
func (s *promScenario) yaml(rules string) string {
	w, firing := s.world, s.firing
	var b strings.Builder
	fmt.Fprintf(&b, "rule_files: [%q]\nevaluation_interval: 30s\ntests:\n- interval: 30s\n  input_series:\n", rules)
	for _, name := range sorted(w) {
		fmt.Fprintf(&b, "  - series: '%s'\n    values: '%s'\n", name, w[name])
	}
	b.WriteString("  promql_expr_test:\n")
	for _, at := range sorted(firing) {
		fmt.Fprintf(&b, "  - expr: group by (alertname) (ALERTS{alertstate=\"firing\"})\n    eval_time: %s\n    exp_samples:\n", at)
		for _, name := range firing[at] {
			fmt.Fprintf(&b, "    - labels: '{alertname=%q}'\n      value: 1\n", name)
		}
	}
	b.WriteString("  - expr: group by (split) (ALERTS{alertstate=\"firing\",split!=\"\"})\n    eval_time: 30m\n    exp_samples:\n")
	for _, name := range s.splits {
		fmt.Fprintf(&b, "    - labels: '{split=%q}'\n      value: 1\n", name)
	}
	return b.String()
}

func sorted[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// attempt is every series of a task as its next attempt has it: absent for ten minutes, then event time none
// for another two, and counters from 0. The series of the first attempt end there.
func (w world) attempt() world {
	next := world{}
	for name, values := range w {
		if !strings.Contains(name, `task_attempt_num="0"`) {
			continue
		}
		again := fmt.Sprintf("0+3000x%d", steps-stepsOf10m)
		switch {
		case strings.Contains(name, "atermark{"):
			from := float64(clockStart*1000 - 5000 + (stepsOf10m+6)*30_000)
			again = fmt.Sprintf("-9.223372036854776e18x4 %.0f+30000x%d", from, steps-stepsOf10m-5)
		case values == held(0):
			again = fmt.Sprintf("0x%d", steps-stepsOf10m)
		}
		next[strings.Replace(name, `_num="0"`, `_num="1"`, 1)] = then(fmt.Sprintf("_x%d", stepsOf10m+1), again)
		first := strings.Replace(values, fmt.Sprintf("x%d", steps), fmt.Sprintf("x%d", stepsOf10m), 1)
		next[name] = then(first, "stale")
	}
	return next
}
