package simulate

import (
	"fmt"
	"strings"
	"time"

	"tidemark/engine"
	"tidemark/internal/near"
	"tidemark/internal/units"
	"tidemark/request"
)

// Strategy is a watermark strategy and the job settings around it, as flags, files and policies
// give them.
type Strategy struct {
	Name        string
	Delay       time.Duration `flag:"delay" doc:"out-of-orderness bound (SQL: the delay of the WATERMARK clause)"`
	Kind        string        `flag:"kind" words:"bounded,ascending,none" doc:"generator: bounded, ascending (monotonous timestamps) or none"`
	Dialect     string        `flag:"dialect" words:"datastream,sql" doc:"datastream (max - delay - 1 ms) or sql (max - delay)"`
	Emit        string        `flag:"emit" words:"on-periodic,on-event" doc:"when watermarks are emitted: on-periodic or on-event"`
	Interval    time.Duration `flag:"emit-interval" alias:"interval" doc:"pipeline.auto-watermark-interval; 0 is off"`
	Idle        time.Duration `flag:"idle-timeout" doc:"idle timeout; 0 is none"`
	Place       string        `flag:"place" words:"source,downstream" doc:"where the watermark is assigned: source (one generator per split) or downstream (one per subtask)"`
	Parallelism int           `flag:"parallelism" doc:"source subtasks"`
	Version     string        `flag:"flink-version" doc:"Flink version to behave like (default: the newest known)"`
}

// DefaultStrategy has Flink's defaults and no delay.
func DefaultStrategy() Strategy {
	return Strategy{Name: "strategy", Kind: "bounded", Interval: 200 * time.Millisecond,
		Dialect: "datastream", Emit: "on-periodic", Place: "source", Parallelism: 1}
}

// strategyKeys are the keys that --strategy or a strategy file may set.
func strategyKeys() []string {
	keys := []string{"name"}
	for _, s := range request.Settings(&Strategy{}) {
		keys = append(keys, s.Name)
		if s.Alias != "" {
			keys = append(keys, s.Alias)
		}
	}
	return keys
}

// set sets one key; the error does not name the strategy.
func (s *Strategy) set(key, value string) error {
	if key == "name" {
		s.Name = value
		return nil
	}
	for _, one := range request.Settings(s) {
		if one.Name == key || one.Alias == key {
			return one.Parse(value)
		}
	}
	return &request.Mistake{Err: fmt.Errorf("unknown key %q; near: %s", cut(key), strings.Join(near.Words(key, strategyKeys(), 2), ", "))}
}

// cut limits the length of text that is quoted in a message.
func cut(s string) string { return s[:min(len(s), 60)] }

// Check refuses what Flink's own builders refuse.
func (s Strategy) Check() error {
	wrong := func(setting, format string, a ...any) error {
		return &request.Mistake{Setting: setting, In: fmt.Sprintf("strategy %q", s.Name), Err: fmt.Errorf(format, a...)}
	}
	if err := request.CheckWords(&s); err != nil {
		return request.In(fmt.Sprintf("strategy %q", s.Name), err)
	}
	for _, one := range request.Settings(&s) {
		if d, ok := one.Value.Interface().(time.Duration); ok && d%time.Millisecond != 0 {
			return wrong(one.Name, "is %s; Flink counts in whole milliseconds", units.Said(d))
		}
	}
	if s.Parallelism < 1 || s.Parallelism > 1<<15 {
		return wrong("parallelism", "is %d; Flink takes 1 to 32768", s.Parallelism)
	}
	if _, err := s.flink(); err != nil {
		return wrong("flink-version", "is %q: %w", s.Version, err)
	}
	if s.Kind != "bounded" && s.Delay != 0 {
		return wrong("delay", "is %s; only a bounded strategy has one, and kind is %s", units.Said(s.Delay), s.Kind)
	}
	if err := s.engine().Validate(); err != nil {
		return wrong("", "%w", err)
	}
	return nil
}

func (s Strategy) engine() engine.Strategy {
	kinds := map[string]engine.Kind{"bounded": engine.BoundedOutOfOrderness, "ascending": engine.Ascending, "none": engine.NoWatermarks}
	return engine.Strategy{Kind: kinds[s.Kind], BoundMs: s.Delay.Milliseconds(), SQL: s.SQL(),
		EmitOnEvent: s.OnEvent(), IntervalMs: s.Interval.Milliseconds(), IdleMs: s.Idle.Milliseconds()}
}

// SQL reports the SQL dialect, which does not subtract DataStream's extra millisecond.
func (s Strategy) SQL() bool { return s.Dialect == "sql" }

// OnEvent reports that a watermark is emitted after every record, not every interval.
func (s Strategy) OnEvent() bool { return s.Emit == "on-event" }

func (s Strategy) flink() (engine.Version, error) {
	if s.Version == "" {
		return engine.Latest, nil
	}
	return engine.ParseVersion(s.Version)
}

// Strategies collects the given strategies and those of a file. Without either, the base is the
// only one.
func Strategies(base Strategy, given []string, file string) ([]Strategy, error) {
	var all []Strategy
	if file != "" {
		fromFile, err := readStrategies(file, base)
		if err != nil {
			return nil, err
		}
		all = fromFile
	}
	for i, text := range given {
		s, err := parseStrategy(text, base)
		if err != nil {
			return nil, &request.Mistake{Setting: "strategy", Item: i, Err: err}
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		all = []Strategy{base}
	}
	seen := map[string]bool{}
	for _, s := range all {
		if err := s.Check(); err != nil {
			return nil, err
		}
		if seen[s.Name] {
			return nil, request.Badf("strategy %q is given twice", s.Name)
		}
		seen[s.Name] = true
	}
	return all, nil
}

// parseStrategy reads NAME=DELAY[,KEY=VALUE…] or NAME=KEY=VALUE[,…]. The error continues a
// sentence that begins with --strategy.
func parseStrategy(text string, base Strategy) (Strategy, error) {
	name, rest, ok := strings.Cut(text, "=")
	if !ok || name == "" || rest == "" {
		return base, fmt.Errorf("is %q; it takes NAME=DELAY[,KEY=VALUE…], as in sql=5s,dialect=sql", cut(text))
	}
	s := base
	s.Name = name
	for i, part := range strings.Split(rest, ",") {
		key, value, pair := strings.Cut(part, "=")
		if !pair && i == 0 {
			key, value = "delay", part
		} else if !pair {
			return s, fmt.Errorf("%s: %q is not KEY=VALUE", cut(name), cut(part))
		}
		if err := s.set(strings.TrimSpace(key), strings.TrimSpace(value)); err != nil {
			return s, fmt.Errorf("%s: %s", cut(name), request.Plain(err))
		}
	}
	return s, nil
}
