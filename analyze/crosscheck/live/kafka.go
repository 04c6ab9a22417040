package live

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/analyze/crosscheck"
	"tidemark/flinkapi"
	"tidemark/kafkastats/broker"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/record"
	"tidemark/kafkastats/topic"
	"tidemark/request"
)

// readLimit is how many records before a reader's offset are read of a partition unless --all.
const readLimit = 1_000_000

// beyond is how many records after a reader's offset are read: what the watermark gauge, read a moment
// later, may have seen of them, and whether anything waits.
const beyond = 2000

// kafkaTimeout bounds the reading of the topics.
const kafkaTimeout = 10 * time.Minute

// topicData is what was read for one source.
type topicData struct {
	partitions map[string]*crosscheck.PartitionData // by split id
	missing    string                               // why nothing was
}

// read fetches the records of every source, up to each reader's offset and a little beyond.
func (r *Request) read(ctx context.Context, p request.Process, sources []crosscheck.CrosscheckSource, e *decode.Reader) ([]topicData, error) {
	if len(r.Records) > 0 {
		return r.readFiles(ctx, p.In, sources, e)
	}
	conn, err := r.Connection.Opts()
	if err != nil {
		return nil, request.Bad(err)
	}
	ctx, cancel := context.WithTimeout(ctx, kafkaTimeout)
	defer cancel()
	out := make([]topicData, len(sources))
	for i, src := range sources {
		out[i].partitions = map[string]*crosscheck.PartitionData{}
		for _, label := range src.Topics {
			if err := r.readTopic(ctx, p, conn, src, label, e, out[i].partitions); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func (r *Request) readTopic(ctx context.Context, proc request.Process, conn []kgo.Opt, src crosscheck.CrosscheckSource, label string, e *decode.Reader, into map[string]*crosscheck.PartitionData) error {
	name, err := r.topicName(ctx, conn, label)
	if err != nil {
		return err
	}
	facts, err := topic.Describe(ctx, conn, name, false)
	if err != nil {
		return err
	}
	offsets := map[int32]int64{}
	for _, sp := range src.Splits {
		if sp.Topic == label {
			offsets[sp.Partition] = sp.Offset
		}
	}
	o := topic.Options{Conn: conn, Topic: name, TopicID: facts.ID}
	for _, p := range facts.Partitions() {
		d := &crosscheck.PartitionData{Topic: name, Partition: p, Start: facts.Start[p], End: facts.End[p], Complete: true, NowMs: proc.Now().UnixMilli()}
		into[fmt.Sprintf("%s-%d", label, p)] = d
		offset, read := offsets[p]
		if !read {
			continue
		}
		part := topic.Range{Partition: p, From: d.Start, To: min(d.End, max(offset+1, d.Start)+beyond)}
		if !r.All && offset-readLimit > d.Start {
			part.From, d.Complete = offset-readLimit, false
		}
		part.PreRoll = part.From
		if part.To > part.From {
			o.Ranges = append(o.Ranges, part)
		}
	}
	o.Progress = func(at topic.Progress) {
		proc.Step(fmt.Sprintf("reading topic %s: %d of %d offsets", name, at.Offsets, at.OffsetsTotal))
	}
	result, err := topic.Read(ctx, o, func(raw *record.Raw) error {
		id := fmt.Sprintf("%s-%d", label, raw.Partition)
		r.take(id, into[id], raw, e)
		return nil
	})
	if err != nil {
		return err
	}
	if result.Incomplete != "" {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("topic %q was not read to the end: %s", name, result.Incomplete)
	}
	return nil
}

// take adds a record to its partition; one without event time is counted.
func (r *Request) take(split string, d *crosscheck.PartitionData, raw *record.Raw, e *decode.Reader) {
	event, err := e.Of(raw)
	if err != nil {
		d.Unusable++
		return
	}
	arrival := raw.Timestamp
	if raw.Type == record.NoTimestamp {
		arrival = 0
	}
	d.Add(raw.Offset, arrival, event)
	if r.Hear != nil {
		r.Hear(split, raw, event)
	}
}

// topicName finds the topic behind a metric's label, in which some characters are underscores.
func (r *Request) topicName(ctx context.Context, conn []kgo.Opt, label string) (string, error) {
	for _, t := range r.Topics {
		if flinkapi.FilterName(t) == label || t == label {
			return t, nil
		}
	}
	if !strings.Contains(label, "_") {
		return label, nil
	}
	cl, err := kgo.NewClient(conn...)
	if err != nil {
		return "", fmt.Errorf("client of Kafka: %w", err)
	}
	defer cl.Close()
	all, err := kadm.NewClient(cl).ListTopics(ctx)
	if err != nil {
		return "", broker.Explain(fmt.Errorf("list topics: %w", err))
	}
	var found []string
	for _, name := range all.Names() {
		if flinkapi.FilterName(name) == label {
			found = append(found, name)
		}
	}
	switch len(found) {
	case 0:
		return label, nil // Describe says that it does not exist, and what is near
	case 1:
		return found[0], nil
	}
	return "", request.Wrong("topic", "is missing: the metrics name topic %s, which can be %s; say which", label, strings.Join(found, " or "))
}
