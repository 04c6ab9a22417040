package render

import (
	"bytes"
	"fmt"
)

func writeSimulationMarkdown(b *bytes.Buffer, d *SimulationData) {
	fmt.Fprintf(b, "# Simulation\n\n%s\n", md(simulationTitle(d)))
	for _, e := range d.failed() {
		fmt.Fprintf(b, "\n**NOT MET** %s\n", md(e.Reason()))
	}
	for _, g := range simulationGrids(d) {
		mdGrid(b, g)
	}
	for _, n := range d.Notes {
		fmt.Fprintf(b, "\nNote: %s\n", md(n))
	}
}

func mdRow(b *bytes.Buffer, cells []string) {
	b.WriteString("|")
	for _, c := range cells {
		b.WriteString(" " + mdShort(c) + " |")
	}
	b.WriteString("\n")
}
