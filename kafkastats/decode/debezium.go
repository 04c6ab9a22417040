package decode

import (
	"context"
	"errors"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/twmb/franz-go/pkg/sr"

	"tidemark/kafkastats/record"
)

// errNoChange marks a payload without the op field that every change event has.
var errNoChange = errors.New("no op in the change event: is it Debezium?")

// changeEvent reads the time of a Debezium change event: JSON with or without its schema, and
// Avro or Protobuf through a registry or a local Avro schema.
func changeEvent(ctx context.Context, o Options) (func(*record.Raw) (any, error), error) {
	paths := changePaths(o.Field)
	if o.Schema != "" {
		tree, err := avroTree(ctx, o)
		if err != nil {
			return nil, err
		}
		return func(r *record.Raw) (any, error) { return changeIn(tree, r.Value, paths) }, nil
	}
	var tree decoder
	if o.Registry != nil {
		tree = registered(ctx, o.Registry, map[sr.SchemaType]builder{sr.TypeAvro: buildAvro, sr.TypeProtobuf: buildProto})
	}
	return func(r *record.Raw) (any, error) {
		_, rest, ok := frame(r.Value)
		// An Avro envelope starts with the branch of a union of two: never a brace.
		if ok && tree != nil && (len(rest) == 0 || rest[0] != '{') {
			return changeIn(tree, r.Value, paths)
		}
		return changeInJSON(unframe(r.Value), paths)
	}, nil
}

// changePaths are the paths to try, in order. The default is the database's own time, then the
// connector's. For a deleted row, Flink takes the columns from before.
func changePaths(field string) []string {
	switch row, isAfter := strings.CutPrefix(field, "after."); {
	case field == "":
		return []string{"source.ts_ms", "ts_ms"}
	case isAfter:
		return []string{field, "before." + row}
	}
	return []string{field}
}

func changeInJSON(b []byte, paths []string) (any, error) {
	root := gjson.ParseBytes(b)
	if !gjson.ValidBytes(b) || !root.IsObject() {
		return nil, errors.New("the payload is not a JSON change event")
	}
	if inner := root.Get("payload"); inner.Exists() {
		if inner.Type == gjson.Null {
			return nil, errTombstone
		}
		root = inner
	}
	op := root.Get("op")
	if !op.Exists() {
		return nil, errNoChange
	}
	if snapshotFlag(op.Str, root.Get("source.snapshot")) {
		return nil, errSnapshot
	}
	for i, path := range paths {
		if strings.HasPrefix(path, "before.") && i > 0 && op.Str != "d" {
			break
		}
		if v := root.Get(path); v.Exists() && v.Type != gjson.Null {
			return v, nil
		}
	}
	return nil, errMissing
}

func changeIn(tree decoder, b []byte, paths []string) (any, error) {
	root, err := tree(b)
	if err != nil {
		return nil, err
	}
	op, err := walk(root, []string{"op"})
	if err != nil {
		return nil, errNoChange
	}
	flag, _ := walk(root, []string{"source", "snapshot"})
	if name, _ := op.(string); snapshotFlag(name, gjson.Result{Type: gjson.String, Str: plainText(flag)}) {
		return nil, errSnapshot
	}
	for i, path := range paths {
		if strings.HasPrefix(path, "before.") && i > 0 && op != "d" {
			break
		}
		if v, err := walk(root, strings.Split(path, ".")); err == nil {
			return v, nil
		}
	}
	return nil, errMissing
}

// plainText is a text of a decoded payload, empty for anything else.
func plainText(v any) string {
	s, _ := v.(string)
	return s
}
