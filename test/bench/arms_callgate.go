package main

import (
	"fmt"

	"github.com/callgate/callgate/internal/jsonschema"
	"github.com/callgate/callgate/internal/rawjson"
)

// plain makes the engine judge as plain JSON Schema does, like for like with its
// peers.
var plain = jsonschema.Options{Undeclared: jsonschema.FollowSchema, IntegersByValue: true}

// locator finds and locates all violations without rendering their texts, which
// is what peers do that return a tree of errors. The arm below is measured as
// soon as a compiled schema has the method.
type locator interface {
	Locate(in jsonschema.Input) (n int, fault jsonschema.Fault)
}

func callgateArms() []arm {
	arms := []arm{
		{name: armCallgate, role: judges, prepare: judging(plain)},
		{name: armDefaults, role: judges, prepare: judging(jsonschema.Options{})},
	}
	if _, ok := any(&jsonschema.Compiled{}).(locator); ok {
		arms = append(arms, arm{name: armLocated, role: judges, prepare: locating})
	}
	return append(arms,
		arm{name: armScan, prepare: scanning},
		arm{name: "unquoting alone (internal/rawjson)", prepare: unquoting},
	)
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
		return unquoted(func(call []byte) bool { return c.Judge(jsonschema.Input{Raw: call}).OK() }), nil
	}
}

func locating(schema []byte) (map[form]judge, error) {
	c, err := compiled(schema, plain)
	if err != nil {
		return nil, err
	}
	l, _ := any(c).(locator)
	return unquoted(func(call []byte) bool {
		n, fault := l.Locate(jsonschema.Input{Raw: call})
		return n == 0 && fault == jsonschema.NoFault
	}), nil
}

// unquoted adds the way in which the product takes arguments that come as text:
// see internal/toolcall. An engine that judges quoted text as it stands belongs
// here.
func unquoted(j judge) map[form]judge {
	return map[form]judge{asBytes: j, asText: func(call []byte) bool {
		text, bad := rawjson.Text(call)
		return !bad && j([]byte(text))
	}}
}

func scanning([]byte) (map[form]judge, error) {
	return map[form]judge{asBytes: func(call []byte) bool {
		bad, err := rawjson.Check(call, jsonschema.MaxArgumentDepth)
		return !bad && err == nil
	}}, nil
}

func unquoting([]byte) (map[form]judge, error) {
	return map[form]judge{asText: func(call []byte) bool {
		text, bad := rawjson.Text(call)
		return !bad && len(text) > 0
	}}, nil
}
