package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/analyze/crosscheck"
	"tidemark/flinkapi"
	"tidemark/kafkastats/broker"
	"tidemark/kafkastats/record"
	"tidemark/kafkastats/topic"
)

// readLimit is how many records before a reader's offset are read of a partition unless --all.
const readLimit = 1_000_000

// beyond is how many records after a reader's offset are read: what the watermark gauge, read a moment
// later, may have seen of them, and whether anything waits.
const beyond = 2000

// kafkaTimeout bounds the reading of the topics.
const kafkaTimeout = 10 * time.Minute

// kafkaOptions say where the records of a crosscheck are.
type kafkaOptions struct {
	brokers    []string
	properties string
	records    []string
	csv        bool
	topics     []string
	all        bool
}

func (k *kafkaOptions) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringSliceVar(&k.brokers, "brokers", nil, "Kafka brokers, host:port (default: TIDEMARK_BROKERS, or bootstrap.servers of the client properties)")
	f.StringVar(&k.properties, "kafka-config", "", "client.properties file as the Java tools read it (default: TIDEMARK_KAFKA_CONFIG)")
	f.StringArrayVar(&k.records, "records", nil, "file of records in place of a broker: kcat -J lines or CSV, - for standard input; may repeat, a topic each")
	f.BoolVar(&k.csv, "csv", false, "the file is CSV whatever its name")
	f.StringSliceVar(&k.topics, "topic", nil, "exact names of topics, where metric names do not tell them (dots become underscores there)")
	f.BoolVar(&k.all, "all", false, fmt.Sprintf("read partitions from their start; without it at most the last %d records before the reader's offset", readLimit))
}

// columns reports whether the records come as CSV rows.
func (k *kafkaOptions) columns() bool {
	for _, path := range k.records {
		if _, columns := recordFile(path, k.csv, nil); columns {
			return true
		}
	}
	return false
}

// topicData is what was read for one source.
type topicData struct {
	partitions map[string]*crosscheck.PartitionData // by split id
	missing    string                               // why nothing was
}

// read fetches the records of every source, up to each reader's offset and a little beyond.
func (k *kafkaOptions) read(ctx context.Context, g *globals, sources []crosscheck.CrosscheckSource, e *eventTime) ([]topicData, error) {
	if len(k.records) > 0 {
		return k.readFile(ctx, g, sources, e)
	}
	conn, err := k.connect(g)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, kafkaTimeout)
	defer cancel()
	out := make([]topicData, len(sources))
	for i, src := range sources {
		out[i].partitions = map[string]*crosscheck.PartitionData{}
		for _, label := range src.Topics {
			if err := k.readTopic(ctx, g, conn, src, label, e, out[i].partitions); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// connect resolves the broker: flag, environment, context, client properties.
func (k *kafkaOptions) connect(g *globals) ([]kgo.Opt, error) {
	o, err := g.kafkaOptions(k.brokers, k.properties)
	if err != nil {
		return nil, usageError{err}
	}
	opts, err := o.Opts()
	if err != nil {
		return nil, usageError{err}
	}
	return opts, nil
}

func (k *kafkaOptions) readTopic(ctx context.Context, g *globals, conn []kgo.Opt, src crosscheck.CrosscheckSource, label string, e *eventTime, into map[string]*crosscheck.PartitionData) error {
	name, err := k.topicName(ctx, conn, label)
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
		d := &crosscheck.PartitionData{Topic: name, Partition: p, Start: facts.Start[p], End: facts.End[p], Complete: true, NowMs: g.Now().UnixMilli()}
		into[fmt.Sprintf("%s-%d", label, p)] = d
		offset, read := offsets[p]
		if !read {
			continue
		}
		r := topic.Range{Partition: p, From: d.Start, To: min(d.End, max(offset+1, d.Start)+beyond)}
		if !k.all && offset-readLimit > d.Start {
			r.From, d.Complete = offset-readLimit, false
		}
		r.PreRoll = r.From
		if r.To > r.From {
			o.Ranges = append(o.Ranges, r)
		}
	}
	p := g.progress()
	o.Progress = func(at topic.Progress) {
		p.show(flinkapi.Progress{Step: fmt.Sprintf("reading topic %s: %d of %d offsets", name, at.Offsets, at.OffsetsTotal)})
	}
	result, err := topic.Read(ctx, o, func(raw *record.Raw) error {
		take(into[fmt.Sprintf("%s-%d", label, raw.Partition)], raw, e)
		return nil
	})
	p.done()
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
func take(d *crosscheck.PartitionData, raw *record.Raw, e *eventTime) {
	event, err := e.of(raw)
	if err != nil || event > maxEventTime || event < -maxEventTime {
		d.Unusable++
		return
	}
	arrival := raw.Timestamp
	if raw.Type == record.NoTimestamp {
		arrival = 0
	}
	d.Add(raw.Offset, arrival, event)
}

// topicName finds the topic behind a metric's label, in which some characters are underscores.
func (k *kafkaOptions) topicName(ctx context.Context, conn []kgo.Opt, label string) (string, error) {
	for _, t := range k.topics {
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
	return "", usagef("the metrics name topic %s, which can be %s; say which with --topic", label, strings.Join(found, " or "))
}
