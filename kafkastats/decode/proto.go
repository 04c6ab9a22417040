package decode

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"

	"github.com/bufbuild/protocompile"
	"github.com/twmb/franz-go/pkg/sr"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// protoTree decodes Protobuf with a local .proto file, or framed with a schema from a registry.
func protoTree(ctx context.Context, o Options) (decoder, error) {
	if o.Schema != "" {
		file, err := compile(ctx, map[string]string{"schema.proto": o.Schema}, "schema.proto")
		if err != nil {
			return nil, err
		}
		message, err := pick(file, o.Message)
		if err != nil {
			return nil, err
		}
		return func(b []byte) (any, error) {
			// No message starts with a zero byte: it is followed by a schema id and the path of a
			// message.
			if _, framed, ok := frame(b); ok {
				written, rest, err := indexed(file, framed)
				if err != nil {
					return nil, err
				}
				if o.Message == "" {
					return unmarshal(written, rest)
				}
				return unmarshal(message, rest)
			}
			return unmarshal(message, b)
		}, nil
	}
	if o.Registry == nil {
		return nil, errors.New("no schema for Protobuf: give --schema-registry URL or --schema FILE")
	}
	return registered(ctx, o.Registry, map[sr.SchemaType]builder{sr.TypeProtobuf: buildProto}), nil
}

// buildProto compiles a schema with its imports: those that the registry refers to, and Google's.
func buildProto(ctx context.Context, registry *sr.Client, s sr.Schema) (decoder, error) {
	files := map[string]string{}
	err := references(ctx, registry, s.References, map[string]bool{}, func(name string, ref sr.Schema) error {
		files[name] = ref.Schema
		return nil
	})
	if err != nil {
		return nil, err
	}
	own := "schema.proto"
	for files[own] != "" {
		own = "_" + own
	}
	files[own] = s.Schema
	file, err := compile(ctx, files, own)
	if err != nil {
		return nil, err
	}
	return func(b []byte) (any, error) {
		message, rest, err := indexed(file, b)
		if err != nil {
			return nil, err
		}
		return unmarshal(message, rest)
	}, nil
}

// confluent are the files that Confluent's serializers know without a reference, as far as they
// are needed.
var confluent = map[string]string{
	"confluent/meta.proto": `syntax = "proto3"; package confluent; import "google/protobuf/descriptor.proto";
message Meta { string doc = 1; map<string, string> params = 2; repeated string tags = 3; }
extend google.protobuf.FileOptions { Meta file_meta = 1088; }
extend google.protobuf.MessageOptions { Meta message_meta = 1088; }
extend google.protobuf.FieldOptions { Meta field_meta = 1088; }
extend google.protobuf.EnumOptions { Meta enum_meta = 1088; }
extend google.protobuf.EnumValueOptions { Meta enum_value_meta = 1088; }`,
	"confluent/type/decimal.proto": `syntax = "proto3"; package confluent.type;
message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }`,
}

func compile(ctx context.Context, files map[string]string, name string) (protoreflect.FileDescriptor, error) {
	all := maps.Clone(confluent)
	maps.Copy(all, files)
	c := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(all)})}
	out, err := c.Compile(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("invalid Protobuf schema: %w", err)
	}
	return out[0], nil
}

// pick finds a message by name, nested ones as Outer.Inner; the default is the first.
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

// indexed reads the message path that Confluent writes before a Protobuf payload: a count and
// that many positions as zigzag varints; a single 0 represents the first message.
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
