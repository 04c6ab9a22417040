//go:build slow

package main

import (
	"bytes"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func init() { // the variable of the plain run
	meets = func(schema string, text []byte) error {
		s, err := jsonschema.NewCompiler().Compile("render/testdata/schema/" + schema)
		if err != nil {
			return err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return err
		}
		return s.Validate(doc)
	}
}
