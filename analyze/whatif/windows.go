package whatif

import (
	"regexp"
	"strconv"
	"strings"

	"tidemark/analyze/model"
	"tidemark/engine"
	"tidemark/internal/units"
)

var (
	streamWindow = regexp.MustCompile(`(Tumbling|Sliding)EventTimeWindows\((\d+)(?:, (\d+))?\)|EventTimeSessionWindows\((\d+)\)`)
	groupWindow  = regexp.MustCompile(`(Tumbling|Sliding|Session)GroupWindow\('[^']*, [^,]+, (\d+)(?:, (\d+))?\)`)
	tableWindow  = regexp.MustCompile(`\b(TUMBLE|HOP|CUMULATE|SESSION)\((.*)`)
	rowsOfWindow = regexp.MustCompile(`\bwin_end=\[`)
)

// windowOf is the window of an operator, parsed from its plan text; why says what is not modelled. The text does not show
// the allowed lateness, nor an offset of DataStream: they are 0 unless given with --known.
func windowOf(text string) (w engine.WindowSpec, why string) {
	if m := groupWindow.FindStringSubmatch(text); m != nil {
		w.Dialect = engine.SQLGroup
		return w, numbers(&w, m[1], m[2], m[3])
	}
	if m := streamWindow.FindStringSubmatch(text); m != nil {
		if !strings.Contains(text, "EventTimeTrigger") || strings.Contains(text, "Continuous") || strings.Contains(text, "Purging") {
			return w, "its trigger is not EventTimeTrigger"
		}
		if m[4] != "" {
			return w, numbers(&w, "Session", m[4], "")
		}
		return w, numbers(&w, m[1], m[2], m[3])
	}
	m := tableWindow.FindStringSubmatch(text)
	if m == nil {
		return w, "the plan does not say what window it is"
	}
	w.Dialect = engine.SQL
	return w, tableWindowOf(&w, m[1], m[2], rowsOfWindow.MatchString(text))
}

func numbers(w *engine.WindowSpec, kind, first, second string) string {
	a, errA := strconv.ParseInt(first, 10, 64)
	b := int64(0)
	var errB error
	if second != "" {
		b, errB = strconv.ParseInt(second, 10, 64)
	}
	if errA != nil || errB != nil {
		return "the size of its window is not a number"
	}
	switch kind {
	case "Tumbling":
		w.SizeMs, w.OffsetMs = a, b
	case "Sliding":
		w.Shape, w.SizeMs, w.SlideMs = engine.Hopping, a, b
	default:
		w.Shape, w.GapMs = engine.Session, a
	}
	if err := w.Validate(); err != nil {
		return err.Error()
	}
	return ""
}

// tableWindowOf parses the arguments of a window table function. With has set, rows have a window already: each belongs to
// the one that ends after its time, whatever the shape.
func tableWindowOf(w *engine.WindowSpec, name, args string, has bool) string {
	bad := ""
	get := func(key string) int64 {
		text, ok := model.Property(args, key)
		if !ok {
			return 0
		}
		d, err := units.ParseDuration(text)
		if err != nil {
			bad = key + " of its window is " + text
		}
		return d.Milliseconds()
	}
	w.OffsetMs = get("offset")
	switch name {
	case "TUMBLE":
		w.SizeMs = get("size")
	case "HOP":
		w.Shape, w.SizeMs, w.SlideMs = engine.Hopping, get("size"), get("slide")
	case "CUMULATE":
		w.Shape, w.SizeMs, w.SlideMs = engine.Cumulating, get("max_size"), get("step")
	default:
		w.Shape, w.GapMs = engine.Session, get("gap")
	}
	if has && w.SlideMs > 0 {
		w.Shape, w.SizeMs, w.SlideMs = engine.Tumbling, w.SlideMs, 0
	}
	if bad == "" {
		if err := w.Validate(); err != nil {
			bad = err.Error()
		}
	}
	return bad
}

// spanOf is how far event time must advance until all windows that are open have ended, ms.
func spanOf(w engine.WindowSpec) int64 {
	if w.Shape == engine.Session {
		return 2*w.GapMs + w.LatenessMs
	}
	return w.SizeMs + w.LatenessMs
}
