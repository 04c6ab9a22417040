package simulate

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"tidemark/internal/near"
	"tidemark/request"
)

// readStrategies reads a strategy file:
//
//	strategies:
//	  - name: today
//	    delay: 5s
//	    dialect: sql
//
// What an entry leaves out it takes from base. Errors carry file:line:column.
func readStrategies(path string, base Strategy) ([]Strategy, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, request.Badf("strategies cannot be read: %w", err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, request.Badf("%s: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	f := strategyFile{path}
	if len(doc.Content) == 0 {
		return nil, request.Badf("%s: the file is empty; it takes a list under strategies", path)
	}
	top := doc.Content[0]
	if err := f.keys(top, "the top level", []string{"strategies"}); err != nil {
		return nil, err
	}
	var list *yaml.Node
	if len(top.Content) > 0 {
		list = top.Content[1] // there is exactly one key
	}
	if list == nil || list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
		return nil, f.at(top, "strategies is a list of strategies")
	}
	var all []Strategy
	for _, n := range list.Content {
		s, err := f.strategy(n, base)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

type strategyFile struct{ path string }

func (f strategyFile) strategy(n *yaml.Node, base Strategy) (Strategy, error) {
	s := base
	if err := f.keys(n, "a strategy", strategyKeys()); err != nil {
		return s, err
	}
	s.Name = ""
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if value.Kind != yaml.ScalarNode {
			return s, f.at(value, key.Value+" takes one value")
		}
		if err := s.set(key.Value, value.Value); err != nil {
			return s, f.at(value, request.Plain(err))
		}
	}
	if s.Name == "" {
		return s, f.at(n, "a strategy needs a name")
	}
	if err := s.Check(); err != nil {
		return s, f.at(n, request.Plain(err))
	}
	return s, nil
}

// keys refuses a key that is unknown or given twice.
func (f strategyFile) keys(n *yaml.Node, where string, known []string) error {
	if n.Kind != yaml.MappingNode {
		return f.at(n, where+" is not a map of keys to values")
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case !slices.Contains(known, key.Value):
			return f.at(key, fmt.Sprintf("unknown key %q in %s; near: %s", cut(key.Value), where, strings.Join(near.Words(key.Value, known, 2), ", ")))
		case seen[key.Value]:
			return f.at(key, fmt.Sprintf("key %q is given twice", key.Value))
		}
		seen[key.Value] = true
	}
	return nil
}

func (f strategyFile) at(n *yaml.Node, msg string) error {
	return request.Badf("%s:%d:%d: %s", f.path, n.Line, n.Column, msg)
}
