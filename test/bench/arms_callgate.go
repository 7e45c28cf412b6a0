package main

import (
	"fmt"

	"github.com/callgate/callgate/internal/jsonschema"
	"github.com/callgate/callgate/internal/rawjson"
)

// plain makes the engine judge as plain JSON Schema does, like for like with its
// peers.
var plain = jsonschema.Options{Undeclared: jsonschema.FollowSchema, IntegersByValue: true}

func callgateArms() []arm {
	return []arm{
		{name: armCallgate, role: judges, prepare: judging(plain)},
		{name: armDefaults, role: judges, prepare: judging(jsonschema.Options{})},
		{name: armLocated, role: judges, prepare: locating},
		{name: armScan, prepare: scanning},
		{name: "unquoting alone (internal/rawjson)", prepare: unquoting},
	}
}

func compiled(schema []byte, opts jsonschema.Options) (*jsonschema.Compiled, error) {
	c, problems, _ := jsonschema.Compile(schema, opts)
	if len(problems) > 0 {
		return nil, fmt.Errorf("compiling the schema: %s", problems[0].Message)
	}
	return c, nil
}

func judging(opts jsonschema.Options) func([]byte) (map[form]judge, error) {
	return func(schema []byte) (map[form]judge, error) {
		c, err := compiled(schema, opts)
		if err != nil {
			return nil, err
		}
		return judgingBoth(func(in jsonschema.Input) bool { return c.Judge(in).OK() }), nil
	}
}

// locating finds and locates all violations without putting them into words, as peers
// do that return a tree of errors.
func locating(schema []byte) (map[form]judge, error) {
	c, err := compiled(schema, plain)
	if err != nil {
		return nil, err
	}
	return judgingBoth(func(in jsonschema.Input) bool {
		n, fault := c.Locate(in)
		return n == 0 && fault == jsonschema.NoFault
	}), nil
}

func judgingBoth(j func(jsonschema.Input) bool) map[form]judge {
	return map[form]judge{
		asBytes: func(call []byte) bool { return j(jsonschema.Input{Raw: call}) },
		// As the product does: see internal/toolcall.
		asText: func(call []byte) bool {
			text, ok := rawjson.Bytes(call)
			return ok && j(jsonschema.Input{Raw: text})
		},
	}
}

func scanning([]byte) (map[form]judge, error) {
	return map[form]judge{asBytes: func(call []byte) bool {
		bad, err := rawjson.Check(call, jsonschema.MaxArgumentDepth)
		return !bad && err == nil
	}}, nil
}

func unquoting([]byte) (map[form]judge, error) {
	return map[form]judge{asText: func(call []byte) bool {
		text, ok := rawjson.Bytes(call)
		return ok && len(text) > 0
	}}, nil
}
