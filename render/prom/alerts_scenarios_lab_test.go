//go:build lab

package prom

import "fmt"

// promScenario is a world, and the alerts that must fire in it by the minute, exactly these.
type promScenario struct {
	name   string
	world  world
	firing map[string][]string
	splits []string // that alerts name at last
}

func (s *promScenario) naming(splits ...string) { s.splits = splits }

const window, orders = "Window10s", "Source:_Orders"

// silent are the moments at which nothing may fire in a healthy world.
func silent() map[string][]string {
	return map[string][]string{"2m": nil, "6m": nil, "9m": nil, "13m": nil, "16m": nil, "20m": nil, "30m": nil, "39m": nil}
}

// fromStart is a fault from the start: silent until `for` has passed, firing once the window has passed too, and as long
// as the fault lasts.
func fromStart(names ...string) map[string][]string {
	return map[string][]string{"4m": nil, "9m": names, "30m": names}
}

// after10 is a fault that begins in the tenth minute.
func after10(names ...string) map[string][]string {
	return map[string][]string{"9m": nil, "12m": nil, "19m": names, "30m": names}
}

func promScenarios() []*promScenario {
	var all []*promScenario
	add := func(name string, firing map[string][]string, change func(w world)) *promScenario {
		w := healthy()
		change(w)
		s := &promScenario{name: name, world: w, firing: firing}
		all = append(all, s)
		return s
	}
	wellScenarios(add)
	stuckScenarios(add)
	wrongScenarios(add)
	return all
}

type adder = func(name string, firing map[string][]string, change func(w world)) *promScenario

func wellScenarios(add adder) {
	add("healthy", silent(), func(world) {})
	add("without split metrics, as before 2.1", silent(), func(w world) { w.drop("split=") })
	add("a silent split that is declared idle", silent(), func(w world) {
		w.eventTime(never(), orders, 1)
		w.records(held(0), orders, 1)
		w.set(held(1000), series(splitIdle, of(orders, 1), op(orders), split(orders, 1)))
	})
	add("a quiet input of a join that is declared idle: the input gauge ignores that", silent(), func(w world) {
		w.source("Source:_Rules", 0)
		w.eventTime(never(), "Source:_Rules", 0)
		w.records(held(0), "Source:_Rules", 0)
		w.set(never(), series(taskInput, of(window, 0)), series(taskInput, of(window, 1)))
	})
	add("a forward channel that is idle keeps its old gauge and gets no records", silent(), func(w world) {
		w.task("Map", 0, 1, 2, 3)
		w.eventTime(held(clockStart*1000), "Map", 3)
		w.records(held(70), "Map", 3)
	})
	add("a forward channel that was idle from the start", silent(), func(w world) {
		w.task("Map", 0, 1, 2, 3)
		w.eventTime(never(), "Map", 3)
		w.records(held(0), "Map", 3)
	})
	add("operators that pass no watermark on", silent(), func(w world) {
		w.set(never(), series(opOutput, of(window, 0), op(window)), series(opOutput, of(window, 1), op(window)))
	})
	add("an assigner behind the source: before it there is none", silent(), func(w world) {
		w.eventTime(never(), orders, 0, 1, 2, 3)
		w.task("Map", 0, 1)
		w.eventTime(never(), "Map", 0, 1)
		w.set(never(), series(taskInput, of(window, 0)), series(taskInput, of(window, 1)))
	})
	add("splits of a source that has no watermark for a single split", silent(), func(w world) {
		for i := range 4 {
			w.set(never(), series(splitMark, of(orders, i), op(orders), split(orders, i)))
		}
	})
	add("a bounded input that ends", silent(), func(w world) {
		end := then(for10m(clockStart*1000-5000, 30_000), after10m(9.223372036854776e18))
		w.eventTime(end, orders, 0, 1, 2, 3)
		w.eventTime(end, window, 0, 1)
		w.records(frozenAt10m(0, 3000), window, 0, 1)
	})
	add("one restart: none is normal for a while, counters start at 0", silent(), func(w world) {
		w.restart()
	})
	add("alignment that throttles and lets go", silent(), func(w world) {
		w[series(sourceDrift, of(orders, 0), op(orders))] = "-5000 2000 3000 -4000 -2000 1000 -8000 2000 2500 -100x60"
	})
	add("scrapes that fail", silent(), func(w world) {
		w.eventTime(then(for10m(clockStart*1000-5000, 30_000), fmt.Sprintf("_x4 %.0f+30000x50", clockStart*1000.0-5000+25*30_000)), window, 0, 1)
	})
	add("a few late records", silent(), func(w world) { w.set(rising(0, 10), series(late, of(window, 0), op(window))) })
}

// restart ends every task in the tenth minute and starts its next attempt as new series.
func (w world) restart() {
	for name, next := range w.attempt() {
		w[name] = next
	}
	again := then(for10m(3_600_000, 30_000), fmt.Sprintf("0+30000x%d", steps-stepsOf10m))
	w.set(again, series(jobUptime), series(jobRunning))
	w.set(then(fmt.Sprintf("0x%d", stepsOf10m), after10m(1)), series(jobRestarts))
}
