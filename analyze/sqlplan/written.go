package sqlplan

import "slices"

// sinkConnectors can only be written to (Flink's connector documentation, 1.18 to 2.3).
var sinkConnectors = []string{"blackhole", "print"}

// mentions are the table names of a script that no gateway explains: those that INSERT writes to, and
// every other name of its queries and views, columns included. The last part of a path represents it.
type mentions struct{ written, named map[string]bool }

func (m *mentions) of(tokens []token) {
	if m.written == nil {
		m.written, m.named = map[string]bool{}, map[string]bool{}
	}
	for i := 0; i < len(tokens); i++ {
		if words(tokens[i:], "INSERT", "INTO") || words(tokens[i:], "INSERT", "OVERWRITE") {
			i += 2
			if i < len(tokens) && tokens[i].is("TABLE") {
				i++
			}
			for i+2 < len(tokens) && tokens[i+1].isSymbol(".") {
				i += 2
			}
			if i < len(tokens) && tokens[i].isName() {
				m.written[tokens[i].value] = true
			}
			continue
		}
		if tokens[i].isName() {
			m.named[tokens[i].value] = true
		}
	}
}

// onlyWritten reports a table that is no source of any job of the script. A name that could be a read
// of it counts as one: a source that is judged in vain is better than one that is not judged.
func (m *mentions) onlyWritten(table, connector string) bool {
	return slices.Contains(sinkConnectors, connector) || m.written[last(table)] && !m.named[last(table)]
}
