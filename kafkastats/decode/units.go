package decode

import "tidemark/kafkastats/eventtime"

func (e *Extractor) note(t eventtime.Time) {
	if t.Number {
		// -1, 0 and the ends of int64 have no unit; they must not look like mixed units.
		if t.Ms > 0 && t.Ms < 1<<62 {
			if t.Unit != e.runUnit {
				e.closeRun()
				e.runUnit = t.Unit
			}
			e.run++
		}
	} else if !t.Zoned {
		e.noZone++
	}
}

// closeRun adds up the run of records with the same unit: a map look-up per record would be too
// slow.
func (e *Extractor) closeRun() {
	if e.run > 0 {
		e.units[e.runUnit] += e.run
		e.run = 0
	}
}

// Seen says how event times were written: the unit of most numbers, the count of every unit, and
// the zone that was assumed or "explicit".
func (e *Extractor) Seen() (unit string, classes map[string]uint64, zone string, detected bool) {
	e.closeRun()
	classes = map[string]uint64{}
	var most uint64
	for u, n := range e.units {
		classes[string(u)] = n
		if n > most {
			unit, most = string(u), n
		}
	}
	zone = "explicit"
	if e.noZone > 0 {
		zone = "UTC"
		if e.o.Zone != nil {
			zone = e.o.Zone.String()
		}
	}
	if most == 0 {
		unit = "text"
	}
	return unit, classes, zone, e.o.Unit == eventtime.Auto || e.noZone > 0 && e.o.Zone == nil
}
