// Package engine computes what Apache Flink's event-time machinery does with records, silence and
// time: generators, idleness, per-split combination, channel valves, multi-input operators,
// windows and alignment.
//
// It is pure and deterministic: no clock, no I/O, no goroutines. The caller passes every clock
// value in (ms), and every watermark is emitted through an Output. Event times and watermarks are
// epoch ms. The two ends of the int64 range are states, not times: None (no watermark yet) and
// End (end of input). State tells them apart.
//
// Behaviour follows Flink 2.3.0 unless a Version says otherwise; each type names the Flink class
// it corresponds to. Arithmetic wraps where Java's long wraps.
package engine
