package simulate

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/kafkastats/record"
	"tidemark/kafkastats/topic"
	"tidemark/request"
)

// sampledTopic reads a part of a topic from its brokers.
type sampledTopic struct {
	conn  []kgo.Opt
	facts topic.Facts
	part  record.Part
	short bool // the part has more records than are held without being told to
	step  func(string)
}

// plan lays out the part, the end of it where it is longer than topicSample and nobody said how much to take.
func (s *sampledTopic) plan(ctx context.Context) (topic.Layout, error) {
	plan, err := topic.Plan(ctx, s.conn, s.facts, topic.Sample{Part: s.part})
	if err != nil || s.part.Last > 0 {
		return plan, err
	}
	offsets := int64(0)
	for _, r := range plan.Segments[0] {
		offsets += r.To - r.From
	}
	if s.short = offsets > topicSample; s.short {
		s.part.Last = topicSample
		return topic.Plan(ctx, s.conn, s.facts, topic.Sample{Part: s.part})
	}
	return plan, nil
}

// Read implements record.Source.
func (s *sampledTopic) Read(ctx context.Context, yield func(*record.Raw) error) error {
	plan, err := s.plan(ctx)
	if err != nil {
		return err
	}
	ranges := plan.Segments[0]
	for i := range ranges {
		ranges[i].PreRoll = ranges[i].From // what came before was not read by the job that is simulated
	}
	result, err := topic.Read(ctx, topic.Options{Conn: s.conn, Topic: s.facts.Topic, TopicID: s.facts.ID, Ranges: ranges, Progress: func(p topic.Progress) {
		s.step(fmt.Sprintf("reading topic %s: %d of %d offsets", s.facts.Topic, p.Offsets, p.OffsetsTotal))
	}}, yield)
	switch {
	case err != nil:
		return err
	case result.Incomplete == "":
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return fmt.Errorf("topic %q was not read to the end: %s", s.facts.Topic, result.Incomplete)
}

// open describes the topic, and sets what reading one asks of the request.
func (r *Request) open(ctx context.Context, p request.Process, part record.Part) (*sampledTopic, error) {
	conn, err := r.Connection.Opts()
	if err != nil {
		return nil, request.Bad(err)
	}
	facts, err := topic.Describe(ctx, conn, r.Topic, false)
	if err != nil {
		return nil, err
	}
	r.Sort, r.Partitions = true, len(facts.Partitions())
	return &sampledTopic{conn: conn, facts: facts, part: part, step: p.Step}, nil
}
