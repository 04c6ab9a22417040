package topic

import (
	"context"

	"tidemark/kafkastats/record"
)

// Head reads about n records, from the start of each partition's range.
func Head(ctx context.Context, o Options, ranges []Range, n int) ([]record.Raw, error) {
	o.Ranges = nil
	each := int64(n/max(1, len(ranges)) + 1)
	for _, r := range ranges {
		o.Ranges = append(o.Ranges, Range{Partition: r.Partition, PreRoll: r.From, From: r.From, To: min(r.To, r.From+each)})
	}
	return record.Head(n, func(yield func(*record.Raw) error) error {
		_, err := Read(ctx, o, yield)
		return err
	})
}
