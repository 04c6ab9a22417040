package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/record"
	"tidemark/kafkastats/topic"
)

// kafkaFlags say where a topic is and where in a record its event time is.
type kafkaFlags struct {
	brokers       []string
	config        string
	rack          string
	readCommitted bool
	bytesPerSec   int64
	maxErrors     int64
	decodeFlags
}

func (f *kafkaFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringSliceVar(&f.brokers, "brokers", nil, "Kafka brokers, host:port (TIDEMARK_BROKERS)")
	flags.StringVar(&f.config, "kafka-config", "", "client.properties file as the Java tools read it (TIDEMARK_KAFKA_CONFIG)")
	flags.StringVar(&f.rack, "rack", "", "fetch from the replica in this rack")
	flags.BoolVar(&f.readCommitted, "read-committed", false, "see only committed transactions, as the job does")
	flags.Int64Var(&f.bytesPerSec, "max-bytes-per-second", 0, "limit the load on the brokers")
	f.registerDecoding(c, "auto", "; found and stated when missing", "schema")
	flags.Int64Var(&f.maxErrors, "max-errors", 1000, "undecodable records before giving up; -1: never")
}

// conn gives the connection options and whether only committed records are wanted.
func (f *kafkaFlags) conn(g *globals) ([]kgo.Opt, bool, error) {
	o, err := g.kafkaOptions(f.brokers, f.config)
	if err != nil {
		return nil, false, err
	}
	o.Rack = f.rack
	opts, err := o.Opts()
	return opts, f.readCommitted || o.Settings.ReadCommitted(), err
}

// decoding turns the flags into decoder options; a missing format or field is found from a sample.
func (f *kafkaFlags) decoding(g *globals) (decode.Options, error) {
	if err := f.fromContext(g, len(f.brokers) > 0 || f.config != ""); err != nil {
		return decode.Options{}, err
	}
	return f.decodeFlags.decoding(g.env)
}

// lookSize is how many records are looked at to find the event time or check a field.
const lookSize = 300

var errEnough = errors.New("enough")

// resolve fills in format and field from the first records and says what it chose. A named field
// that none of them has is an error that lists those found.
func resolve(ctx context.Context, o decode.Options, sample []record.Raw) (_ decode.Options, note string, err error) {
	switch o.Format {
	case decode.Timestamp, decode.Raw, decode.Debezium, decode.Key:
		return o, "", nil
	}
	if len(sample) == 0 {
		if o.Format == "" {
			o.Format = decode.Timestamp
		}
		return o, "", nil
	}
	if o.Field != "" {
		e, err := decode.New(ctx, o)
		if err != nil {
			return o, "", err
		}
		undecodable, first := 0, error(nil)
		for i := range sample {
			p, err := e.Point(&sample[i])
			if p.State == record.Usable {
				return o, "", nil
			}
			if p.State == record.Undecodable && err != nil {
				undecodable++
				if first == nil {
					first = err
				}
			}
		}
		// A registry that refuses, or another format, is not a question of the field.
		if undecodable == len(sample) && o.Format != decode.JSON {
			return o, "", fmt.Errorf("none of the first %d records can be read: %w", len(sample), first)
		}
	}
	found, err := decode.Find(ctx, o, sample)
	if err != nil {
		return o, "", err
	}
	var names []string
	for _, c := range found[:min(5, len(found))] {
		names = append(names, c.String())
	}
	list := strings.Join(names, "; ")
	switch {
	case o.Field != "" && list == "":
		return o, "", fmt.Errorf("no event time in field %q of the first %d records, and no other field looks like one", o.Field, len(sample))
	case o.Field != "":
		return o, "", fmt.Errorf("no event time in field %q of the first %d records; found: %s", o.Field, len(sample), list)
	case len(found) == 0 && o.Format != "":
		return o, "", fmt.Errorf("no field of the first %d records looks like an event time: name it with --field", len(sample))
	case len(found) == 0:
		o.Format = decode.Timestamp
		if o.Registry == nil && decode.Framed(sample[0].Value) {
			return o, "the payload starts with a schema id, so it cannot be read without --schema-registry: the Kafka timestamp is taken", nil
		}
		return o, "no field of the payload looks like an event time: the Kafka timestamp is taken (name one with --field)", nil
	}
	o.Format, o.Field = found[0].Format, found[0].Field
	return o, "event time chosen: " + list, nil
}

// sampleOf keeps the first records of a source.
func sampleOf(read func(func(*record.Raw) error) error) ([]record.Raw, error) {
	var out []record.Raw
	err := read(func(r *record.Raw) error {
		c := *r
		c.Key, c.Value = append([]byte(nil), r.Key...), append([]byte(nil), r.Value...)
		if r.Value == nil {
			c.Value = nil
		}
		c.Headers = append([]record.Header(nil), r.Headers...)
		out = append(out, c)
		if len(out) >= lookSize {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return out, err
}

// sampleTopic reads the first records of each partition's range.
func sampleTopic(ctx context.Context, t topic.Options, ranges []topic.Range) ([]record.Raw, error) {
	t.Ranges = nil
	each := int64(lookSize/max(1, len(ranges)) + 1)
	for _, r := range ranges {
		t.Ranges = append(t.Ranges, topic.Range{Partition: r.Partition, PreRoll: r.From, From: r.From, To: min(r.To, r.From+each)})
	}
	return sampleOf(func(yield func(*record.Raw) error) error {
		_, err := topic.Read(ctx, t, yield)
		return err
	})
}
