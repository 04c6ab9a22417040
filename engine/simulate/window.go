package simulate

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"tidemark/engine"
	"tidemark/internal/units"
	"tidemark/request"
)

// maxWindowsOfRecord limits what one record costs: windows of a day with a slide of a second stay
// below it.
const maxWindowsOfRecord = 100_000

// parseWindow reads SIZE or tumbling:SIZE, hop:SIZE/SLIDE, cumulate:SIZE/STEP or session:GAP. The
// dialect is set later, from the strategy (windowsFor).
func parseWindow(text string, lateness time.Duration) (engine.WindowSpec, error) {
	bad := func() (engine.WindowSpec, error) {
		return engine.WindowSpec{}, fmt.Errorf("is %q; it takes SIZE or tumbling:SIZE, hop:SIZE/SLIDE, cumulate:SIZE/STEP or session:GAP", cut(text))
	}
	shape, rest, ok := strings.Cut(text, ":")
	if !ok {
		shape, rest = "tumbling", text
	}
	size, step, two := strings.Cut(rest, "/")
	first, err := windowMs(text, size)
	if err != nil {
		return engine.WindowSpec{}, err
	}
	second := int64(0)
	if two {
		if second, err = windowMs(text, step); err != nil {
			return engine.WindowSpec{}, err
		}
	}
	w := engine.WindowSpec{LatenessMs: lateness.Milliseconds()}
	switch {
	case shape == "tumbling" && !two:
		w.Shape, w.SizeMs = engine.Tumbling, first
	case (shape == "hop" || shape == "sliding") && two:
		w.Shape, w.SizeMs, w.SlideMs = engine.Hopping, first, second
	case shape == "cumulate" && two:
		w.Shape, w.SizeMs, w.SlideMs = engine.Cumulating, first, second
	case shape == "session" && !two:
		w.Shape, w.GapMs = engine.Session, first
	default:
		return bad()
	}
	if two && second > 0 && first/second > maxWindowsOfRecord {
		return w, fmt.Errorf("is %q: every record would be in %s windows, more than the %s that are simulated; are size and step in the same unit?", cut(text), units.Count(first/second), units.Count(maxWindowsOfRecord))
	}
	return w, nil
}

func windowMs(text, value string) (int64, error) {
	d, err := units.ParseDuration(value)
	if err == nil && d%time.Millisecond != 0 {
		err = errors.New("not a whole number of milliseconds, in which Flink counts")
	}
	if err != nil {
		return 0, fmt.Errorf("is %q: %q: %w", cut(text), cut(value), err)
	}
	return d.Milliseconds(), nil
}

// windowsFor gives the windows the dialect of a strategy, and returns the engine's error for a
// window that Flink would refuse.
func windowsFor(s Strategy, texts []string, lateness time.Duration) ([]engine.WindowSpec, error) {
	var specs []engine.WindowSpec
	for i, text := range texts {
		w, err := parseWindow(text, lateness)
		if err != nil {
			return nil, &request.Mistake{Setting: "window", Item: i, Err: err}
		}
		if s.SQL() {
			w.Dialect = engine.SQL
		}
		if err := w.Validate(); err != nil {
			return nil, &request.Mistake{Setting: "window", Item: i, Err: fmt.Errorf("%s, strategy %q: %w", text, s.Name, err)}
		}
		specs = append(specs, w)
	}
	return specs, nil
}

func windowText(w engine.WindowSpec) string {
	switch w.Shape {
	case engine.Hopping:
		return "hop " + units.Duration(w.SizeMs) + " / " + units.Duration(w.SlideMs)
	case engine.Cumulating:
		return "cumulate " + units.Duration(w.SizeMs) + " / " + units.Duration(w.SlideMs)
	case engine.Session:
		return "session " + units.Duration(w.GapMs)
	}
	return "tumbling " + units.Duration(w.SizeMs)
}
