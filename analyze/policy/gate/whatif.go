package gate

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"tidemark/analyze/policy"
	"tidemark/analyze/whatif"
	"tidemark/flinkapi"
	"tidemark/request"
)

// changing is a change of a rule, as whatif plays it.
type changing struct {
	request whatif.Request
	places  places
}

// changeFor is the change by what the policy says. The job is set later, once a job was read.
func (r *run) changeFor(w *policy.WhatIf) (*changing, error) {
	q := &changing{request: whatif.Defaults()}
	req := &q.request
	var err error
	if req.Given, q.places, err = fill(req, policy.Settings(w), nil); err != nil {
		return q, err
	}
	if req.EventTime.Registry, err = r.registry(w.Decoding); err != nil {
		return q, err
	}
	if err := req.Check(); err != nil || len(req.Records) > 0 {
		return q, err
	}
	return q, r.kafka(&req.Connection, w.Decoding)
}

// changes plays the changes that rules demand of a job that was read.
func (r *run) changes(ctx context.Context, policies []*policy.Policy, in *policy.Input) error {
	for _, p := range policies {
		for _, rule := range p.Jobs {
			if rule.WhatIf == nil {
				continue
			}
			for i := range in.Jobs {
				if !rule.Name.Match(in.Jobs[i].Report.Name) {
					continue
				}
				out, err := r.change(ctx, rule.WhatIf, r.captured[i])
				if err != nil {
					return err
				}
				if in.Jobs[i].WhatIfs == nil {
					in.Jobs[i].WhatIfs = map[*policy.WhatIf]policy.WhatIfOutcome{}
				}
				in.Jobs[i].WhatIfs[rule.WhatIf] = out
				if source := (policy.Source{Kind: "records", Name: out.Source}); !slices.Contains(in.Sources, source) {
					in.Sources = append(in.Sources, source)
				}
			}
		}
	}
	return nil
}

// change plays one change of one job.
func (r *run) change(ctx context.Context, w *policy.WhatIf, job *flinkapi.Capture) (policy.WhatIfOutcome, error) {
	q := r.changed[w]
	req := q.request
	out := policy.WhatIfOutcome{Source: "the topics of the job"}
	if len(req.Records) > 0 {
		out.Source = strings.Join(req.Records, ", ")
	}
	for i, path := range req.Records {
		if _, err := os.Stat(path); path != "-" && errors.Is(err, fs.ErrNotExist) {
			return out, mistake(q.places.item("records", i, w.At), "whatif", err)
		}
	}
	req.Job = flinkapi.Reading{Jobs: []string{job.Jobs[0].ID}, Taken: &flinkapi.Captured{Captures: []*flinkapi.Capture{job}}}
	found, _, err := whatif.Run(ctx, r.Process, req)
	var wrong *request.Mistake
	switch {
	case ctx.Err() != nil && err != nil:
		return out, ctx.Err()
	case errors.As(err, &wrong):
		return out, request.Bad(policy.Errors{q.places.mistake("whatif", err, w.At)})
	case err != nil:
		out.Err = err.Error()
		return out, nil
	}
	if out.Err = found.Refusal(); out.Err != "" {
		return out, nil
	}
	out.Gauges = found.Fit.Compared
	for _, e := range found.Expected {
		one := policy.Expectation{Text: e.Text, Window: e.Operator, Met: e.Met, Unknown: e.Unknown, Actual: e.Actual, At: q.places.item("expect", e.Item, w.At)}
		if len(found.Columns) > 2 && !e.Named {
			one.Column = e.Column
		}
		out.Expectations = append(out.Expectations, one)
	}
	return out, nil
}
