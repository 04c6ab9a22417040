package topic

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/kafkastats/broker"
)

// Facts are what the broker reports about a topic without reading a record.
type Facts struct {
	Topic         string
	ID            [16]byte
	Start, End    map[int32]int64 // readable offsets [Start, End) by partition
	CleanupPolicy string          // empty: not permitted to read it
	TimestampType string
	RetentionMs   int64
}

// Partitions are the partitions in order.
func (f Facts) Partitions() []int32 { return slices.Sorted(maps.Keys(f.End)) }

// Describe requests a topic's offsets and settings. With readCommitted the end is the last stable
// offset. A topic that does not exist is an error that lists similar names.
func Describe(ctx context.Context, conn []kgo.Opt, topic string, readCommitted bool) (Facts, error) {
	cl, err := kgo.NewClient(conn...)
	if err != nil {
		return Facts{}, fmt.Errorf("client of Kafka: %w", err)
	}
	defer cl.Close()
	if err := cl.Ping(ctx); err != nil {
		return Facts{}, broker.Explain(err)
	}
	adm := kadm.NewClient(cl)
	details, err := adm.ListTopics(ctx, topic)
	if err != nil {
		return Facts{}, broker.Explain(fmt.Errorf("describe topic %q: %w", topic, err))
	}
	detail := details[topic]
	if errors.Is(detail.Err, kerr.UnknownTopicOrPartition) || errors.Is(detail.Err, kerr.InvalidTopicException) || detail.Topic == "" {
		return Facts{}, missing(ctx, adm, topic)
	}
	if detail.Err != nil {
		return Facts{}, broker.Explain(fmt.Errorf("describe topic %q: %w", topic, detail.Err))
	}
	f := Facts{Topic: topic, ID: detail.ID, Start: map[int32]int64{}, End: map[int32]int64{}}
	starts, err := adm.ListStartOffsets(ctx, topic)
	if err := errors.Join(err, starts.Error()); err != nil {
		return Facts{}, broker.Explain(fmt.Errorf("start offsets of %q: %w", topic, err))
	}
	list := adm.ListEndOffsets
	if readCommitted {
		list = adm.ListCommittedOffsets
	}
	ends, err := list(ctx, topic)
	if err := errors.Join(err, ends.Error()); err != nil {
		return Facts{}, broker.Explain(fmt.Errorf("end offsets of %q: %w", topic, err))
	}
	starts.Each(func(o kadm.ListedOffset) { f.Start[o.Partition] = o.Offset })
	ends.Each(func(o kadm.ListedOffset) { f.End[o.Partition] = o.Offset })
	f.settings(ctx, adm)
	return f, nil
}

// settings reads the topic's configuration; without the permission DESCRIBE_CONFIGS it stays
// unknown, which the caller reports.
func (f *Facts) settings(ctx context.Context, adm *kadm.Client) {
	configs, err := adm.DescribeTopicConfigs(ctx, f.Topic)
	if err != nil {
		return
	}
	config, err := configs.On(f.Topic, nil)
	if err != nil || config.Err != nil {
		return
	}
	for _, c := range config.Configs {
		switch c.Key {
		case "cleanup.policy":
			f.CleanupPolicy = c.MaybeValue()
		case "message.timestamp.type":
			f.TimestampType = c.MaybeValue()
		case "retention.ms":
			f.RetentionMs, _ = strconv.ParseInt(c.MaybeValue(), 10, 64)
		}
	}
}

// missing says that a topic does not exist, and lists similar names.
func missing(ctx context.Context, adm *kadm.Client, topic string) error {
	all, err := adm.ListTopics(ctx)
	if err != nil {
		return broker.Explain(fmt.Errorf("topic %q does not exist, and the others cannot be listed: %w", topic, err))
	}
	names := near(topic, all.Names())
	if len(names) == 0 {
		return fmt.Errorf("topic %q does not exist, or the user may not see it: %w", topic, kerr.UnknownTopicOrPartition)
	}
	return fmt.Errorf("topic %q does not exist; near: %s: %w", topic, strings.Join(names, ", "), kerr.UnknownTopicOrPartition)
}

// near returns up to five names that differ by a few typing errors or contain the other.
func near(name string, all []string) []string {
	type scored struct {
		name string
		d    int
	}
	var found []scored
	low := strings.ToLower(name)
	for _, candidate := range all {
		c := strings.ToLower(candidate)
		d := distance(low, c)
		if strings.Contains(c, low) || strings.Contains(low, c) {
			d = min(d, 1)
		}
		if d <= 1+len(name)/4 {
			found = append(found, scored{candidate, d})
		}
	}
	slices.SortFunc(found, func(a, b scored) int {
		if a.d != b.d {
			return a.d - b.d
		}
		return strings.Compare(a.name, b.name)
	})
	var out []string
	for _, f := range found[:min(5, len(found))] {
		out = append(out, strconv.Quote(f.name))
	}
	return out
}

// distance is Levenshtein's.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
