package engine

import "math"

const (
	// None is the watermark before the first one was emitted (Java Long.MIN_VALUE).
	None int64 = math.MinInt64
	// End is the watermark of a finished input (Java Long.MAX_VALUE).
	End int64 = math.MaxInt64
)

// WatermarkState says what kind of value a watermark is.
type WatermarkState uint8

const (
	// NeverEmitted marks None: the channel, split or operator has not emitted a watermark.
	NeverEmitted WatermarkState = iota
	// Known marks an event time in epoch milliseconds.
	Known
	// EndOfInput marks End.
	EndOfInput
)

// State classifies a raw watermark so that no caller does arithmetic on the
// two values that are not times.
func State(watermark int64) WatermarkState {
	switch watermark {
	case None:
		return NeverEmitted
	case End:
		return EndOfInput
	default:
		return Known
	}
}

// Output receives what a component emits downstream, in order. It corresponds to
// PushingAsyncDataInput.DataOutput (Flink 1.18 to 2.3) without the records.
type Output interface {
	// EmitWatermark carries an event-time watermark in epoch milliseconds, or End.
	EmitWatermark(ts int64)
	// EmitStatus carries WatermarkStatus.IDLE (true) or ACTIVE (false).
	EmitStatus(idle bool)
}

// GeneratorOutput is what a watermark generator writes to; it corresponds to
// org.apache.flink.api.common.eventtime.WatermarkOutput.
type GeneratorOutput interface {
	EmitWatermark(ts int64)
	MarkIdle()
	MarkActive()
}
