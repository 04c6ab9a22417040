package model

import (
	"regexp"
	"strconv"
	"strings"

	"tidemark/flinkapi"
)

// markProcessingTime finds the operators that look like users of event time but run on processing time: by the column in
// their plan text, or because they emitted rows without a watermark.
func (j *Job) markProcessingTime() {
	for _, v := range j.Vertices {
		for i, op := range v.Chain {
			if !op.Kind.UsesEventTime() {
				continue
			}
			at := operatorAt{v, i}
			kind := at.timeKind()
			if kind == processingTime || kind == timeUnknown && at.firedWithoutWatermark() {
				op.Kind = KindProcTime
			}
		}
	}
}

// timeKind says which time attribute a column is. Unknown is none, or one that the plan text does not show.
type timeKind int

const (
	timeUnknown timeKind = iota
	processingTime
	eventTime
)

// operatorAt is an operator in a chain.
type operatorAt struct {
	v  *Vertex
	at int
}

func (p operatorAt) op() *Operator { return p.v.Chain[p.at] }

// feeders lists the inputs of an operator: the one before it in the chain, or the last ones of the upstream vertices.
func (p operatorAt) feeders() []operatorAt {
	if parent := p.op().Parent; parent >= 0 {
		return []operatorAt{{p.v, parent}}
	}
	var out []operatorAt
	for _, e := range p.v.In {
		for i, op := range e.From.Chain {
			if op.Leaf && op.Kind != KindSink {
				out = append(out, operatorAt{e.From, i})
			}
		}
	}
	return out
}

var (
	windowColumn = regexp.MustCompile(`\b(?:time_col|win_start|slice_end)=\[([^\]]+)\]`)
	groupColumn  = regexp.MustCompile(`GroupWindow\('[^',]*, ([^,()]+)`)
	planColumn   = regexp.MustCompile(`^[\p{L}_$][\p{L}\p{N}_$]*$`)
)

// timeColumn is the time column of a window, OVER, MATCH_RECOGNIZE or sort.
func timeColumn(text string) (string, bool) {
	for _, re := range []*regexp.Regexp{windowColumn, groupColumn} {
		if m := re.FindStringSubmatch(text); m != nil {
			return strings.TrimSpace(m[1]), true
		}
	}
	if order, ok := Property(text, "orderBy"); ok {
		first, _, _ := strings.Cut(order, " ")
		return strings.TrimSuffix(first, ","), first != ""
	}
	return "", false
}

// timeKind traces the operator's time column to where it is defined.
func (p operatorAt) timeKind() timeKind {
	switch p.op().Kind {
	case KindProcTime: // an upstream operator, marked before
		return processingTime
	case KindWindow, KindLocalWindow, KindMatch, KindOver, KindSort:
		if col, ok := timeColumn(p.op().Text); ok {
			return p.trace(col, 0)
		}
	}
	return timeUnknown
}

// trace looks for a column in the inputs of p; it is unknown where they disagree.
func (p operatorAt) trace(col string, depth int) timeKind {
	found := timeUnknown
	if depth > 100 {
		return found
	}
	for _, in := range p.feeders() {
		switch k := in.column(col, depth+1); {
		case k == timeUnknown || k == found:
		case found == timeUnknown:
			found = k
		default:
			return timeUnknown
		}
	}
	return found
}

// column is the time kind of a column of p's output.
func (p operatorAt) column(col string, depth int) timeKind {
	text := p.op().Text
	if p.op().Kind == KindAssigner || p.op().Kind == KindSource {
		if rowtime, ok := Property(text, "rowtime"); ok && rowtime == col {
			return eventTime
		}
		if d, ok := ParseDeclared(text); ok && p.op().Kind == KindSource && namesColumn(d.Expr, col) {
			return eventTime
		}
	}
	if strings.HasPrefix(text, "WindowTableFunction(") && strings.HasPrefix(col, "window_") {
		return p.timeKind()
	}
	list, ok := Property(text, "select")
	if !ok {
		return p.trace(col, depth)
	}
	switch expr, found := selected(list, col); {
	case !found:
		return timeUnknown
	case expr == "PROCTIME()", strings.HasPrefix(expr, "proctime('"):
		return processingTime
	case strings.Contains(expr, "('w$)"): // start, end, slice_end or rowtime of this operator's own window
		return p.timeKind()
	case strings.HasPrefix(expr, "Reinterpret("):
		return eventTime
	case planColumn.MatchString(expr):
		return p.trace(expr, depth)
	}
	return timeUnknown
}

func namesColumn(expr, col string) bool {
	i := strings.Index(expr, col)
	end := i + len(col)
	return i >= 0 && (i == 0 || !isWord(expr[i-1])) && (end == len(expr) || !isWord(expr[end]))
}

// selected finds the expression of a column in a select list: by its name, or by its position where the planner made up
// the name ("$1", "$f1").
func selected(list, col string) (expr string, ok bool) {
	items := splitTop(list, ",")
	for _, item := range items {
		if i := strings.LastIndex(item, " AS "); i >= 0 && item[i+4:] == col {
			return item[:i], true
		}
		if item == col {
			return item, true
		}
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimPrefix(col, "$"), "f")); err == nil && strings.HasPrefix(col, "$") && n >= 0 && n < len(items) {
		expr, _, _ = strings.Cut(items[n], " AS ")
		return expr, true
	}
	return "", false
}

// firedWithoutWatermark reports a window, OVER, pattern or sort that has emitted rows although it never had a watermark,
// so it runs on processing time. Event-time windows with a processing-time trigger are excluded: the name of DataStream's
// assigner contains EventTime, and SQL's early fire is in the text.
func (p operatorAt) firedWithoutWatermark() bool {
	op := p.op()
	switch op.Kind {
	case KindWindow, KindMatch, KindOver, KindSort:
	default:
		return false
	}
	if strings.Contains(op.Text+op.Name, "EventTime") || strings.Contains(op.Text, "emit=[") || p.v.Sample == nil {
		return false
	}
	for _, s := range p.v.Subtasks {
		if p.at >= len(s.Ops) || s.Ops[p.at].In.Now.State() != flinkapi.None {
			continue
		}
		id := strconv.Itoa(s.Index) + "." + op.Metric + ".numRecordsOut"
		if n := parseNumber(p.v.Sample.Metrics[id], true); n > 0 {
			return true
		}
	}
	return false
}

// TimeColumn is the time column in the plan text of an operator that uses event time.
func TimeColumn(op *Operator) (string, bool) {
	if !op.Kind.UsesEventTime() {
		return "", false
	}
	return timeColumn(op.Text)
}
