package whatif

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tidemark/analyze/model"
	"tidemark/engine"
	"tidemark/internal/near"
	"tidemark/request"
)

// apply changes a design. A setting that cannot be used is an error that says why.
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
			return s.mistake("it takes at most 1 min")
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
			return s.mistake("it takes 1 to %d", model.MaxParallelism)
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
			return nil, nil, nil, s.mistake("the splits of this source are not Kafka partitions, so its records cannot be read")
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
