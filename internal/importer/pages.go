package importer

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
	"github.com/callgate/callgate/internal/toolcall"
)

// page is one text that lists tools, and the format that it is in.
type page struct {
	format toolcall.Format
	body   []byte
}

// maxPages bounds the pages of one file: a server of more has more tools than any policy
// can declare.
const maxPages = 1024

// pagesOf takes a file apart: an MCP server may answer in several pages, and people save
// the list of tools alone.
func pagesOf(source Source, text []byte) ([]page, []string, error) {
	if _, err := rawjson.Check(text, toolcall.MaxDepth); err != nil {
		return nil, nil, err
	}
	switch source {
	case OpenAI:
		return []page{{openAIFormat(text), wrapList(text)}}, nil, nil
	case Anthropic:
		return []page{{toolcall.Anthropic, wrapList(text)}}, nil, nil
	}
	bodies, err := answers(text)
	if err != nil {
		return nil, nil, err
	}
	var pages []page
	for _, body := range bodies {
		pages = append(pages, page{toolcall.MCP, body})
	}
	if !goesOn(bodies[len(bodies)-1]) {
		return pages, nil, nil
	}
	return pages, []string{"the server has more tools than this (nextCursor is set): ask for the other pages, and import all in one list"}, nil
}

// answers are those of an MCP server: one, or a list of them, or the list of tools alone.
func answers(text []byte) ([][]byte, error) {
	if rawjson.KindOf(text) != rawjson.Array {
		return [][]byte{text}, nil
	}
	list, err := rawjson.Elements(text, toolcall.MaxOffered)
	switch {
	case err != nil:
		return nil, errors.New("the list is too long")
	case len(list) == 0 || member(list[0], "name") != nil:
		return [][]byte{wrapList(text)}, nil
	case len(list) > maxPages:
		return nil, errors.New("there are too many pages")
	}
	return list, nil
}

// goesOn reports whether a server has another page.
func goesOn(body []byte) bool {
	if result := member(body, "result"); result != nil {
		body = result
	}
	return member(body, "nextCursor") != nil
}

// wrapList makes a request of a list of tools.
func wrapList(text []byte) []byte {
	if rawjson.KindOf(text) != rawjson.Array {
		return text
	}
	return append(append([]byte(`{"tools":`), text...), '}')
}

// openAIFormat tells the two APIs apart: in Chat Completions a function's name stands in a
// member of its own.
func openAIFormat(text []byte) toolcall.Format {
	body := wrapList(text)
	if member(body, "input") != nil {
		return toolcall.OpenAIResponses
	}
	tools, err := rawjson.Elements(member(body, "tools"), toolcall.MaxOffered)
	if err != nil || member(body, "messages") != nil {
		return toolcall.OpenAIChat
	}
	for _, tool := range tools {
		if member(tool, "name") != nil {
			return toolcall.OpenAIResponses
		}
	}
	return toolcall.OpenAIChat
}

func member(raw []byte, key string) []byte {
	members, err := rawjson.Members(raw, toolcall.MaxOffered)
	if err != nil {
		return nil
	}
	for _, m := range members {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// description is what a text says of a tool besides its schema.
type description struct {
	text string
	// function: its arguments are JSON, also where no schema is given.
	function bool
}

// descriptions are by the tool's own name.
type descriptions map[string]description

// describe finds what has a name, wherever tools stand. It decides nothing but texts, and
// whether a tool without a schema is one without arguments.
func describe(body []byte) descriptions {
	var root any
	found := descriptions{}
	if json.Unmarshal(body, &root) == nil {
		found.walk(root, true)
	}
	return found
}

func (d descriptions) walk(v any, function bool) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			d.walk(item, function)
		}
	case map[string]any:
		d.note(v, function)
		for key, inner := range v {
			switch key {
			case "tools", "functions", "result":
				d.walk(inner, true)
			case "function":
				d.walk(inner, true)
			case "custom":
				d.walk(inner, false)
			}
		}
	}
}

// note keeps the first of what is said of a name.
func (d descriptions) note(v map[string]any, function bool) {
	name, ok := v["name"].(string)
	if _, known := d[name]; !ok || known {
		return
	}
	kind, typed := v["type"].(string)
	text, _ := v["description"].(string)
	d[name] = description{text: strings.TrimSpace(text), function: function && (!typed || kind == "function")}
}

// lastPart is a tool's own name, without the server's.
func lastPart(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
