package policy

import (
	"math/big"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"tidemark/internal/units"
)

// Share is a part of the records, written as units.ParseShare reads it: 0.1%.
type Share struct {
	place
	Text  string
	Value float64 // from 0 to 1
}

func (s *Share) read(n *yaml.Node, _ reflect.StructTag) string {
	share, err := units.ParseShare(n.Value)
	if err != nil {
		return "it is " + quote(n.Value) + "; " + err.Error()
	}
	s.Text = n.Value
	s.Value, _ = share.Float64()
	return ""
}

func (*Share) schema(reflect.StructTag) map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"const": 0},
		map[string]any{"type": "string", "pattern": units.SharePattern},
	}}
}

// Percentile is p50 to p99.9999: the share of records that a delay must not make late.
type Percentile struct {
	place
	Text string
}

const percentileForm = `^p[0-9]{1,2}(\.[0-9]{1,6})?$`

var percentilePattern = regexp.MustCompile(percentileForm)

func (p *Percentile) read(n *yaml.Node, _ reflect.StructTag) string {
	if !percentilePattern.MatchString(n.Value) {
		return "it is " + quote(n.Value) + "; it takes a percentile such as p99.9"
	}
	p.Text = n.Value
	return ""
}

func (*Percentile) schema(reflect.StructTag) map[string]any {
	return map[string]any{"type": "string", "pattern": percentileForm}
}

// Factor is a multiple from 1x on, written 10x.
type Factor struct {
	place
	Text  string
	Value *big.Rat
}

const factorForm = `^[0-9]{1,4}(\.[0-9]{1,3})?x$`

var factorPattern = regexp.MustCompile(factorForm)

func (f *Factor) read(n *yaml.Node, _ reflect.StructTag) string {
	if !factorPattern.MatchString(n.Value) {
		return "it is " + quote(n.Value) + "; it takes a multiple such as 10x"
	}
	f.Text = n.Value
	f.Value, _ = new(big.Rat).SetString(strings.TrimSuffix(n.Value, "x")) // the form allows nothing else
	if f.Value.Cmp(big.NewRat(1, 1)) < 0 {
		return "it is " + quote(n.Value) + "; it takes 1x or more"
	}
	return ""
}

func (*Factor) schema(reflect.StructTag) map[string]any {
	return map[string]any{"type": "string", "pattern": factorForm}
}
