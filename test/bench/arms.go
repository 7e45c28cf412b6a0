package main

import (
	"encoding/json"
)

// The arms that the bounds name.
const (
	armCallgate  = "Callgate"
	armDefaults  = "Callgate, default options"
	armLocated   = "Callgate, located, not rendered"
	armScan      = "strict scan alone (internal/rawjson)"
	armSanthosh  = "santhosh-tekuri/jsonschema"
	armKaptinlin = "kaptinlin/jsonschema"
	armNode      = "Node: JSON.parse + Ajv"
)

// role is what the verdict of an arm means.
type role uint8

const (
	// reads: the arm reads JSON and finds that it is JSON.
	reads role = iota
	// judges: the arm judges calls by the schema.
	judges
	// complete: it judges as a complete library does, passing at least 99 % of
	// the required Draft 7 cases and giving every error with its location.
	complete
)

// judge takes one call and says whether it fits.
type judge func(call []byte) bool

// arm is one way to take calls.
type arm struct {
	name   string
	module string // whose version the document names; "": none
	role   role
	// prepare compiles the schema, once for each workload. A form that is
	// absent from the answer is one that the arm does not take.
	prepare func(schema []byte) (map[form]judge, error)
}

// goArms are the arms of this process, in the order of the document.
func goArms() []arm {
	arms := callgateArms()
	arms = append(arms, peerArms()...)
	return append(arms, readerArms()...)
}

// inBothForms is for a judge of bytes. Where the call comes inside a JSON string,
// that is decoded as every Go program does it.
func inBothForms(j judge) map[form]judge {
	return map[form]judge{asBytes: j, asText: func(call []byte) bool {
		var text string
		return json.Unmarshal(call, &text) == nil && j([]byte(text))
	}}
}
