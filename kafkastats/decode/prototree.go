package decode

import (
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// protoMap converts a message to maps by field name. A google.protobuf.Timestamp becomes a time;
// an optional number that is not set stays absent.
func protoMap(m protoreflect.Message) any {
	d := m.Descriptor()
	if d.FullName() == "google.protobuf.Timestamp" {
		seconds := m.Get(d.Fields().ByName("seconds")).Int()
		nanos := m.Get(d.Fields().ByName("nanos")).Int()
		return time.Unix(seconds, nanos).UTC()
	}
	out := map[string]any{}
	fields := d.Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if f.HasPresence() && !m.Has(f) || f.IsMap() {
			continue
		}
		v := m.Get(f)
		switch {
		case f.IsList():
			list := make([]any, 0, v.List().Len())
			for j := range v.List().Len() {
				list = append(list, protoValue(f, v.List().Get(j)))
			}
			out[string(f.Name())] = list
		default:
			out[string(f.Name())] = protoValue(f, v)
		}
	}
	return out
}

func protoValue(f protoreflect.FieldDescriptor, v protoreflect.Value) any {
	if f.Message() != nil {
		return protoMap(v.Message())
	}
	return v.Interface()
}
