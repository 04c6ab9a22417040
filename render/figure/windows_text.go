package figure

import (
	"fmt"
	"math"
	"strings"

	"tidemark/engine/simulate"
	"tidemark/internal/units"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// KindText says what happened to late records.
func KindText(k simulate.Kind) string {
	return map[simulate.Kind]string{simulate.InTime: "late, in time for its windows", simulate.WithinLateness: "taken by the allowed lateness",
		simulate.Missed: "missed by some windows", simulate.Dropped: "dropped"}[k]
}

func (p panel) summary() string {
	parts := []string{words.Plural(int(p.w.Fired), "window fired", "windows fired")}
	for _, k := range p.kinds() {
		n, _ := p.w.LateOf(k)
		parts = append(parts, units.Count(n)+" "+KindText(k))
	}
	if len(p.w.LateRecords) == 0 {
		parts = append(parts, "no late record")
	}
	return strings.Join(parts, ", ")
}

// short is the summary for a line of a drawing.
func (p panel) short() string {
	text := units.Count(p.w.Fired) + " fired; no late record"
	for i, k := range p.kinds() {
		if i == 0 {
			text = units.Count(p.w.Fired) + " fired; late: "
		} else {
			text += ", "
		}
		n, _ := p.w.LateOf(k)
		text += units.Count(n) + " " + map[simulate.Kind]string{simulate.InTime: "in time", simulate.WithinLateness: "in lateness", simulate.Missed: "missed by some", simulate.Dropped: "dropped"}[k]
	}
	return text
}

// mostRecords is what the highest bar represents. The records of windows that the end of the input fires at once are not
// counted: they would make all other bars flat.
func (p panel) mostRecords() int64 {
	most, atEnd := int64(0), int64(1)
	for _, b := range p.w.Bars {
		if b.AtEnd == 0 {
			most = max(most, b.Records)
		}
		atEnd = max(atEnd, b.Records)
	}
	if most == 0 {
		return atEnd
	}
	return most
}

// windowLines draws two rows of characters for each window: what fired, and the worst that happened to a late record.
func windowLines(all []panel, from, to int64, width int) []string {
	signs := map[simulate.Kind]string{simulate.InTime: "o", simulate.WithinLateness: "+", simulate.Missed: "!", simulate.Dropped: "×"}
	n := width - 9
	most := int64(1)
	for _, p := range all {
		for _, s := range p.slots(from, to, n) {
			if s.atEnd == 0 {
				most = max(most, s.records)
			}
		}
	}
	out := []string{fmt.Sprintf("fired: %c is up to %s, E by the end of the input", blocks[len(blocks)-1], words.Plural(int(most), "record", "records")),
		"late: o in time, + by allowed lateness, ! missed by some windows, × dropped"}
	for _, p := range all {
		fired, late := "", ""
		for _, s := range p.slots(from, to, n) {
			switch {
			case s.atEnd > 0:
				fired += "E"
			case s.fired > 0:
				fired += string(blocks[int(math.Round(float64(min(s.records, most))/float64(most)*float64(len(blocks)-1)))])
			default:
				fired += " "
			}
			sign := " "
			for _, k := range simulate.Kinds {
				if s.late[k] > 0 {
					sign = signs[k]
				}
			}
			late += sign
		}
		out = append(out, safe.Short(p.name, width), "  fired  "+fired, "  late   "+late, "")
	}
	return out[:len(out)-1]
}
