package random

import (
	"slices"
	"strings"
)

// onOneSource are the faults that change one source alone and show next to each other.
var onOneSource = []func(*maker){(*maker).neverSent, (*maker).fellSilent, (*maker).excess, (*maker).splitUnit, (*maker).wrongUnit, (*maker).skew, (*maker).oldData, (*maker).boundTooLarge, (*maker).wrongZone, (*maker).epochZero, (*maker).generatorStopped, (*maker).neverEmitted}

// twoFaults plants a fault in each of two inputs.
func (m *maker) twoFaults() {
	all := m.sources
	m.start = m.t0 - m.between(300_000, 500_000)
	m.fromStart()
	var truths []Truth
	first := m.r.IntN(len(onOneSource))
	for i := range 2 {
		m.sources, m.truth = all[i:i+1], Truth{Operator: -1}
		for len(all[i].splits) < 2 {
			all[i].splits = append(all[i].splits, m.schedule(all[i], uint64(len(all[i].splits)), 0))
		}
		onOneSource[(first+i*(1+m.r.IntN(len(onOneSource)-1)))%len(onOneSource)](m)
		if m.truth.Operator == 0 {
			m.truth.Operator = i
		}
		if m.shape.sql() && slices.Contains(m.truth.Causes, "old-data") {
			m.truth.Causes = append(m.truth.Causes, "bound-too-large") // the age of the records is not known
		}
		m.truth.Unknown = m.shape == joined
		truths = append(truths, m.truth)
	}
	m.sources = all
	m.truth = truths[0]
	m.truth.Fault, m.truth.Stalls = "two faults", false
	m.truth.Also = append(append(append([]string{}, truths[0].Also...), truths[1].Also...), "late-records", "quiet-input", "idle-subtask", "idle-split")
	m.truth.Second = &truths[1]
}

// drawn plants one of the kinds that can be read at any time.
func (m *maker) drawn() {
	for {
		k := kinds[pick(m.r, weights)]
		if strings.Contains(k.name, "one sample") || strings.Contains(k.name, "gauge") || k.name == "two faults" || k.name == "failed" {
			continue
		}
		m.sources = nil
		m.draw(k.want)
		k.plant(m)
		return
	}
}

// oneSample is any world, read once.
func (m *maker) oneSample() {
	m.drawn()
	m.truth.Fault, m.truth.Once, m.truth.Stalls, m.truth.Loses = "one sample", true, false, false
	if m.truth.Second != nil {
		m.truth.Second.Once = true
	}
}

// oneGauge is any world whose cluster lacks a metric.
func (m *maker) oneGauge() {
	m.drawn()
	m.truth.Fault, m.truth.Stalls, m.truth.Loses = "a gauge that is missing", false, false
	m.lacks = oneOf(m.r, "pendingRecords", "sourceIdleTime", "currentEmitEventTimeLag", "watermarkLag", "busyTimeMsPerSecond", "backPressuredTimeMsPerSecond", "currentOffset", "accumulatedActiveTimeMs")
	m.truth.Hidden = m.truth.Severity != ""
	m.truth.Harmless = m.truth.Harmless || m.truth.Severity == "info"
	m.truth.Second = nil
	if m.lacks == "currentOffset" && slices.Contains(m.truth.Causes, "idle-split") {
		m.neverSeen()
	}
}
