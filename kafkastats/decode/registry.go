package decode

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/sr"
)

// decoder turns a payload into maps, lists and plain values.
type decoder func([]byte) (any, error)

// builder makes the decoder of one schema with all schemas that it refers to.
type builder func(ctx context.Context, registry *sr.Client, s sr.Schema) (decoder, error)

// remembered requests each schema id once, whether it is known or not.
func remembered[T any](load func(id int) (T, error)) func(int) (T, error) {
	type answer struct {
		v   T
		err error
	}
	seen := map[int]answer{}
	return func(id int) (T, error) {
		a, ok := seen[id]
		if !ok {
			a.v, a.err = load(id)
			seen[id] = a
		}
		return a.v, a.err
	}
}

// registered decodes payloads that start with a schema id (a zero byte and four bytes, as
// Confluent's serializers write them), each with its own schema.
func registered(ctx context.Context, registry *sr.Client, builders map[sr.SchemaType]builder) decoder {
	byID := remembered(func(id int) (decoder, error) {
		s, err := registry.SchemaByID(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("schema id %d: the registry does not return it: %w", id, err)
		}
		build := builders[s.Type]
		if build == nil {
			return nil, fmt.Errorf("schema id %d is %s: say --format %s", id, s.Type, formatOf(s.Type))
		}
		d, err := build(ctx, registry, s)
		if err != nil {
			return nil, fmt.Errorf("schema id %d: %w", id, err)
		}
		return d, nil
	})
	return func(b []byte) (any, error) {
		id, rest, ok := frame(b)
		if !ok {
			return nil, errors.New("the payload does not start with a schema id: is it written through the registry?")
		}
		d, err := byID(id)
		if err != nil {
			return nil, err
		}
		return d(rest)
	}
}

func formatOf(t sr.SchemaType) string {
	switch t {
	case sr.TypeProtobuf:
		return Protobuf
	case sr.TypeJSON:
		return JSONSchema
	}
	return strings.ToLower(t.String())
}

// references visits every schema that one refers to, dependencies first, each once.
func references(ctx context.Context, registry *sr.Client, refs []sr.SchemaReference, seen map[string]bool, visit func(name string, s sr.Schema) error) error {
	for _, ref := range refs {
		if seen[ref.Name] {
			continue
		}
		seen[ref.Name] = true // before its own references: a cycle must end
		s, err := registry.SchemaByVersion(ctx, ref.Subject, ref.Version)
		if err != nil {
			return fmt.Errorf("it refers to subject %q version %d, which the registry does not return: %w", ref.Subject, ref.Version, err)
		}
		if err := references(ctx, registry, s.References, seen, visit); err != nil {
			return err
		}
		if err := visit(ref.Name, s.Schema); err != nil {
			return err
		}
	}
	return nil
}

// unframed decodes payloads with a local schema, with or without the five bytes of a registry.
func unframed(d decoder) decoder {
	return func(b []byte) (any, error) {
		v, err := d(b)
		if err == nil || !Framed(b) {
			return v, err
		}
		if inner, failed := d(b[5:]); failed == nil {
			return inner, nil
		}
		return nil, err
	}
}
