package live

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"tidemark/analyze/crosscheck"
	"tidemark/flinkapi"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/record"
)

// readFile takes the records from files. Rows without a topic belong to the one that is read.
func (r *Request) readFiles(ctx context.Context, in io.Reader, sources []crosscheck.CrosscheckSource, e *decode.Reader) ([]topicData, error) {
	out := make([]topicData, len(sources))
	byTopic := map[string][]int{} // label to sources
	offsets := map[string]int64{} // by split id
	for i, src := range sources {
		out[i].partitions = map[string]*crosscheck.PartitionData{}
		for _, label := range src.Topics {
			byTopic[label] = append(byTopic[label], i)
		}
		for _, sp := range src.Splits {
			offsets[sp.ID] = max(offsets[sp.ID], sp.Offset)
		}
	}
	only := ""
	if len(byTopic) == 1 {
		for label := range byTopic {
			only = label
		}
	}
	one := func(raw *record.Raw) error {
		label := flinkapi.FilterName(raw.Topic)
		if raw.Topic == "" {
			if only == "" {
				return fmt.Errorf("%s: the record names no topic, and the job reads several", raw.Place())
			}
			label = only
		}
		id := fmt.Sprintf("%s-%d", label, raw.Partition)
		for _, i := range byTopic[label] {
			d := out[i].partitions[id]
			if d == nil {
				d = &crosscheck.PartitionData{Topic: cmp.Or(raw.Topic, label), Partition: raw.Partition, Start: raw.Offset, Complete: raw.Offset == 0}
				out[i].partitions[id] = d
			}
			d.End = raw.Offset + 1
			if raw.Offset <= offsets[id]+beyond {
				r.take(id, d, raw, e)
			}
		}
		return nil
	}
	for _, path := range r.Records {
		if err := r.file(path).Source(in).Read(ctx, one); err != nil {
			return nil, err
		}
	}
	for i, src := range sources {
		if len(out[i].partitions) == 0 {
			out[i].missing = fmt.Sprintf("no record of topic %[2]s in %[1]s", strings.Join(r.Records, ", "), strings.Join(src.Topics, ", "))
			continue
		}
		for _, sp := range src.Splits {
			if out[i].partitions[sp.ID] == nil && sp.Offset < 0 { // read by the job, and nothing in it
				out[i].partitions[sp.ID] = &crosscheck.PartitionData{Topic: sp.Topic, Partition: sp.Partition, Complete: true}
			}
		}
	}
	return out, nil
}
