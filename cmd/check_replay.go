package cmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"tidemark/analyze/policy"
	"tidemark/kafkastats/record"
)

// replayName is the rule of a replay that the command line alone describes.
const replayName = "replay"

// replayPolicy is a policy of one rule, for a replay without a policy file.
func (o *checkOptions) replayPolicy() (*policy.Policy, error) {
	at := policy.Location{File: "--replay"}
	name := &policy.Pattern{Text: replayName}
	r := &policy.Rule{Name: name, Replay: &policy.Replay{Records: &policy.Text{Text: o.replay}}}
	r.At, r.Replay.At = at, at
	p := &policy.Policy{Jobs: []*policy.Rule{r}, Require: []*policy.Word{}}
	p.At = at
	s := o.strategy
	s.expect = o.expect
	_, err := s.contest()
	return p, err
}

// checkReplays finds what is wrong with the replays of a policy before any record is read.
func checkReplays(p *policy.Policy) policy.Errors {
	var es policy.Errors
	for _, r := range p.Jobs {
		if r.Replay == nil {
			continue
		}
		s, at, err := replayOptions(r)
		if err == nil {
			_, err = s.contest()
			at = placeOf(r.Replay, err)
		}
		if err == nil {
			at = r.Replay.At
			_, columns := recordFile(text(r.Replay.Records), false, nil)
			err = s.time.prepare(context.Background(), settingsOnly, columns)
		}
		if err != nil {
			es = append(es, policy.Error{At: at, Text: "replay: " + strings.TrimPrefix(err.Error(), "--")})
		}
	}
	return es
}

// placeOf finds the value that an error of the contest quotes.
func placeOf(r *policy.Replay, err error) policy.Location {
	if err == nil {
		return r.At
	}
	for _, list := range [][]*policy.Text{r.Expect, r.Windows} {
		for _, t := range list {
			for _, one := range strings.Split(t.Text, ",") {
				if strings.Contains(err.Error(), strings.TrimSpace(one)) {
					return t.At
				}
			}
		}
	}
	return r.Strategy.At
}

// replayOptions is a replay as `tidemark simulate` would run it.
func replayOptions(rule *policy.Rule) (simulateOptions, policy.Location, error) {
	r := rule.Replay
	s := simulateOptions{base: defaultStrategy(), windows: texts(r.Windows), expect: texts(r.Expect), tail: time.Second, last: topicSample,
		topic: text(r.Topic), brokers: texts(r.Brokers), properties: text(r.Config), sort: r.Sort != nil && r.Sort.On}
	s.time = eventTime{decodeFlags: decodeFlags{separator: ",", unit: "ms", zone: "UTC", field: text(r.Field)}}
	s.base.name = "replay"
	if d := rule.Delay; d != nil && d.Declared != nil {
		s.base.delay = time.Duration(d.Declared.Ms) * time.Millisecond
	}
	word := func(w *policy.Word, into *string) {
		if w != nil {
			*into = w.Text
		}
	}
	span := func(d *policy.Duration, into *time.Duration) {
		if d != nil {
			*into = time.Duration(d.Ms) * time.Millisecond
		}
	}
	count := func(c *policy.Count, into *int) {
		if c != nil {
			*into = int(min(c.N, 1<<30))
		}
	}
	word(r.Format, &s.time.format)
	word(r.Unit, &s.time.unit)
	if r.Zone != nil {
		s.time.zone = r.Zone.Text
	}
	count(r.Partitions, &s.partitions)
	span(r.Lateness, &s.lateness)
	span(r.Tail, &s.tail)
	if r.Last != nil {
		s.last = max(1, r.Last.N)
	}
	t := r.Strategy
	word(t.Kind, &s.base.kind)
	span(t.Delay, &s.base.delay)
	word(t.Dialect, &s.base.dialect)
	word(t.Emit, &s.base.emit)
	span(t.Interval, &s.base.interval)
	span(t.IdleTimeout, &s.base.idle)
	word(t.Place, &s.base.place)
	count(t.Parallelism, &s.base.parallelism)
	s.base.version = text(t.Version)
	switch {
	case s.tail > 30*24*time.Hour:
		return s, r.Tail.At, usagef("tail is %s; it takes at most 30 days", s.tail)
	case s.partitions > 100_000:
		return s, r.Partitions.At, usagef("partitions is %d; it takes at most 100000", s.partitions)
	}
	return s, t.At, nil
}

// replays runs every replay of the policies.
func (o *checkOptions) replays(ctx context.Context, g *globals, policies []*policy.Policy, in *policy.Input) error {
	in.Replays = map[*policy.Replay]policy.ReplayOutcome{}
	replayed := false
	for _, p := range policies {
		for _, rule := range p.Jobs {
			if rule.Replay == nil || o.replay == "" && in.LeavesOut(rule) {
				continue
			}
			out, err := o.replayOne(ctx, g, rule)
			if err != nil {
				return err
			}
			replayed = true
			in.Replays[rule.Replay] = out
			in.Sources = append(in.Sources, policy.Source{Kind: replayKind(o, rule.Replay), Name: strings.TrimPrefix(out.Source, "topic ")})
		}
	}
	if o.replay != "" && !replayed {
		return usagef("--replay: no rule of the policy has a replay that says strategy and expect; write one, or leave the policy out and give --expect")
	}
	return nil
}

func replayKind(o *checkOptions, r *policy.Replay) string {
	if o.replay == "" && r.Topic != nil {
		return "topic"
	}
	return "records"
}

func (o *checkOptions) replayOne(ctx context.Context, g *globals, rule *policy.Rule) (policy.ReplayOutcome, error) {
	s, r := o.strategy, rule.Replay
	s.tail, s.last = time.Second, topicSample
	if r.Strategy != nil {
		s, _, _ = replayOptions(rule) // checked when the policy was read
	}
	extra := len(s.expect)
	s.expect = append(s.expect, o.expect...)
	out := policy.ReplayOutcome{}
	var source record.Source
	columns := false
	switch {
	case o.replay != "" || r.Records != nil:
		path := o.replay
		if path == "" {
			path = beside(r.At, r.Records.Text)
		}
		out.Source = sourceName(path)
		if _, err := os.Stat(path); path != "-" && errors.Is(err, fs.ErrNotExist) {
			return out, usageError{policy.Errors{{At: r.At, Text: "replay: " + err.Error()}}}
		}
		source, columns = recordFile(path, false, g.In)
		s.topic = ""
	default:
		out.Source = "topic " + s.topic
		opened, err := s.openTopic(ctx, g)
		if err != nil {
			return stopped(ctx, out, err)
		}
		p := g.progress()
		defer p.done()
		opened.progress = p.show
		source = opened
	}
	d, err := runContest(ctx, g.env, s, source, columns, out.Source)
	if err != nil {
		return stopped(ctx, out, err)
	}
	out.Records = d.Input.Records
	for _, e := range d.Expectations {
		out.Expectations = append(out.Expectations, policy.Expectation{Text: e.Text, Window: e.Window, Met: e.Met, Actual: e.Actual, At: expectedAt(r, e.Text, extra)})
	}
	return out, nil
}

// stopped is a replay that did not come to its end: a mistake in its settings, or input that cannot be read.
func stopped(ctx context.Context, out policy.ReplayOutcome, err error) (policy.ReplayOutcome, error) {
	var usage usageError
	if ctx.Err() != nil || errors.As(err, &usage) {
		return out, err
	}
	out.Err = err.Error()
	return out, nil
}

// expectedAt is the line of the policy that asks for a limit.
func expectedAt(r *policy.Replay, limit string, inPolicy int) policy.Location {
	for i, t := range r.Expect {
		if i < inPolicy && strings.Contains(t.Text, limit) {
			return t.At
		}
	}
	return r.At
}

// readRuleFiles reads the Prometheus rules that the policies name. A file that is not there is a
// mistake of the policy.
func readRuleFiles(policies []*policy.Policy, in *policy.Input) error {
	in.RuleFiles = map[string]policy.RuleFile{}
	for _, p := range policies {
		for _, r := range p.Jobs {
			if r.Alerts == nil {
				continue
			}
			for _, file := range r.Alerts.Rules {
				body, err := readSmall(beside(file.At, file.Text), 10*policy.MaxSize)
				if err != nil {
					return usageError{policy.Errors{{At: file.At, Text: "rules: " + err.Error()}}}
				}
				in.RuleFiles[file.Text] = policy.ParseRuleFile(body)
				in.Sources = append(in.Sources, policy.Source{Kind: "rules", Name: file.Text})
			}
		}
	}
	return nil
}
