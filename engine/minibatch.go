package engine

import "fmt"

// MiniBatch forwards a watermark only when it reaches the end of the current batch, a multiple of
// the interval minus 1 ms; it corresponds to RowTimeMiniBatchAssginerOperator (sic),
// MiniBatchAssigner(mode=[RowTime]).
type MiniBatch struct {
	out      Output
	interval int64
	current  int64
	next     int64
}

// NewMiniBatch returns an operator at watermark 0, as in Flink.
func NewMiniBatch(intervalMs int64, out Output) (*MiniBatch, error) {
	if intervalMs <= 0 {
		return nil, fmt.Errorf("mini-batch interval %d ms is not positive", intervalMs)
	}
	return &MiniBatch{out: out, interval: intervalMs, next: intervalMs - 1}, nil
}

// EmitWatermark handles an upstream watermark.
func (m *MiniBatch) EmitWatermark(ts int64) {
	if ts == End && m.current != End {
		m.current = End
		m.out.EmitWatermark(End)
		return
	}
	m.current = max(m.current, ts)
	if m.current >= m.next {
		m.advance()
	}
}

// EmitStatus forwards a status.
func (m *MiniBatch) EmitStatus(idle bool) { m.out.EmitStatus(idle) }

// Finish emits the watermark that was held back.
func (m *MiniBatch) Finish() { m.advance() }

func (m *MiniBatch) advance() {
	m.out.EmitWatermark(m.current)
	start := m.current - (m.current+m.interval)%m.interval
	m.next = start + m.interval - 1
	if m.next <= m.current {
		m.next += m.interval
	}
}
