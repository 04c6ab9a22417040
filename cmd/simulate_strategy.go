package cmd

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tidemark/engine"
)

// strategySpec is a watermark strategy as flags and strategy files give it.
type strategySpec struct {
	name                  string
	kind                  string // bounded, ascending or none
	delay, interval, idle time.Duration
	dialect               string // datastream or sql
	emit                  string // on-periodic or on-event
	place                 string // source or downstream
	parallelism           int
	version               string // of Flink
}

// strategyKeys are what a strategy of a file, or of --strategy, may set.
var strategyKeys = []string{"name", "kind", "delay", "dialect", "emit", "interval", "idle-timeout", "place", "parallelism", "flink-version"}

func defaultStrategy() strategySpec {
	return strategySpec{name: "strategy", kind: "bounded", interval: 200 * time.Millisecond,
		dialect: "datastream", emit: "on-periodic", place: "source", parallelism: 1}
}

// addFlags adds what every strategy starts from; interval names the flag of the emission interval.
func (s *strategySpec) addFlags(c *cobra.Command, interval string) {
	*s = defaultStrategy()
	f := c.Flags()
	f.DurationVar(&s.delay, "delay", 0, "out-of-orderness bound (SQL: the delay of the WATERMARK clause)")
	f.StringVar(&s.kind, "kind", s.kind, "generator: bounded, ascending or none")
	f.StringVar(&s.dialect, "dialect", s.dialect, "datastream (max - delay - 1 ms) or sql (max - delay)")
	f.StringVar(&s.emit, "emit", s.emit, "when watermarks leave: on-periodic or on-event")
	f.DurationVar(&s.interval, interval, s.interval, "pipeline.auto-watermark-interval; 0 is off")
	f.DurationVar(&s.idle, "idle-timeout", 0, "idle timeout; 0 is none")
	f.StringVar(&s.place, "place", s.place, "source (a generator a split) or downstream (one a subtask)")
	f.IntVar(&s.parallelism, "parallelism", s.parallelism, "source subtasks")
	f.StringVar(&s.version, "flink-version", "", "Flink whose behaviour counts (default: the newest known)")
	fixed(c, "kind", "bounded", "ascending", "none")
	fixed(c, "dialect", "datastream", "sql")
	fixed(c, "emit", "on-periodic", "on-event")
	fixed(c, "place", "source", "downstream")
}

// set gives one key a value; the error does not name the strategy.
func (s *strategySpec) set(key, value string) (err error) {
	switch key {
	case "name":
		s.name = value
	case "kind":
		s.kind = value
	case "delay":
		s.delay, err = duration(key, value)
	case "dialect":
		s.dialect = value
	case "emit":
		s.emit = value
	case "interval", "emit-interval":
		s.interval, err = duration(key, value)
	case "idle-timeout":
		s.idle, err = duration(key, value)
	case "place":
		s.place = value
	case "parallelism":
		if s.parallelism, err = strconv.Atoi(value); err != nil {
			return usagef("parallelism is %q; it takes a whole number", value)
		}
	case "flink-version":
		s.version = value
	default:
		return usagef("unknown key %q; near: %s", cut(key), strings.Join(near(key, strategyKeys, 2), ", "))
	}
	return err
}

// cut bounds a key that is quoted in a message.
func cut(s string) string { return s[:min(len(s), 40)] }

var flinkDuration = regexp.MustCompile(`^(\d{1,18})\s*(ms|s|sec|min|h|d)$`)

// duration reads Go's form ("1m30s") and Flink's ("90 s", "2 min", "1 d").
func duration(key, value string) (time.Duration, error) {
	if d, err := time.ParseDuration(value); err == nil {
		return d, nil
	}
	if m := flinkDuration.FindStringSubmatch(value); m != nil {
		units := map[string]time.Duration{"ms": time.Millisecond, "s": time.Second, "sec": time.Second, "min": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
		unit := units[m[2]]
		if n, err := strconv.ParseInt(m[1], 10, 64); err == nil && n <= int64(math.MaxInt64)/int64(unit) {
			return time.Duration(n) * unit, nil
		}
	}
	return 0, usagef("%s is %q; it takes a duration such as 5s or 2 min", key, cut(value))
}

// check refuses what Flink's own builders refuse.
func (s strategySpec) check() error {
	for _, e := range []error{
		oneOf("kind", s.kind, "bounded", "ascending", "none"),
		oneOf("dialect", s.dialect, "datastream", "sql"),
		oneOf("emit", s.emit, "on-periodic", "on-event"),
		oneOf("place", s.place, "source", "downstream"),
	} {
		if e != nil {
			return usagef("strategy %q: %w", s.name, e)
		}
	}
	for _, d := range []struct {
		key string
		d   time.Duration
	}{{"delay", s.delay}, {"interval", s.interval}, {"idle-timeout", s.idle}} {
		if d.d%time.Millisecond != 0 {
			return usagef("strategy %q: %s is %s; Flink counts in whole milliseconds", s.name, d.key, d.d)
		}
	}
	if s.parallelism < 1 || s.parallelism > 1<<15 {
		return usagef("strategy %q: parallelism is %d; Flink takes 1 to 32768", s.name, s.parallelism)
	}
	if _, err := s.flink(); err != nil {
		return usagef("strategy %q: %w", s.name, err)
	}
	if err := s.engine().Validate(); err != nil {
		return usagef("strategy %q: %w", s.name, err)
	}
	return nil
}

func (s strategySpec) engine() engine.Strategy {
	kinds := map[string]engine.Kind{"bounded": engine.BoundedOutOfOrderness, "ascending": engine.Ascending, "none": engine.NoWatermarks}
	return engine.Strategy{Kind: kinds[s.kind], BoundMs: s.delay.Milliseconds(), SQL: s.sql(),
		EmitOnEvent: s.emit == "on-event", IntervalMs: s.interval.Milliseconds(), IdleMs: s.idle.Milliseconds()}
}

func (s strategySpec) sql() bool { return s.dialect == "sql" }

func (s strategySpec) flink() (engine.Version, error) {
	if s.version == "" {
		return engine.Latest, nil
	}
	return engine.ParseVersion(s.version)
}

// strategiesOf collects the strategies of the flags and of a file. Without either the flags alone
// are one strategy.
func strategiesOf(base strategySpec, given []string, file string) ([]strategySpec, error) {
	var all []strategySpec
	if file != "" {
		fromFile, err := readStrategies(file, base)
		if err != nil {
			return nil, err
		}
		all = fromFile
	}
	for _, text := range given {
		s, err := parseStrategy(text, base)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		all = []strategySpec{base}
	}
	seen := map[string]bool{}
	for _, s := range all {
		if err := s.check(); err != nil {
			return nil, err
		}
		if seen[s.name] {
			return nil, usagef("strategy %q is given twice", s.name)
		}
		seen[s.name] = true
	}
	return all, nil
}

// parseStrategy reads NAME=DELAY[,KEY=VALUE…] or NAME=KEY=VALUE[,…].
func parseStrategy(text string, base strategySpec) (strategySpec, error) {
	name, rest, ok := strings.Cut(text, "=")
	if !ok || name == "" || rest == "" {
		return base, usagef("--strategy is %q; it takes NAME=DELAY[,KEY=VALUE…], as in sql=5s,dialect=sql", text)
	}
	s := base
	s.name = name
	for i, part := range strings.Split(rest, ",") {
		key, value, pair := strings.Cut(part, "=")
		if !pair && i == 0 {
			key, value = "delay", part
		} else if !pair {
			return s, usagef("--strategy %s: %q is no KEY=VALUE", name, part)
		}
		if err := s.set(strings.TrimSpace(key), strings.TrimSpace(value)); err != nil {
			return s, usagef("--strategy %s: %w", name, err)
		}
	}
	return s, nil
}
