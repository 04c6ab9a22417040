package decode

import (
	"context"

	"tidemark/kafkastats/record"
)

// Find ranks the fields of a few records that read as times of our days, best first. A format other
// than empty limits the search to it; Avro and Protobuf need their schema in o.
func Find(ctx context.Context, o Options, records []record.Raw) ([]Candidate, error) {
	l, err := newLook(ctx, o, records)
	if err != nil {
		return nil, err
	}
	return l.rank(len(records)), nil
}
