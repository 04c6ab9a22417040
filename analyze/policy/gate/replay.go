package gate

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"tidemark/analyze/policy"
	"tidemark/engine/simulate"
	"tidemark/flinkapi"
	"tidemark/request"
)

// replayName is the rule of a replay that the command line alone describes.
const replayName = "replay"

// alone is a policy of one rule, for a replay without a policy file.
func (r *run) alone() *policy.Policy {
	at := policy.Location{File: "--replay"}
	rule := &policy.Rule{Name: &policy.Pattern{Text: replayName}, Replay: &policy.Replay{}}
	rule.At, rule.Replay.At = at, at
	p := &policy.Policy{Jobs: []*policy.Rule{rule}, Require: []*policy.Word{}}
	p.At = at
	return p
}

// replaying is a replay of a rule.
type replaying struct {
	request simulate.Request
	places  places
}

// keysOfReplay are the settings that a policy writes under another name.
var keysOfReplay = map[string]string{"windows": "window"}

// replayFor is the replay as simulate runs it, by what the policy says; --replay replaces the
// source that it names, and the limits of the command line come after those of the policy.
func (r *run) replayFor(rule *policy.Rule) (*replaying, error) {
	p := rule.Replay
	q := &replaying{request: simulate.Defaults()}
	req := &q.request
	var err error
	if p.Strategy == nil {
		req.Play, req.Given = r.Play, r.Request.Given
	} else {
		req.Base.Name = "replay"
		if d := rule.Delay; d != nil && d.Declared != nil && (p.Strategy.Kind == nil || p.Strategy.Kind.Text == req.Base.Kind) {
			req.Base.Delay = time.Duration(d.Declared.Ms) * time.Millisecond
		}
		req.Given, q.places, err = fill(req, append(policy.Settings(p), policy.Settings(p.Strategy)...), keysOfReplay)
		if err != nil {
			return q, err
		}
		q.places.at("strategy", p.Strategy.At)
		req.Expect = append(req.Expect, r.Play.Expect...)
	}
	if r.Replay != "" {
		req.Records.Path, req.Topic = r.Replay, ""
		if p.Strategy != nil {
			req.Given = nil
		}
	}
	if p.Strategy != nil {
		if req.EventTime.Registry, err = r.registry(p.Decoding); err != nil {
			return q, err
		}
	}
	if err := req.Check(); err != nil || req.Records.Path != "" {
		return q, err
	}
	return q, r.kafka(&req.Connection, p.Decoding)
}

// replays runs every replay of the policies.
func (r *run) replays(ctx context.Context, policies []*policy.Policy, in *policy.Input) error {
	in.Replays = map[*policy.Replay]policy.ReplayOutcome{}
	for _, p := range policies {
		for _, rule := range p.Jobs {
			if rule.Replay == nil || r.Replay == "" && in.LeavesOut(rule) {
				continue
			}
			q := r.replayed[rule.Replay]
			out, err := r.replayOne(ctx, rule.Replay, q)
			if err != nil {
				return err
			}
			in.Replays[rule.Replay] = out
			kind := "records"
			if q.request.Records.Path == "" {
				kind = "topic"
			}
			in.Sources = append(in.Sources, policy.Source{Kind: kind, Name: strings.TrimPrefix(out.Source, "topic ")})
		}
	}
	return nil
}

func (r *run) replayOne(ctx context.Context, p *policy.Replay, q *replaying) (policy.ReplayOutcome, error) {
	out := policy.ReplayOutcome{Source: q.request.Source()}
	if path := q.request.Records.Path; path != "" && path != "-" {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return out, mistake(p.At, "replay", err)
		}
	}
	d, err := simulate.Run(ctx, r.Process, q.request)
	var wrong *request.Mistake
	switch {
	case ctx.Err() != nil && err != nil:
		return out, ctx.Err()
	case errors.As(err, &wrong) && p.Strategy != nil:
		return out, request.Bad(policy.Errors{q.places.mistake("replay", err, p.At)})
	case errors.As(err, &wrong):
		return out, err
	case err != nil:
		out.Err = err.Error()
		return out, nil
	}
	out.Records = d.Input.Records
	for _, e := range d.Expectations {
		at := q.places.item("expect", e.Item, p.At)
		out.Expectations = append(out.Expectations, policy.Expectation{Text: e.Text, Window: e.Window, Met: e.Met, Actual: e.Actual, At: at})
	}
	return out, nil
}

// prepare makes the requests of a policy and gives what is wrong with them, before anything is read.
func (r *run) prepare(p *policy.Policy) policy.Errors {
	var es policy.Errors
	add := func(err error, places places, at policy.Location, what string) {
		if err != nil {
			es = append(es, places.mistake(what, err, at))
		}
	}
	for _, rule := range p.Jobs {
		if w := rule.WhatIf; w != nil {
			q, err := r.changeFor(w)
			r.changed[w] = q
			add(err, q.places, w.At, "whatif")
		}
		if d := rule.Delay; d != nil && d.Measured != nil && d.Measured.Value == nil {
			q, err := r.measurementFor(d)
			r.measured[d.Measured] = q
			add(err, q.places, d.Measured.At, "measured")
		}
		if t := rule.Replay; t != nil && t.Strategy != nil {
			q, err := r.replayFor(rule)
			r.replayed[t] = q
			add(err, q.places, t.At, "replay")
		}
	}
	return es
}

// unused refuses sources that no rule of the policies takes, and how a cluster is read where none is.
func (r *run) unused(policies []*policy.Policy) error {
	if len(r.Job.From) == 0 && !r.live(policies) {
		given := r.Request.Given
		if err := given.Unused("no job is read", "interval", "once"); err != nil {
			return err
		}
		if r.Gateway == "" { // whose connection they are
			if err := given.Unused("no cluster is read", flinkapi.ClusterSettings...); err != nil {
				return err
			}
		}
	}
	if len(r.Job.From) > 0 && len(r.measured)+len(r.replayed)+len(r.changed) == 0 {
		if err := r.Request.Given.Unused("a recording is read, and neither a cluster nor a broker", "context"); err != nil {
			return err
		}
	}
	if (r.Records != "" || r.Topic != "") && len(r.measured) == 0 {
		return r.Request.Given.Unused("no rule of the policy has a delay with measured", "records", "topic")
	}
	if r.Replay != "" && len(r.replayed) == 0 {
		return request.Badf("--replay: no rule of the policy has a replay that says strategy and expect; write one, or leave the policy out and give --expect")
	}
	return nil
}
