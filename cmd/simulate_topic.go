package cmd

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/flinkapi"
	"tidemark/kafkastats/record"
	"tidemark/kafkastats/topic"
)

// topicSample is how many records of a topic are simulated unless --last says otherwise. They are held
// in memory, since the partitions of a topic do not come in order of arrival.
const topicSample = 1_000_000

// sampledTopic reads the last records of a topic from its broker.
type sampledTopic struct {
	conn     []kgo.Opt
	facts    topic.Facts
	last     int64
	progress func(flinkapi.Progress)
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
			s.progress(flinkapi.Progress{Step: fmt.Sprintf("reading topic %s: %d of %d offsets", s.facts.Topic, p.Offsets, p.OffsetsTotal)})
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

// simulateTopic runs the strategies over the last records of a topic, with all of its partitions.
func simulateTopic(ctx context.Context, g *globals, o simulateOptions) error {
	source, err := o.openTopic(ctx, g)
	if err != nil {
		return err
	}
	p := g.progress()
	defer p.done()
	source.progress = p.show
	return simulate(ctx, g, o, source, false, "topic "+o.topic)
}

// openTopic describes the topic, and sets what reading one asks of the options.
func (o *simulateOptions) openTopic(ctx context.Context, g *globals) (sampledTopic, error) {
	k := kafkaOptions{brokers: o.brokers, properties: o.properties}
	conn, err := k.connect(g)
	if err != nil {
		return sampledTopic{}, err
	}
	facts, err := topic.Describe(ctx, conn, o.topic, false)
	if err != nil {
		return sampledTopic{}, err
	}
	o.sort, o.partitions = true, len(facts.Partitions())
	return sampledTopic{conn: conn, facts: facts, last: o.last}, nil
}
