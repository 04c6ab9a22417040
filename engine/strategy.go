package engine

import "fmt"

// Kind is how a strategy turns event times into watermarks.
type Kind uint8

const (
	// BoundedOutOfOrderness stays behind the largest event time by a bound
	// (BoundedOutOfOrdernessWatermarks; with SQL set, WATERMARK FOR ts AS ts - delay).
	BoundedOutOfOrderness Kind = iota
	// Ascending is a bound of zero (AscendingTimestampsWatermarks).
	Ascending
	// NoWatermarks never emits a watermark (NoWatermarksGenerator).
	NoWatermarks
	// Punctuated calls Punctuate for each event.
	Punctuated
	// Custom builds a Generator for each split with New.
	Custom
)

// Generator is a user's watermark generator; it corresponds to
// org.apache.flink.api.common.eventtime.WatermarkGenerator.
type Generator interface {
	OnEvent(ts int64, out GeneratorOutput)
	OnPeriodic(out GeneratorOutput)
}

// Strategy is a watermark strategy with the settings that decide when it emits. All durations are
// ms.
type Strategy struct {
	Kind Kind
	// BoundMs is the out-of-orderness bound or, with SQL, the declared delay.
	BoundMs int64
	// SQL leaves out the extra millisecond: max - delay instead of max - bound - 1.
	SQL bool
	// EmitOnEvent emits at each event instead of at each interval
	// (scan.watermark.emit.strategy = on-event). A DataStream strategy then emits
	// at every event, a SQL one only when the value rises.
	EmitOnEvent bool
	// IntervalMs is pipeline.auto-watermark-interval; 0 turns periodic emission and
	// with it idleness detection off.
	IntervalMs int64
	// IdleMs is the idle timeout; 0 is none.
	IdleMs int64
	// Punctuate, for Punctuated, returns the watermark to emit, if any.
	Punctuate func(ts int64) (watermark int64, emit bool)
	// New, for Custom, builds the generator of a split.
	New func() Generator
}

// Validate refuses what Flink's own builders refuse and what cannot run.
func (s Strategy) Validate() error {
	switch {
	case s.Kind > Custom:
		return fmt.Errorf("watermark strategy: unknown kind %d", s.Kind)
	case s.BoundMs < 0:
		return fmt.Errorf("watermark strategy: out-of-orderness %d ms is negative", s.BoundMs)
	case s.IntervalMs < 0:
		return fmt.Errorf("watermark strategy: emission interval %d ms is negative", s.IntervalMs)
	case s.IdleMs < 0:
		return fmt.Errorf("watermark strategy: idle timeout %d ms is negative", s.IdleMs)
	case s.Kind == Punctuated && s.Punctuate == nil:
		return fmt.Errorf("watermark strategy: punctuated without a function")
	case s.Kind == Custom && s.New == nil:
		return fmt.Errorf("watermark strategy: custom without a generator")
	case s.Kind != BoundedOutOfOrderness && s.BoundMs != 0:
		return fmt.Errorf("watermark strategy: a bound of %d ms needs bounded out-of-orderness", s.BoundMs)
	}
	return nil
}
