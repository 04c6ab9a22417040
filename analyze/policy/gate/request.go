// Package gate checks jobs, SQL and records against policies. A Request says what to read in addition to the
// policies; Run reads it, measures and replays what they ask for, and judges.
package gate

import (
	"context"

	"github.com/twmb/franz-go/pkg/sr"

	"tidemark/analyze"
	"tidemark/analyze/policy"
	"tidemark/engine/simulate"
	"tidemark/flinkapi"
	"tidemark/kafkastats/broker"
	"tidemark/request"
)

// DefaultPolicy is read where none is named.
const DefaultPolicy = "tidemark.yaml"

// Request asks for a run of the gate. Defaults gives one to begin with.
type Request struct {
	Given    request.Given // settings that were said: one that nothing uses is refused
	Tool     analyze.Tool
	Job      flinkapi.Reading
	Read     Reader        // reads the jobs in place of Job: their past; nil: Job is read
	Named    bool          // a cluster was named: it is read, whatever else is
	Policies []string      `flag:"policy" doc:"policy file (default ./tidemark.yaml); may repeat"`
	SQL      []string      `flag:"sql" doc:"SQL script to read; may repeat"`
	Gateway  string        `flag:"sql-gateway" doc:"SQL gateway that explains the scripts' queries; without it only CREATE TABLE is read"`
	Records  string        `flag:"records" doc:"measure this file of records in place of what delay.measured names"`
	Topic    string        `flag:"topic" doc:"measure this topic in place of what delay.measured names"`
	Replay   string        `flag:"replay" doc:"replay this file of records (kcat -J lines or CSV) in place of what replay names; without a policy with --expect"`
	Play     simulate.Play // of a replay that no policy describes; its limits are added to those of a policy

	Baseline string `flag:"baseline" doc:"JSON report of an earlier check (-o json): says what is new, fixed and unchanged since; the exit code stays that of this run" file:"true"`

	MinSeverity string `flag:"min-severity" words:"info,warning,critical" doc:"show failed results from this severity: info, warning or critical"`
	FailOn      string `flag:"fail-on" words:",none,info,warning,critical" doc:"severity that fails the run: none, info, warning or critical (default: the policy's, or warning)"`
}

// Defaults is a request for the policy of the folder.
func Defaults() Request { return Request{Play: simulate.Defaults().Play, MinSeverity: "info"} }

// Reader reads jobs; what it reads on the way goes to the watch.
type Reader func(context.Context, flinkapi.Reading, *Watch) (flinkapi.Captured, error)

// Access finds how the systems that a policy names are reached.
type Access interface {
	Kafka(brokers []string, config string) (broker.Options, error)
	Registry(url string, brokers []string, config string) (*sr.Client, error)
	Gateway(ctx context.Context, url string) (flinkapi.ClientOptions, error)
}

// Check refuses what cannot be met before anything is read.
func (r *Request) Check() error {
	if err := request.CheckWords(r); err != nil {
		return err
	}
	switch {
	case r.Records != "" && r.Topic != "":
		return request.Wrong("records", "and --topic exclude each other")
	case len(r.Play.Expect) > 0 && r.Replay == "":
		return request.Wrong("expect", "needs --replay FILE")
	case r.Gateway != "" && len(r.SQL) == 0:
		return request.Wrong("sql-gateway", "needs --sql FILE")
	}
	r.Job.Given = r.Given
	if r.Read != nil {
		return nil
	}
	return r.Job.Check()
}

// run is a request on its way.
type run struct {
	Request
	request.Process
	access   Access
	measured map[*policy.Measured]*measuring
	replayed map[*policy.Replay]*replaying
	changed  map[*policy.WhatIf]*changing
	captured []*flinkapi.Capture // of each job of the input, with that job alone
}

func (r Request) on(p request.Process, access Access) *run {
	return &run{Request: r, Process: p, access: access, measured: map[*policy.Measured]*measuring{}, replayed: map[*policy.Replay]*replaying{}, changed: map[*policy.WhatIf]*changing{}}
}

// Load reads policies. The error is a request.Mistake with everything that is wrong in them.
func Load(access Access, files []string) ([]*policy.Policy, error) {
	return Request{Policies: files}.on(request.Background(), access).load()
}

// Run loads the policies, reads what they are compared with, and judges. The error is a request.Mistake,
// or says why nothing could be judged; what is incomplete is part of the result.
func Run(ctx context.Context, p request.Process, access Access, req Request) (*policy.Run, error) {
	if err := req.Check(); err != nil {
		return nil, err
	}
	r := req.on(p, access)
	before, err := r.baseline()
	if err != nil {
		return nil, err
	}
	policies, err := r.load()
	if err != nil {
		return nil, err
	}
	if err := r.unused(policies); err != nil {
		return nil, err
	}
	in, err := r.read(ctx, policies)
	if err != nil {
		return nil, err
	}
	in.Baseline, in.BaselineFile = before, r.Baseline
	judged, err := policy.Evaluate(policies, in)
	return judged, request.Bad(err)
}

// playSettings are those of a replay that no policy describes, but for its limits.
func playSettings() []string {
	var names []string
	for _, s := range request.Settings(&simulate.Play{}) {
		if s.Name != "expect" {
			names = append(names, s.Name)
		}
	}
	return append(names, "schema-registry", "schema-registry-ca", "schema-registry-cert", "schema-registry-key")
}

func text(t *policy.Text) string {
	if t == nil {
		return ""
	}
	return t.Text
}

func texts(list []*policy.Text) []string {
	var out []string
	for _, t := range list {
		out = append(out, t.Text)
	}
	return out
}

func configOf(c *policy.Text) string {
	if c == nil {
		return ""
	}
	return beside(c.At, c.Text)
}

// kafka sets how Kafka is reached; what flags or the policy said of the rack stays.
func (r *run) kafka(to *broker.Options, d policy.Decoding) (err error) {
	rack := to.Rack
	*to, err = r.access.Kafka(texts(d.Brokers), configOf(d.Config))
	to.Rack = rack
	return err
}

func (r *run) registry(d policy.Decoding) (*sr.Client, error) {
	return r.access.Registry(text(d.Registry), texts(d.Brokers), configOf(d.Config))
}
