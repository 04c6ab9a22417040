package random

// kind is a kind of world.
type kind struct {
	name   string
	weight int
	want   wants
	plant  func(m *maker)
}

// kinds are all kinds of worlds, the healthy ones first. A third of the worlds is healthy.
var kinds []kind

func init() { // drawn reads kinds
	kinds = allKinds()
	for _, k := range kinds {
		weights = append(weights, k.weight)
	}
}

func allKinds() []kind {
	return []kind{
		{"healthy", 12, wants{shapes: healthyShapes}, (*maker).healthy},
		{"healthy, a record a minute", 3, wants{shapes: []shape{plain, mapped, function, sqlWindow, sqlOver, union}, idle: -1}, (*maker).lowRate},
		{"healthy, idle behind FORWARD", 3, wants{shapes: []shape{forwarded}, idle: 1, perSubtask: 1}, (*maker).idleForward},
		{"healthy, silence declared", 4, wants{shapes: healthyShapes, idle: 1, splits: 2}, (*maker).declared},
		{"healthy, excess parallelism declared", 3, wants{shapes: []shape{plain, mapped, rebalanced, sqlWindow}, idle: 1}, (*maker).excessDeclared},
		{"healthy, all quiet", 4, wants{shapes: healthyShapes, quick: true}, (*maker).allQuiet},
		{"healthy, just started", 3, wants{shapes: healthyShapes}, (*maker).justStarted},
		{"healthy, processing time", 4, wants{shapes: []shape{processing}, splits: 2}, (*maker).processingTime},
		{"healthy, no event time", 3, wants{shapes: []shape{stateless}, splits: 2}, (*maker).noEventTime},
		{"healthy, aligned", 3, wants{shapes: []shape{union, joined}, quick: true}, (*maker).alignedHealthy},
		{"healthy, restored once", 2, wants{shapes: healthyShapes}, (*maker).restoredOnce},
		{"healthy, history finished", 3, wants{shapes: []shape{union}, idle: -1, quick: true}, (*maker).historyFinished},
		{"healthy, late records kept aside", 2, wants{shapes: []shape{plain, mapped, rebalanced}, quick: true}, (*maker).lateKept},
		{"healthy, rules declared idle", 3, wants{shapes: []shape{connected}, idle: -1}, (*maker).controlDeclared},
		{"healthy, bursts", 3, wants{shapes: []shape{plain, mapped, function, sqlWindow}, idle: -1}, (*maker).bursts},
		{"healthy, splits a little apart", 3, wants{shapes: perSplit, splits: 2, quick: true, idle: -1}, (*maker).littleApart},
		{"healthy, a large bound that fits", 3, wants{shapes: perSplitStream, quick: true}, (*maker).boundFits},
		{"healthy, unequal splits", 3, wants{shapes: perSplit, splits: 2, quick: true, idle: -1}, (*maker).unequal},
		{"healthy, wall clock with records", 2, wants{shapes: []shape{plain, mapped, function}, idle: -1, quick: true}, (*maker).wallClockLive},
		{"healthy, many subtasks", 2, wants{shapes: []shape{plain, mapped, rebalanced, sqlWindow}, quick: true}, (*maker).wide},

		{"healthy, processing time in DataStream", 3, wants{shapes: []shape{processingStream, timers}, splits: 2}, (*maker).processingInStream},
		{"healthy, idle behind tasks not chained", 3, wants{shapes: []shape{unchained}, idle: 1, perSubtask: 1}, (*maker).idleUnchained},
		{"healthy, a record a minute in each subtask", 3, wants{shapes: []shape{plain, mapped, rebalanced, function, cep, union, joined, sqlWindow, sqlOver, sqlJoin, unchained}, idle: -1}, (*maker).lowRateWide},
		{"healthy, one split of a record a minute", 3, wants{shapes: []shape{plain, mapped, rebalanced, function, sqlWindow, sqlOver, unchained, forwarded}, idle: -1, splits: 2, quick: true}, (*maker).oneRare},
		{"healthy, a bound below a minute, few records", 2, wants{shapes: []shape{plain, mapped, rebalanced, function, cep}, idle: -1}, (*maker).boundBelow},
		{"healthy, read in snapshots", 3, wants{shapes: []shape{plain, mapped, rebalanced, function, sqlWindow}}, (*maker).snapshots},
		{"healthy, temporal join", 3, wants{shapes: []shape{sqlTemporal}, idle: -1, quick: true}, (*maker).versionsDeclared},
		{"healthy, mini-batch", 3, wants{shapes: []shape{sqlJoin, sqlUnion}, quick: true}, (*maker).miniBatch},

		{"split that never sent", 5, wants{idle: -1, splits: 2, shapes: perSplit}, (*maker).neverSent},
		{"split that fell silent", 6, wants{idle: -1, splits: 2, quick: true, shapes: perSplit}, (*maker).fellSilent},
		{"subtask that fell silent", 4, wants{idle: -1, quick: true, perSubtask: 2, shapes: perSplit}, (*maker).silentSubtask},
		{"quiet, one split earlier", 3, wants{idle: -1, splits: 2, quick: true, shapes: perSplit}, (*maker).quietOneEarlier},
		{"quiet, one split never", 3, wants{idle: -1, splits: 2, quick: true, shapes: perSplit}, (*maker).quietOneNever},
		{"subtask that lost its split", 3, wants{quick: true, shapes: perSplitStream}, (*maker).lostSplit},
		{"excess parallelism", 5, wants{idle: -1, shapes: perSplit}, (*maker).excess},
		{"input that never sent", 5, wants{shapes: multi, idle: -1}, (*maker).quietInput},
		{"input that fell silent", 4, wants{shapes: multi, idle: -1, quick: true}, (*maker).stoppedInput},
		{"sparse input", 3, wants{shapes: multi, idle: -1, quick: true}, (*maker).sparseInput},
		{"never emitted", 6, wants{shapes: perSplit}, (*maker).neverEmitted},
		{"generator that stopped", 4, wants{idle: -1, quick: true, shapes: perSplitStream}, (*maker).generatorStopped},
		{"wall-clock generator", 4, wants{idle: -1, shapes: []shape{plain, mapped, function}}, (*maker).wallClock},
		{"end of input", 3, wants{shapes: []shape{union}, idle: 1, quick: true}, (*maker).endOfInput},
		{"wrong unit", 6, wants{shapes: perSplit}, (*maker).wrongUnit},
		{"wrong unit of one split", 5, wants{shapes: perSplit, splits: 2, quick: true}, (*maker).splitUnit},
		{"wrong zone", 5, wants{shapes: perSplit, quick: true}, (*maker).wrongZone},
		{"event time zero", 3, wants{shapes: perSplit, quick: true}, (*maker).epochZero},
		{"future record that struck", 4, wants{shapes: perSplitStream, quick: true}, (*maker).futureStruck},
		{"future record that waits", 4, wants{shapes: perSplitStream, idle: -1, splits: 2, quick: true}, (*maker).futureLatent},
		{"bound too large", 5, wants{shapes: perSplit, quick: true}, (*maker).boundTooLarge},
		{"old data", 4, wants{shapes: perSplitStream, quick: true}, (*maker).oldData},
		{"slow operator", 5, wants{shapes: []shape{rebalanced, function, forwarded, connected}, quick: true, idle: -1}, (*maker).slowOperator},
		{"hot key", 4, wants{shapes: []shape{function}, quick: true, idle: -1}, (*maker).hotKey},
		{"backlog", 4, wants{shapes: []shape{mapped, sqlWindow}, quick: true, idle: -1}, (*maker).backlog},
		{"split behind its siblings", 5, wants{shapes: perSplit, splits: 2, quick: true, idle: -1}, (*maker).skew},
		{"late records", 6, wants{shapes: []shape{plain, mapped, rebalanced, sqlUnion, cep, union}, quick: true}, (*maker).late},
		{"false idle", 4, wants{shapes: []shape{plain, mapped}, quick: true, perSubtask: 1, splits: 2}, (*maker).falseIdle},
		{"alignment stall", 4, wants{shapes: []shape{union, joined}, idle: -1, quick: true}, (*maker).alignmentStall},
		{"operator stall", 5, wants{shapes: []shape{rebalanced, function, connected, forwarded}, idle: -1, quick: true}, (*maker).operatorStall},
		{"assigner behind the source", 3, wants{shapes: []shape{assigned}, idle: -1, perSubtask: 2, quick: true}, (*maker).assigner},
		{"assigner without records", 3, wants{shapes: []shape{assigned}, idle: -1, quick: true}, (*maker).assignerStarved},
		{"assigner that swallows", 3, wants{shapes: []shape{rebalanced, forwarded}, quick: true}, (*maker).assignerSwallows},
		{"bound too large, few records", 2, wants{shapes: []shape{plain, mapped, rebalanced, function, cep}, idle: -1}, (*maker).boundAbove},
		{"quiet, one input earlier", 3, wants{shapes: multi, idle: -1, quick: true}, (*maker).quietInputEarlier},
		{"quiet, one subtask earlier", 3, wants{shapes: perSplit, idle: -1, quick: true, splits: 2}, (*maker).quietSubtaskEarlier},
		{"finished subtasks beside idle splits", 2, wants{shapes: perSplit, idle: 1, quick: true, splits: 2}, (*maker).finishedSubtasks},
		{"parallelism declared, another input silent", 3, wants{shapes: []shape{union, joined}, idle: -1, quick: true}, (*maker).excessBesideSilent},
		{"wall clock, rare records", 2, wants{shapes: []shape{plain, mapped, function}, idle: -1}, (*maker).wallClockRare},
		{"CURRENT_WATERMARK, a silent split", 2, wants{shapes: []shape{current}, idle: -1, splits: 2, quick: true}, (*maker).currentSilent},
		{"slow window", 3, wants{shapes: []shape{plain, mapped, sqlOver, sqlUnion, union, cep, unchained}, quick: true, idle: -1}, (*maker).slowWindow},
		{"slow operator chained to its source", 3, wants{shapes: []shape{mapped, plain}, quick: true, idle: -1}, (*maker).slowChained},
		{"slow operator behind empty subtasks", 3, wants{shapes: []shape{rebalanced, function, forwarded, connected, unchained}, quick: true}, (*maker).slowEmpty},
		{"backlog, splits hours apart", 3, wants{shapes: []shape{mapped, sqlWindow}, quick: true, idle: -1, splits: 2}, (*maker).backlogApart},
		{"old data, pending not shown", 3, wants{shapes: perSplitStream, quick: true}, (*maker).oldUnknown},
		{"late by quarters of an hour", 3, wants{shapes: perSplit, quick: true}, (*maker).lateByQuarters},
		{"false idle in other graphs", 3, wants{shapes: []shape{forwarded, unchained, rebalanced, sqlWindow, sqlOver, function}, quick: true, perSubtask: 1, splits: 2}, (*maker).falseIdle},
		{"false idle within a subtask", 2, wants{shapes: []shape{plain, mapped, sqlWindow}, quick: true, splits: 2}, (*maker).falseIdleWithin},
		{"wrong unit of a split that stopped", 3, wants{shapes: perSplit, splits: 2, quick: true}, (*maker).splitUnitStopped},
		{"temporal join, an input never sent", 2, wants{shapes: []shape{sqlTemporal}, idle: -1}, (*maker).quietInput},
		{"temporal join, an input fell silent", 2, wants{shapes: []shape{sqlTemporal}, idle: -1, quick: true}, (*maker).stoppedInput},
		{"mini-batch, a split fell silent", 2, wants{shapes: []shape{sqlJoin, sqlUnion}, idle: -1, quick: true, splits: 2}, (*maker).miniBatchSilent},
		{"mini-batch, an input fell silent", 2, wants{shapes: []shape{sqlJoin, sqlUnion}, idle: -1, quick: true}, (*maker).miniBatchQuietInput},
		{"records that went back", 3, wants{shapes: perSplit, idle: -1, quick: true}, (*maker).wentBack},
		{"drift below the idle timeout", 2, wants{shapes: []shape{sqlJoin, sqlUnion, union, joined}, idle: 1, quick: true}, (*maker).driftBelowIdle},
		{"alignment that throttles", 3, wants{shapes: []shape{union, joined, sqlJoin, sqlUnion}, idle: -1, quick: true}, (*maker).throttled},
		{"restarts that ended", 3, wants{shapes: healthyShapes, quick: true}, (*maker).restartsEnded},
		{"two faults", 6, wants{shapes: []shape{union, joined, sqlUnion, sqlJoin}, idle: -1, quick: true}, (*maker).twoFaults},
		{"one sample", 8, wants{}, (*maker).oneSample},
		{"a gauge that is missing", 8, wants{}, (*maker).oneGauge},
		{"failed", 2, wants{shapes: healthyShapes}, (*maker).failed},
		{"restart loop", 4, wants{shapes: healthyShapes}, (*maker).restartLoop},
	}
}

var weights []int

// Kinds are the names of all kinds of worlds, in the order of the table.
func Kinds() []string {
	var all []string
	for _, k := range kinds {
		all = append(all, k.name)
	}
	return all
}

var (
	healthyShapes  = []shape{plain, plain, mapped, rebalanced, forwarded, union, connected, joined, cep, function, sqlWindow, sqlWindow, sqlOver, sqlJoin, sqlUnion}
	perSplitStream = []shape{plain, plain, mapped, rebalanced, forwarded, union, connected, joined, cep, function}
	perSplit       = append([]shape{sqlWindow, sqlWindow, sqlOver, sqlUnion}, perSplitStream...)
)
