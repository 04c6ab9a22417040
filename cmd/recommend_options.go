package cmd

import (
	"errors"
	"fmt"
	"time"

	"tidemark/kafkastats"
	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/measure"
)

func (o recommendOptions) advice() (advise.Options, error) {
	text, byDrops := o.targetLate, false
	if o.targetDropped != "" {
		text, byDrops = o.targetDropped, true
		if o.window == 0 {
			return advise.Options{}, errors.New("--target-dropped needs --window")
		}
	}
	target, err := advise.ParseTarget(text)
	if err != nil {
		return advise.Options{}, err
	}
	for name, d := range map[string]time.Duration{"sla": o.sla, "window": o.window, "allowed-lateness": o.allowedLateness, "idle-timeout": o.idle, "emit-interval": o.emit, "since": o.since, "for": o.live} {
		if d < 0 {
			return advise.Options{}, fmt.Errorf("--%s is negative", name)
		}
	}
	return advise.Options{Topic: o.topic, Target: target, ByDrops: byDrops, SLAMs: o.sla.Milliseconds(), WindowMs: o.window.Milliseconds(),
		AllowedLateness: o.allowedLateness.Milliseconds(), EmitMs: o.emit.Milliseconds(), ProcessingMs: o.processing.Milliseconds(),
		CycleMs: o.cycle.Milliseconds(), Column: o.column}, nil
}

func (o recommendOptions) measuring() measure.Options {
	m := measure.Options{IdleMs: o.idle.Milliseconds(), FutureMs: o.future.Milliseconds(), EmitMs: o.emit.Milliseconds()}
	if o.window > 0 {
		m.Windows = []int64{o.window.Milliseconds()}
	}
	if o.exact {
		m.Exact = &hist.Budget{Left: hist.DefaultBudget}
	}
	return m
}

// keptPoints is how many points are kept for the replay: some 50 MB.
const keptPoints = 1_000_000

func (o recommendOptions) options(e *decode.Extractor) kafkastats.Options {
	keep := 0
	if o.replay != nil {
		keep = keptPoints
	}
	return kafkastats.Options{Measure: o.measuring(), Extractor: e, MaxErrors: o.maxErrors, Keep: keep}
}
