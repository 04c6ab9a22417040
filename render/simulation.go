package render

import (
	"tidemark/analyze"
	"tidemark/engine/simulate"
)

// SchemaSimulation names the JSON form of a simulation.
const SchemaSimulation = "tidemark.simulation/v1"

// SimulationData compares what strategies would have done with the same records. Durations are ms; clocks and event
// times are epoch ms.
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
