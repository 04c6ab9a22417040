package simulate

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/kafkastats/record"
	"tidemark/kafkastats/topic"
	"tidemark/request"
)

// sampledTopic reads the last records of a topic from its broker.
type sampledTopic struct {
	conn  []kgo.Opt
	facts topic.Facts
	last  int64
	step  func(string)
}

// Read implements record.Source.
func (s sampledTopic) Read(ctx context.Context, yield func(*record.Raw) error) error {
	plan, err := topic.Plan(ctx, s.conn, s.facts, topic.Sample{Last: s.last})
	if err != nil {
		return err
	}
	for _, ranges := range plan.Segments {
		for i := range ranges {
			ranges[i].PreRoll = ranges[i].From // what came before was not read by the job that is simulated
		}
		result, err := topic.Read(ctx, topic.Options{Conn: s.conn, Topic: s.facts.Topic, TopicID: s.facts.ID, Ranges: ranges, Progress: func(p topic.Progress) {
			s.step(fmt.Sprintf("reading topic %s: %d of %d offsets", s.facts.Topic, p.Offsets, p.OffsetsTotal))
		}}, yield)
		if err != nil {
			return err
		}
		if result.Incomplete != "" {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("topic %q was not read to the end: %s", s.facts.Topic, result.Incomplete)
		}
	}
	return nil
}

// open describes the topic, and sets what reading one asks of the request.
func (r *Request) open(ctx context.Context, p request.Process) (sampledTopic, error) {
	conn, err := r.Connection.Opts()
	if err != nil {
		return sampledTopic{}, request.Bad(err)
	}
	facts, err := topic.Describe(ctx, conn, r.Topic, false)
	if err != nil {
		return sampledTopic{}, err
	}
	r.Sort, r.Partitions = true, len(facts.Partitions())
	return sampledTopic{conn: conn, facts: facts, last: r.Last, step: p.Step}, nil
}
