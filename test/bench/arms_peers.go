package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	google "github.com/google/jsonschema-go/jsonschema"
	kaptinlin "github.com/kaptinlin/jsonschema"
	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
)

// peerArms are the libraries that judge, each used as its documentation shows:
// compiled once, then given the bytes.
func peerArms() []arm {
	return []arm{
		{name: armSanthosh, module: "github.com/santhosh-tekuri/jsonschema/v6", role: complete, prepare: prepareSanthosh},
		{name: armKaptinlin, module: "github.com/kaptinlin/jsonschema", role: complete, prepare: prepareKaptinlin},
		// It stops at the first error and gives it as a plain string.
		{name: "google/jsonschema-go", module: "github.com/google/jsonschema-go", role: judges, prepare: prepareGoogle},
	}
}

// readerArms read JSON and judge nothing.
func readerArms() []arm {
	return []arm{
		{name: "encoding/json: Valid", prepare: func([]byte) (map[form]judge, error) {
			return map[form]judge{asBytes: json.Valid}, nil
		}},
		{name: "encoding/json: Unmarshal to any", prepare: func([]byte) (map[form]judge, error) {
			return inBothForms(func(call []byte) bool {
				var v any
				return json.Unmarshal(call, &v) == nil
			}), nil
		}},
		{name: "go-json-experiment jsontext: tokens", module: "github.com/go-json-experiment/json", prepare: prepareTokens},
	}
}

func prepareSanthosh(schema []byte) (map[form]judge, error) {
	const url = "https://bench.invalid/schema.json"
	doc, err := santhosh.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	c := santhosh.NewCompiler()
	c.UseLoader(nil)
	if err := c.AddResource(url, doc); err != nil {
		return nil, fmt.Errorf("adding the schema: %w", err)
	}
	s, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("compiling the schema: %w", err)
	}
	return inBothForms(func(call []byte) bool {
		v, err := santhosh.UnmarshalJSON(bytes.NewReader(call))
		return err == nil && s.Validate(v) == nil
	}), nil
}

func prepareKaptinlin(schema []byte) (map[form]judge, error) {
	s, err := kaptinlin.NewCompiler().Compile(schema)
	if err != nil {
		return nil, fmt.Errorf("compiling the schema: %w", err)
	}
	return inBothForms(func(call []byte) bool { return s.ValidateJSON(call).IsValid() }), nil
}

func prepareGoogle(schema []byte) (map[form]judge, error) {
	var s google.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("resolving the schema: %w", err)
	}
	return inBothForms(func(call []byte) bool {
		var v any
		return json.Unmarshal(call, &v) == nil && r.Validate(v) == nil
	}), nil
}

func prepareTokens([]byte) (map[form]judge, error) {
	// The decoder reads from a bytes.Buffer without copying.
	in := new(bytes.Buffer)
	d := jsontext.NewDecoder(in)
	return map[form]judge{asBytes: func(call []byte) bool {
		*in = *bytes.NewBuffer(call)
		d.Reset(in)
		for {
			if _, err := d.ReadToken(); err != nil {
				return err == io.EOF //nolint:errorlint // the decoder gives it as it is
			}
		}
	}}, nil
}
