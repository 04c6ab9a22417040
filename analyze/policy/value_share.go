package policy

import (
	"math"
	"math/big"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Share is a part of the records, from 0 to 1, written 0.1% or 0.001.
type Share struct {
	place
	Text  string
	Value float64
}

const percentForm = `^[0-9]{1,9}(\.[0-9]{1,12})? *%$`

var percentPattern = regexp.MustCompile(percentForm)

func (s *Share) read(n *yaml.Node, _ reflect.StructTag) string {
	const takes = "; it takes a share such as 0.1% or 0.001"
	s.Text = n.Value
	switch {
	case percentPattern.MatchString(n.Value):
		percent, _ := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(n.Value, "%")), 64) // the form allows nothing else
		s.Value = percent / 100
	case n.Tag == "!!int" || n.Tag == "!!float":
		share, err := strconv.ParseFloat(n.Value, 64)
		if err != nil {
			return "it is " + quote(n.Value) + takes
		}
		s.Value = share
		// 0.1 is easily meant as 0.1 %: messages say what was understood.
		s.Text = strconv.FormatFloat(math.Round(share*1e14)/1e12, 'f', -1, 64) + "%"
	default:
		return "it is " + quote(n.Value) + takes
	}
	if !(s.Value >= 0 && s.Value <= 1) {
		return "it is " + quote(n.Value) + "; a share is at most 1, which is 100%"
	}
	return ""
}

func (*Share) schema(reflect.StructTag) map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "number", "minimum": 0, "maximum": 1},
		map[string]any{"type": "string", "pattern": percentForm},
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

// Factor is a multiple of the measured need, written 10x.
type Factor struct {
	place
	Text  string
	Value *big.Rat
}

const factorForm = `^[0-9]{1,4}(\.[0-9]{1,3})?x$`

var factorPattern = regexp.MustCompile(factorForm)

func (f *Factor) read(n *yaml.Node, _ reflect.StructTag) string {
	if !factorPattern.MatchString(n.Value) {
		return "it is " + quote(n.Value) + "; it takes a multiple of the need such as 10x"
	}
	f.Text = n.Value
	f.Value, _ = new(big.Rat).SetString(strings.TrimSuffix(n.Value, "x")) // the form allows nothing else
	if f.Value.Cmp(big.NewRat(1, 1)) < 0 {
		return "it is " + quote(n.Value) + "; below 1x no delay could meet it"
	}
	return ""
}

func (*Factor) schema(reflect.StructTag) map[string]any {
	return map[string]any{"type": "string", "pattern": factorForm}
}
