package whatif

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tidemark/analyze/model"
	"tidemark/engine"
	"tidemark/internal/near"
	"tidemark/internal/units"
	"tidemark/request"
)

// Setting is one change of a job, such as Orders.idle-timeout=30s. Column is the column that it belongs
// to, empty for every one.
type Setting struct {
	Column string
	Of     string // a source or an operator; empty for settings of the job
	Name   string
	Value  string
	flag   string
	item   int
	whole  string // Of with what was taken for a column
}

// String is the setting as it is written.
func (s Setting) String() string {
	if s.Of == "" {
		return s.Name + "=" + s.Value
	}
	return s.Of + "." + s.Name + "=" + s.Value
}

// what a setting can be of.
var (
	sourceSettings   = []string{"delay", "idle-timeout", "emit", "place", "alignment", "parallelism"}
	operatorSettings = []string{"lateness", "offset", "parallelism", "delay", "idle-timeout"}
	jobSettings      = []string{"interval", "alignment", "flink-version"}
)

var columnForm = regexp.MustCompile(`^([A-Za-z0-9_-]+):\s*(\S.*)$`)

// ParseSettings reads [COLUMN:][NAME.]SETTING=VALUE, as --set and --known take them. A setting may also
// come before its name: parallelism.Orders=4.
func ParseSettings(flag string, texts []string) ([]Setting, error) {
	var all []Setting
	for i, text := range texts {
		s, err := parseSetting(text)
		if err != nil {
			return nil, &request.Mistake{Setting: flag, Item: i, Err: err}
		}
		if s.flag, s.item = flag, i; s.Column != "" && flag != "set" {
			return nil, &request.Mistake{Setting: flag, Item: i, Err: fmt.Errorf("is %q; only --set has columns", cut(text))}
		}
		all = append(all, s)
	}
	return all, nil
}

func cut(s string) string { return s[:min(len(s), 60)] }

func parseSetting(text string) (s Setting, err error) {
	rest := strings.TrimSpace(text)
	if m := columnForm.FindStringSubmatch(rest); m != nil && strings.Contains(m[2], "=") && !strings.Contains(m[1], "=") {
		s.Column, rest = m[1], m[2]
		s.whole = strings.TrimSpace(strings.TrimSuffix(text, m[2]))
	}
	left, value, ok := strings.Cut(rest, "=")
	left, value = strings.TrimSpace(left), strings.TrimSpace(value)
	if !ok || left == "" || value == "" {
		return s, fmt.Errorf("is %q; it takes NAME.SETTING=VALUE, as in Orders.idle-timeout=30s", cut(text))
	}
	s.Value = value
	if slices.Contains(jobSettings, left) {
		s.Name = left
		return s, nil
	}
	known := slices.Compact(slices.Sorted(slices.Values(slices.Concat(sourceSettings, operatorSettings))))
	if at := strings.LastIndexByte(left, '.'); at > 0 && slices.Contains(known, left[at+1:]) {
		s.Of, s.Name = left[:at], left[at+1:]
		return s, nil
	}
	if first, name, cut := strings.Cut(left, "."); cut && slices.Contains(known, first) && name != "" {
		s.Of, s.Name = name, first
		return s, nil
	}
	word := left
	if at := strings.LastIndexByte(left, '.'); at >= 0 {
		word = left[at+1:]
	}
	return s, fmt.Errorf("%s: no setting %q; near: %s", cut(left), cut(word), strings.Join(near.Words(word, slices.Concat(known, jobSettings), 2), ", "))
}

// resolve takes what looks like a column for the beginning of a name, where a source or operator has it:
// "Trades: fast.delay=2s".
func resolve(j *model.Job, settings []Setting) []Setting {
	names := map[string]bool{}
	for _, v := range j.Vertices {
		for _, op := range v.Chain {
			names[op.Name] = true
		}
		names[model.SourceName(v)] = true
	}
	for i, s := range settings {
		if full := s.whole + " " + s.Of; s.Column != "" && s.Of != "" && names[full] {
			settings[i].Column, settings[i].Of = "", full
		}
	}
	return settings
}

// mistake names the setting at fault.
func (s Setting) mistake(format string, a ...any) error {
	return &request.Mistake{Setting: s.flag, Item: s.item, Err: fmt.Errorf("%s: "+format, append([]any{cut(s.String())}, a...)...)}
}

// apply changes a design. What cannot be used is refused with the reason.
func (d *design) apply(j *model.Job, settings []Setting) error {
	for _, s := range settings {
		if err := d.one(j, s); err != nil {
			return err
		}
	}
	for _, f := range d.sources {
		if err := f.strategy.Validate(); err != nil {
			return &request.Mistake{Setting: "set", Err: fmt.Errorf("source %s: %w", f.name, err)}
		}
	}
	return nil
}

func (d *design) one(j *model.Job, s Setting) error {
	switch {
	case s.Of == "" && s.Name == "interval":
		ms, err := s.duration()
		if err != nil {
			return err
		}
		if ms > 60_000 {
			return s.mistake("an emission interval above a minute is not played")
		}
		d.intervalMs = ms
		for _, f := range d.sources {
			f.strategy.IntervalMs, f.origin["interval"] = ms, s.origin()
		}
		return nil
	case s.Of == "" && s.Name == "flink-version":
		v, err := engine.ParseVersion(s.Value)
		if err != nil {
			return s.mistake("%w", err)
		}
		d.version = v
		return nil
	case s.Of == "":
		for _, f := range d.sources {
			if err := d.ofSource(s, f); err != nil {
				return err
			}
		}
		return nil
	}
	f, vx, op, err := d.find(j, s)
	switch {
	case err != nil:
		return err
	case s.Name == "parallelism":
		n, err := strconv.Atoi(s.Value)
		if err != nil || n < 1 || n > model.MaxParallelism {
			return s.mistake("Flink takes 1 to %d", model.MaxParallelism)
		}
		return d.widen(s, vx, n)
	case f != nil && slices.Contains(sourceSettings, s.Name):
		return d.ofSource(s, f)
	case f != nil:
		return s.mistake("a source has %s", strings.Join(sourceSettings, ", "))
	}
	return d.ofOperator(s, op)
}

// find looks for the source or operator that a setting names.
func (d *design) find(j *model.Job, s Setting) (*force, *model.Vertex, *model.Operator, error) {
	var names []string
	for _, f := range d.sources {
		if names = append(names, f.name); f.name == s.Of || tableOf(f.name) == s.Of {
			return f, f.vertex, f.vertex.Head(), nil
		}
	}
	var vx *model.Vertex
	var found *model.Operator
	for _, v := range j.Vertices {
		for _, op := range v.Chain {
			if op.Kind == model.KindSource || op.Kind == model.KindSink {
				continue
			}
			if names = append(names, op.Name); op.Name == s.Of {
				if found != nil {
					return nil, nil, nil, s.mistake("several operators are called %q", cut(s.Of))
				}
				vx, found = v, op
			}
		}
	}
	for _, v := range j.Sources() {
		if model.SourceName(v) == s.Of {
			return nil, nil, nil, s.mistake("the splits of this source are no partitions of Kafka, so its records cannot be read")
		}
	}
	if found == nil {
		return nil, nil, nil, s.mistake("no source or operator %q; near: %s", cut(s.Of), strings.Join(near.Words(s.Of, names, 2), ", "))
	}
	return nil, vx, found, nil
}

// tableOf is the table of a SQL scan: "o" of "o[11]" and of "KafkaSource-default_catalog.default_database.o".
func tableOf(name string) string {
	name, _, _ = strings.Cut(name, "[")
	if rest, ok := strings.CutPrefix(name, "KafkaSource-"); ok {
		name = rest
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

func (s Setting) origin() Origin {
	if s.flag == "known" {
		return FromSaid
	}
	return FromChange
}

func (s Setting) duration() (int64, error) {
	if s.Value == "none" {
		return 0, nil
	}
	d, err := units.ParseDuration(s.Value)
	if err != nil {
		return 0, s.mistake("%w", err)
	}
	if d < 0 || d.Milliseconds() > 30*24*3_600_000 {
		return 0, s.mistake("it takes a duration from 0 to 30 days")
	}
	return d.Milliseconds(), nil
}

// errNoEmission says why idleness cannot be.
var errNoEmission = errors.New("pipeline.auto-watermark-interval is 0, and idleness is only looked at with each periodic emission; set interval too")

func (d *design) ofSource(s Setting, f *force) error {
	f.origin[s.Name] = s.origin()
	switch s.Name {
	case "delay":
		ms, err := s.duration()
		if err != nil {
			return err
		}
		f.strategy.Kind, f.strategy.BoundMs = engine.BoundedOutOfOrderness, ms
	case "idle-timeout":
		ms, err := s.duration()
		switch {
		case err != nil:
			return err
		case ms > 0 && f.strategy.IntervalMs == 0:
			return s.mistake("%w", errNoEmission)
		case ms > 0 && f.strategy.EmitOnEvent && f.strategy.SQL:
			return s.mistake("with watermark.emit.strategy on-event a split is only looked at when a record comes (FLIP-296), so a silent one is never declared idle; set emit=on-periodic too, before it")
		}
		f.strategy.IdleMs = ms
	case "emit":
		if s.Value != "on-event" && s.Value != "on-periodic" {
			return s.mistake("it takes on-periodic or on-event")
		}
		f.strategy.EmitOnEvent = s.Value == "on-event"
	case "place":
		return d.place(s, f)
	case "alignment":
		return s.align(f)
	}
	return nil
}

// place moves the generator into the source, or behind it.
func (d *design) place(s Setting, f *force) error {
	switch {
	case s.Value == "source":
		f.behind, f.moved = nil, false
	case s.Value != "downstream":
		return s.mistake("it takes source or downstream")
	case f.align != nil:
		return s.mistake("alignment needs the generator in the source")
	case f.behind == nil:
		f.moved = true
	}
	return nil
}

// align reads none, or GROUP,DRIFT[,UPDATE].
func (s Setting) align(f *force) error {
	if s.Value == "none" {
		f.align = nil
		return nil
	}
	parts := strings.Split(s.Value, ",")
	if len(parts) < 2 || len(parts) > 3 || parts[0] == "" {
		return s.mistake("it takes none, or GROUP,DRIFT[,UPDATE-INTERVAL], as in shop,30s,1s")
	}
	if f.behind != nil || f.moved {
		return s.mistake("source %s has its generator behind it, and alignment needs it in the source; set %s.place=source too, before it", f.name, f.name)
	}
	a := &engine.AlignmentConfig{Group: parts[0], UpdateMs: 1000, Samples: -1}
	for i, into := range []*int64{&a.MaxDriftMs, &a.UpdateMs}[:len(parts)-1] {
		d, err := units.ParseDuration(strings.TrimSpace(parts[i+1]))
		if err != nil || d < 0 || i == 1 && d.Milliseconds() == 0 {
			return s.mistake("%q is no duration that Flink takes here", cut(parts[i+1]))
		}
		*into = d.Milliseconds()
	}
	f.align = a
	return nil
}

// ofOperator sets what a window, or an assigner behind an exchange, has.
func (d *design) ofOperator(s Setting, op *model.Operator) error {
	ms, err := s.duration()
	switch {
	case err != nil:
		return err
	case s.Name == "delay" || s.Name == "idle-timeout":
		if op.Kind != model.KindAssigner {
			return s.mistake("%q assigns no watermarks; name a source or an assigner", cut(op.Name))
		}
		one := d.assigners[op]
		if one.IntervalMs = d.intervalMs; s.Name == "delay" {
			one.BoundMs = ms
		} else {
			one.IdleMs = ms
		}
		d.assigners[op] = one
		return nil
	case op.Kind != model.KindWindow:
		return s.mistake("%q is no event-time window", cut(op.Name))
	}
	w, why := windowOf(op.Text)
	switch {
	case why != "":
		return s.mistake("the window of %q is not modelled: %s", cut(op.Name), why)
	case s.Name == "lateness":
		if w.Dialect == engine.SQL {
			return s.mistake("a SQL window table function has no allowed lateness")
		}
		w.LatenessMs, d.lateness[op] = ms, ms
	case s.Name == "offset":
		w.OffsetMs, d.offset[op] = w.OffsetMs+ms, ms
	}
	if err := w.Validate(); err != nil {
		return s.mistake("%w", err)
	}
	return nil
}

// widen changes the parallelism of a vertex: with it that of all that FORWARD ties to it.
func (d *design) widen(s Setting, vx *model.Vertex, n int) error {
	if n == d.parallelism(vx) {
		return s.mistake("%s has that parallelism already", model.QuoteName(vx.Name))
	}
	var tie func(*model.Vertex)
	tie = func(v *model.Vertex) {
		if have, ok := d.width[v]; ok && have == n {
			return
		}
		d.width[v] = n
		for _, e := range slices.Concat(v.In, v.Out) {
			if shipOf(e) == engine.Forward {
				tie(e.From)
				tie(e.To)
			}
		}
	}
	tie(vx)
	return nil
}
