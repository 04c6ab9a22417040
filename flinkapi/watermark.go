// Package flinkapi reads the Flink REST API (1.17 to 2.3), live or from a recording.
package flinkapi

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"tidemark/internal/units"
)

// State is the kind of value that a watermark gauge has.
type State string

// The five states of a watermark reading.
const (
	Known  State = "known"  // a real event time
	None   State = "none"   // Long.MIN_VALUE: nothing emitted yet
	End    State = "end"    // Long.MAX_VALUE, or just below it: end of input
	Absent State = "absent" // the cluster has no such metric
	Failed State = "failed" // the metric could not be read
)

// endSlack accepts Long.MAX_VALUE minus an operator's delay as end of input: a SQL interval join
// emits that (KeyedCoProcessOperatorWithWatermarkDelay, 2.3.0).
const endSlack = int64(1_000_000_000_000)

// Watermark is one reading of a watermark gauge. The zero value is absent. It has a number, epoch
// ms of event time, only in state known.
type Watermark struct {
	state State
	ms    int64
}

// KnownWatermark is an event time of ms milliseconds since the epoch.
func KnownWatermark(ms int64) Watermark { return Watermark{Known, ms} }

// NoWatermark is a gauge that never had a watermark (Long.MIN_VALUE).
func NoWatermark() Watermark { return Watermark{state: None} }

// EndWatermark is the watermark of a finished input (Long.MAX_VALUE).
func EndWatermark() Watermark { return Watermark{state: End} }

// AbsentWatermark is a metric that the cluster does not have.
func AbsentWatermark() Watermark { return Watermark{state: Absent} }

// FailedWatermark is a metric that could not be read.
func FailedWatermark() Watermark { return Watermark{state: Failed} }

// ParseWatermark decodes the decimal string of a REST metric; it never passes through a float.
func ParseWatermark(s string) Watermark {
	ms, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return FailedWatermark()
	}
	return watermarkOf(ms)
}

// AggregatedWatermark decodes the min or max of an aggregated metric, a double. Doubles hold
// epoch ms exactly up to 2^53; Long.MIN_VALUE and Long.MAX_VALUE are recognised by size.
func AggregatedWatermark(f float64) Watermark {
	switch {
	case math.IsNaN(f):
		return FailedWatermark()
	case f <= -9.2e18:
		return NoWatermark()
	case f >= 9.2e18:
		return EndWatermark()
	}
	return KnownWatermark(int64(f))
}

func watermarkOf(ms int64) Watermark {
	switch {
	case ms == math.MinInt64:
		return NoWatermark()
	case ms >= math.MaxInt64-endSlack:
		return EndWatermark()
	}
	return KnownWatermark(ms)
}

// State is one of the five states.
func (w Watermark) State() State {
	if w.state == "" {
		return Absent
	}
	return w.state
}

// Millis is the event time in ms; ok is false in every state but known.
func (w Watermark) Millis() (ms int64, ok bool) { return w.ms, w.state == Known }

// IsKnown reports whether the watermark is a number.
func (w Watermark) IsKnown() bool { return w.state == Known }

// Lag is now minus the watermark, ms; ok is false if the watermark is not a number.
func (w Watermark) Lag(nowMs int64) (lag int64, ok bool) {
	if w.state != Known {
		return 0, false
	}
	return nowMs - w.ms, true
}

// Before orders readings: none, then known by number, then end. Absent and failed readings have
// no order.
func (w Watermark) Before(o Watermark) bool {
	a, okA := w.rank()
	b, okB := o.rank()
	return okA && okB && a < b
}

func (w Watermark) rank() (int64, bool) {
	switch w.state {
	case None:
		return math.MinInt64, true
	case Known:
		return w.ms, true
	case End:
		return math.MaxInt64, true
	}
	return 0, false
}

// Readable reports whether the gauge exists and was read: none, known or end.
func (w Watermark) Readable() bool {
	_, ok := w.rank()
	return ok
}

// MinWatermark is the smallest of the readable readings, absent if there is none.
func MinWatermark(ws ...Watermark) Watermark {
	var min Watermark
	for _, w := range ws {
		if w.Readable() && (!min.Readable() || w.Before(min)) {
			min = w
		}
	}
	return min
}

// MaxWatermark is the largest of the readable readings, absent if there is none.
func MaxWatermark(ws ...Watermark) Watermark {
	var max Watermark
	for _, w := range ws {
		if w.Readable() && (!max.Readable() || max.Before(w)) {
			max = w
		}
	}
	return max
}

func (w Watermark) String() string {
	if w.state == Known {
		return units.Time(w.ms)
	}
	return string(w.State())
}

type watermarkJSON struct {
	State State  `json:"state" yaml:"state"`
	Ms    *int64 `json:"ms,omitempty" yaml:"ms,omitempty"`
	Raw   string `json:"raw,omitempty" yaml:"raw,omitempty"` // a number that is not in ms
	Time  string `json:"time,omitempty" yaml:"time,omitempty"`
}

// foreignFrom is the year 5138: a value from there on is not in ms, but in micro- or nanoseconds.
const foreignFrom = 100_000_000_000_000

// MarshalJSON writes {"state":"none"}, {"state":"known","ms":…,"time":RFC 3339}, or, for a number
// that is not in ms, {"state":"known","raw":"…"}.
func (w Watermark) MarshalJSON() ([]byte, error) { return json.Marshal(w.wire()) }

// MarshalYAML writes the same shape as MarshalJSON.
func (w Watermark) MarshalYAML() (any, error) { return w.wire(), nil }

func (w Watermark) wire() watermarkJSON {
	out := watermarkJSON{State: w.State()}
	switch {
	case w.state == Known && w.ms >= foreignFrom:
		out.Raw = strconv.FormatInt(w.ms, 10)
	case w.state == Known:
		ms := w.ms
		out.Ms, out.Time = &ms, units.Time(ms)
	}
	return out
}

// UnmarshalJSON reads what MarshalJSON writes.
func (w *Watermark) UnmarshalJSON(b []byte) error {
	var in watermarkJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return fmt.Errorf("watermark: %w", err)
	}
	switch in.State {
	case Known:
		if raw, err := strconv.ParseInt(in.Raw, 10, 64); in.Ms == nil && err == nil {
			in.Ms = &raw
		}
		if in.Ms == nil {
			return fmt.Errorf("watermark: state known without ms")
		}
		*w = KnownWatermark(*in.Ms)
	case None, End, Absent, Failed:
		*w = Watermark{state: in.State}
	default:
		return fmt.Errorf("watermark: unknown state %q", in.State)
	}
	return nil
}
