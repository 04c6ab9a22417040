package gate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"strings"

	"tidemark/analyze/policy"
	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/recommend"
	"tidemark/request"
)

// measuring is a measurement that a delay is compared with.
type measuring struct {
	request recommend.Request
	places  places
	kind    string // records, topic or profile
	name    string // of the source
}

// measurementFor is the measurement as recommend makes it, by what the policy says. --records and
// --topic replaces the source that it names; what it says of that source goes with it.
func (r *run) measurementFor(d *policy.Delay) (*measuring, error) {
	m := d.Measured
	q := &measuring{request: recommend.Defaults(), kind: "profile"}
	req := &q.request
	req.NoReplay, req.Demand.Late = true, "p99.9"
	var err error
	if req.Given, q.places, err = fill(req, policy.Settings(m), nil); err != nil {
		return q, err
	}
	q.places.at("target-late", m.At)
	if d.Covers != nil {
		req.Demand.Late = d.Covers.Text
		q.places.at("target-late", d.Covers.At)
	}
	if m.Topic != nil {
		req.Topic = m.Topic.Text
	}
	if r.Records != "" || r.Topic != "" {
		req.Records.Path, req.Topic, req.Profiles, req.Given = r.Records, r.Topic, nil, nil
	}
	switch {
	case req.Records.Path != "":
		q.kind, q.name = "records", req.Records.Path
	case req.Topic != "":
		q.kind, q.name = "topic", req.Topic
	default:
		q.name = strings.Join(req.Profiles, ", ")
		for _, s := range request.Settings(&req.EventTime) {
			delete(req.Given, s.Name) // they count where --records or --topic replaces the profile
		}
		return q, req.Check()
	}
	if req.EventTime.Registry, err = r.registry(m.Decoding); err != nil {
		return q, err
	}
	if err := req.Check(); err != nil || q.kind != "topic" {
		return q, err
	}
	return q, r.kafka(&req.Kafka.Connection, m.Decoding)
}

// measure reads what each delay is compared with.
func (r *run) measure(ctx context.Context, policies []*policy.Policy, in *policy.Input) error {
	in.Measured = map[*policy.Measured]policy.Measurement{}
	for _, p := range policies {
		for _, rule := range p.Jobs {
			if rule.Delay == nil || rule.Delay.Measured == nil || in.LeavesOut(rule) {
				continue
			}
			m := rule.Delay.Measured
			if m.Value != nil {
				in.Measured[m] = policy.Measurement{Source: "the policy", NeedMs: m.Value.Ms, NeedSQLMs: m.Value.Ms}
				continue
			}
			q := r.measured[m]
			found, err := r.measureOne(ctx, m, q)
			if err != nil {
				return err
			}
			in.Measured[m] = found
			in.Sources = append(in.Sources, policy.Source{Kind: q.kind, Name: q.name, Note: fmt.Sprintf("%d records", found.Records)})
		}
	}
	return nil
}

// measureOne gives the need for the percentile of a delay. A file that is not there is a mistake of
// the policy; a broker that does not answer leaves the run incomplete.
func (r *run) measureOne(ctx context.Context, m *policy.Measured, q *measuring) (policy.Measurement, error) {
	res, err := recommend.Run(ctx, r.Process, q.request)
	name := q.name
	if q.kind == "topic" {
		name = "topic " + name
	}
	var wrong *request.Mistake
	switch {
	case ctx.Err() != nil:
		return policy.Measurement{}, ctx.Err()
	case errors.As(err, &wrong):
		return policy.Measurement{}, request.Bad(policy.Errors{q.places.mistake("measured", err, m.At)})
	case errors.Is(err, fs.ErrNotExist), err != nil && q.kind != "topic":
		return policy.Measurement{}, mistake(m.At, "measured", err)
	case err != nil:
		return policy.Measurement{Source: name, Err: err.Error()}, nil
	}
	return measurementOf(name, res), nil
}

// measurementOf keeps what a policy asks of a recommendation. Where more records cannot be read than the
// percentile leaves out, any of them may be late.
func measurementOf(name string, res recommend.Result) policy.Measurement {
	r, late := res.Recommendation, res.Target.Fraction()
	m := policy.Measurement{Source: name, NeedMs: r.Advice.DataStreamMs, NeedSQLMs: r.Advice.SQLMs, Records: r.Records,
		LastMs: res.LastArrival, Field: r.EventTime.Field, Partitions: len(r.Partitions), MixedUnits: mixedUnits(res.Units)}
	switch r.Advice.Verdict {
	case advise.Choose, advise.FixTimestamps, advise.NoProgress, advise.InsufficientEvidence:
		m.Thin = r.Advice.Reason
	}
	if r.Records == 0 {
		m.Thin = "it has no usable record"
	}
	if c := r.Counters; m.Thin == "" {
		unread := c.Missing + c.Undecodable + c.Sentinel
		if float64(unread) > late*float64(unread+c.Records) {
			m.Thin = fmt.Sprintf("%d of %d records have no event time that can be read, more than the percentile leaves out", unread, unread+c.Records)
		}
	}
	if r.Advice.LatencyP99Ms != nil {
		m.SpentMs, m.SpentKnown = *r.Advice.LatencyP99Ms-r.Advice.RoundedMs, true
	}
	if u := r.EventTime.Unit; u != "auto" && u != "text" {
		m.Unit = u
	}
	if z := r.EventTime.Zone; z != "" && !(r.EventTime.Detected && z == "UTC") {
		m.Zone = z
	}
	return m
}

// mixedUnits writes the units that records of one field suggest.
func mixedUnits(classes map[string]uint64) string {
	var parts []string
	for unit, n := range classes {
		parts = append(parts, fmt.Sprintf("%s in %d records", unit, n))
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}
