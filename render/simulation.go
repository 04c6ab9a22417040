package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"tidemark/analyze"
	"tidemark/engine/simulate"
)

// SchemaSimulation names the JSON form of a simulation.
const SchemaSimulation = "tidemark.simulation/v1"

// SimulationData is what strategies would have done with the same records, side by side. Durations
// are ms; clocks and event times are epoch ms.
type SimulationData struct {
	Schema string       `json:"schema"`
	Tool   analyze.Tool `json:"tool"`
	simulate.Result
}

// Parts of a simulation.
type (
	SimulationInput   = simulate.Input
	SimulatedStrategy = simulate.Outcome
	SimulatedSplit    = simulate.Split
	SimulatedWindow   = simulate.Window
	Spread            = simulate.Spread
	Firing            = simulate.Firing
	Series            = simulate.Series
	Point             = simulate.Point
	Expectation       = simulate.Expectation
)

// Simulation writes d in the named format, in one piece.
func Simulation(w io.Writer, format string, d *SimulationData, o Options) error {
	var b bytes.Buffer
	var err error
	switch format {
	case JSON, YAML:
		return Data(w, format, d)
	case Table:
		writeSimulationText(&b, newTheme(w, o.Color), d, o.width())
	case Markdown:
		writeSimulationMarkdown(&b, d)
	case HTML:
		err = writeSimulationHTML(&b, d)
	default:
		return fmt.Errorf("no format %q; there are %s", format, strings.Join(Formats, ", "))
	}
	if err != nil {
		return fmt.Errorf("simulation as %s: %w", format, err)
	}
	_, err = w.Write(b.Bytes())
	return err
}
