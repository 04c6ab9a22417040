package decode

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/bufbuild/protocompile"
	"github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/sr"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// remembered asks for each schema id once, whether it is known or not.
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

func lookup(ctx context.Context, registry *sr.Client, id int) (sr.Schema, error) {
	s, err := registry.SchemaByID(ctx, id)
	if err != nil {
		return s, fmt.Errorf("schema id %d: the registry does not give it: %w", id, err)
	}
	return s, nil
}

// avroTree decodes Avro with a local schema, or framed with the writer's schema from a registry.
func avroTree(ctx context.Context, o Options) (func([]byte) (any, error), error) {
	decode := func(s *avro.Schema, b []byte) (any, error) {
		var v any
		if _, err := s.Decode(b, &v); err != nil {
			return nil, fmt.Errorf("decoding Avro: %w", err)
		}
		return v, nil
	}
	if o.Schema != "" {
		s, err := avro.Parse(o.Schema)
		if err != nil {
			return nil, fmt.Errorf("schema of Avro: %w", err)
		}
		return func(b []byte) (any, error) { return decode(s, b) }, nil
	}
	if o.Registry == nil {
		return nil, errors.New("no schema for Avro: give --schema-registry URL or --schema FILE")
	}
	byID := remembered(func(id int) (*avro.Schema, error) {
		text, err := lookup(ctx, o.Registry, id)
		if err != nil {
			return nil, err
		}
		if len(text.References) == 0 {
			return avro.Parse(text.Schema)
		}
		return nil, fmt.Errorf("schema id %d refers to other schemas: give the whole schema with --schema FILE", id)
	})
	return func(b []byte) (any, error) {
		id, rest, ok := frame(b)
		if !ok {
			return nil, errors.New("the payload does not start with a schema id: is it written through the registry?")
		}
		s, err := byID(id)
		if err != nil {
			return nil, err
		}
		return decode(s, rest)
	}, nil
}

// protoTree decodes Protobuf with a local .proto file, or framed with a schema from a registry.
func protoTree(ctx context.Context, o Options) (func([]byte) (any, error), error) {
	if o.Schema != "" {
		file, err := compile(ctx, map[string]string{"schema.proto": o.Schema}, "schema.proto")
		if err != nil {
			return nil, err
		}
		message, err := pick(file, o.Message)
		if err != nil {
			return nil, err
		}
		return func(b []byte) (any, error) { return unmarshal(message, b) }, nil
	}
	if o.Registry == nil {
		return nil, errors.New("no schema for Protobuf: give --schema-registry URL or --schema FILE")
	}
	byID := remembered(func(id int) (protoreflect.FileDescriptor, error) {
		s, err := lookup(ctx, o.Registry, id)
		if err != nil {
			return nil, err
		}
		files := map[string]string{"schema.proto": s.Schema}
		if err := references(ctx, o.Registry, s.References, files); err != nil {
			return nil, err
		}
		return compile(ctx, files, "schema.proto")
	})
	return func(b []byte) (any, error) {
		id, rest, ok := frame(b)
		if !ok {
			return nil, errors.New("the payload does not start with a schema id: is it written through the registry?")
		}
		file, err := byID(id)
		if err != nil {
			return nil, err
		}
		message, rest, err := indexed(file, rest)
		if err != nil {
			return nil, err
		}
		return unmarshal(message, rest)
	}, nil
}

func references(ctx context.Context, registry *sr.Client, refs []sr.SchemaReference, files map[string]string) error {
	for _, ref := range refs {
		if _, have := files[ref.Name]; have {
			continue
		}
		s, err := registry.SchemaByVersion(ctx, ref.Subject, ref.Version)
		if err != nil {
			return fmt.Errorf("schema %q version %d: %w", ref.Subject, ref.Version, err)
		}
		files[ref.Name] = s.Schema.Schema
		if err := references(ctx, registry, s.References, files); err != nil {
			return err
		}
	}
	return nil
}

func compile(ctx context.Context, files map[string]string, name string) (protoreflect.FileDescriptor, error) {
	c := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(files)})}
	out, err := c.Compile(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("schema of Protobuf: %w", err)
	}
	return out[0], nil
}

// pick finds a message by name, nested ones by Outer.Inner; the default is the first.
func pick(file protoreflect.FileDescriptor, name string) (protoreflect.MessageDescriptor, error) {
	if file.Messages().Len() == 0 {
		return nil, errors.New("the .proto file has no message")
	}
	if name == "" {
		return file.Messages().Get(0), nil
	}
	full := protoreflect.FullName(name)
	var found protoreflect.MessageDescriptor
	var search func(protoreflect.MessageDescriptors)
	search = func(ms protoreflect.MessageDescriptors) {
		for i := range ms.Len() {
			m := ms.Get(i)
			if m.FullName() == full || m.FullName() == file.Package().Append(protoreflect.Name(name)) {
				found = m
			}
			search(m.Messages())
		}
	}
	search(file.Messages())
	if found == nil {
		return nil, fmt.Errorf("the .proto file has no message %q", name)
	}
	return found, nil
}

// indexed reads the message path Confluent writes before a Protobuf payload: a count and that many
// positions as zigzag varints, a single 0 standing for the first message.
func indexed(file protoreflect.FileDescriptor, b []byte) (protoreflect.MessageDescriptor, []byte, error) {
	bad := errors.New("decoding Protobuf: the message path before the payload does not fit the schema")
	n, size := binary.Varint(b)
	if size <= 0 || n < 0 || n > 32 {
		return nil, nil, bad
	}
	b = b[size:]
	messages := file.Messages()
	if n == 0 {
		if messages.Len() == 0 {
			return nil, nil, bad
		}
		return messages.Get(0), b, nil
	}
	var message protoreflect.MessageDescriptor
	for range n {
		i, size := binary.Varint(b)
		if size <= 0 || i < 0 || i >= int64(messages.Len()) {
			return nil, nil, bad
		}
		b = b[size:]
		message = messages.Get(int(i))
		messages = message.Messages()
	}
	return message, b, nil
}

func unmarshal(message protoreflect.MessageDescriptor, b []byte) (any, error) {
	m := dynamicpb.NewMessage(message)
	if err := proto.Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("decoding Protobuf: %w", err)
	}
	return protoMap(m), nil
}
