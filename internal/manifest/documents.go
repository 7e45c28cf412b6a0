package manifest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Document is a document of a file that is no Kubernetes object, such as a case.
type Document struct {
	Position
	// Text is the document as JSON: of a JSON file the very text, so that what a model
	// wrote wrongly in it stays as it is; of YAML what it converts to.
	Text []byte

	at *place
}

// At is where the value of a JSON Pointer stands, or the nearest value around it.
func (d Document) At(ptr string) Position {
	at := d.at.pointer(ptr)
	return Position{d.File, at.line, at.column}
}

// foreign takes a document that says by its members that it is no Kubernetes object.
// One with apiVersion or kind is an object, whatever else it has.
func (l *loader) foreign(file string, text []byte, at *place, found *findings) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || members["apiVersion"] != nil || members["kind"] != nil {
		return false
	}
	switch {
	case members["expected"] != nil:
		found.dropBelow("/input")
		l.report(file, found)
		l.set.Cases = append(l.set.Cases, document{file: file, at: at, text: text}.exported())
	case chain(members["policies"]):
		l.report(file, found)
		l.configuration(document{file: file, at: at, text: text})
	default:
		return false
	}
	return true
}

// chain tells the configuration of a gateway that runs a chain of policies.
func chain(policies json.RawMessage) bool {
	var p struct {
		Chain json.RawMessage `json:"chain"`
	}
	return json.Unmarshal(policies, &p) == nil && p.Chain != nil
}

func (d document) exported() Document {
	return Document{Position: Position{d.file, d.at.line, d.at.column}, Text: bytes.Clone(d.text), at: d.at}
}

// dropBelow forgets what is wrong at and below a place: the input of a case may be
// wrong on purpose, with duplicate keys or numbers that nothing holds.
func (f *findings) dropBelow(ptr string) {
	f.list = slices.DeleteFunc(f.list, func(x finding) bool {
		return x.ptr == ptr || strings.HasPrefix(x.ptr, ptr+"/")
	})
}
