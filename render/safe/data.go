package safe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// JSON writes v indented. The data does not change; characters that a terminal, an editor or the log of a build would
// interpret are written as \uXXXX, which is the same JSON.
func JSON(b *bytes.Buffer, v any) error {
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	escapeHidden(b, commandMark.ReplaceAll(raw.Bytes(), []byte(`\u0023#$1[`)))
	return nil
}

// escapeHidden copies text and writes hidden characters as \uXXXX. They must occur only inside quoted strings.
func escapeHidden(b *bytes.Buffer, text []byte) {
	seen := 0 // up to here the text is copied unchanged
	for seen < len(text) {
		r, size := utf8.DecodeRune(text[seen:])
		if !hidden(r) {
			seen += size
			continue
		}
		b.Write(text[:seen])
		switch {
		case r > 0xFFFF:
			r -= 0x10000
			fmt.Fprintf(b, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		default:
			fmt.Fprintf(b, `\u%04x`, r)
		}
		text, seen = text[seen+size:], 0
	}
	b.Write(text)
}

// YAML writes v with the keys and the order of its JSON form.
func YAML(b *bytes.Buffer, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	node, err := yamlNode(dec)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(node); err != nil {
		return err
	}
	if err := enc.Close(); err != nil {
		return err
	}
	escapeHidden(b, commandMark.ReplaceAll(out.Bytes(), []byte(`\u0023#$1[`)))
	return nil
}

// yamlNode reads the next JSON value as a YAML node.
func yamlNode(dec *json.Decoder) (*yaml.Node, error) {
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := tok.(type) {
	case json.Delim:
		node := &yaml.Node{Kind: yaml.SequenceNode}
		if t == '{' {
			node.Kind = yaml.MappingNode
		}
		for dec.More() {
			child, err := yamlNode(dec)
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, child)
		}
		if len(node.Content) == 0 {
			node.Style = yaml.FlowStyle
		}
		_, err := dec.Token()
		return node, err
	case string:
		return yamlString(t), nil
	case json.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: t.String()}, nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(t)}, nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: "null"}, nil
}

// yamlString quotes a string with hidden characters, or one that a build would execute, so that it can be escaped.
func yamlString(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if strings.ContainsFunc(s, hidden) || isCommand(s) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}
