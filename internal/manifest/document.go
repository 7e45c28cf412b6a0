package manifest

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// document is one YAML document or JSON value of a file.
type document struct {
	file    string
	content any
	at      *place
	text    []byte
	// warnings are those of the whole document that a file has, of which this is what
	// stands at the JSON Pointer base.
	warnings []finding
	base     string
}

// parse takes a file apart. Its problems are collected in the loader; a document
// with problems is left out, for it might say something else than it seems to.
func (l *loader) parse(file string, text []byte) []document {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	var found findings
	defer func() { l.report(file, &found) }()
	if !utf8.Valid(text) {
		line, column := newLines(text).at(invalidUTF8(text))
		found.add(RuleNotText, line, column, "", "the file is not UTF-8 text")
		return nil
	}
	if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return l.parseYAML(file, text, &found)
	}
	spans, err := splitJSON(text)
	if err == nil {
		return l.parseJSON(file, text, spans)
	}
	// A YAML mapping in braces begins like JSON. If it is neither, the JSON error
	// has the better position.
	var notYAML findings
	if docs := l.parseYAML(file, text, &notYAML); notYAML.empty() {
		return docs
	}
	readJSON(text, 0, len(text), newLines(text), &found)
	if found.empty() {
		found.add(RuleSyntax, 1, 1, "", "invalid JSON: "+err.Error())
	}
	return nil
}

func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return 0
}

func (l *loader) parseJSON(file string, text []byte, spans [][2]int) []document {
	spans = spans[:l.boundDocuments(file, len(spans))]
	where := newLines(text)
	docs := make([]document, 0, len(spans))
	for _, s := range spans {
		var found findings
		at := readJSON(text, s[0], s[1], where, &found)
		docs = l.appendDocument(docs, file, text[s[0]:s[1]], at, &found)
	}
	return docs
}

func (l *loader) parseYAML(file string, text []byte, found *findings) []document {
	chunks := splitYAML(text, found)
	if !found.empty() {
		return nil
	}
	chunks = chunks[:l.boundDocuments(file, len(chunks))]
	docs := make([]document, 0, len(chunks))
	for _, c := range chunks {
		docs = l.parseChunk(docs, file, c, found)
	}
	return docs
}

func (l *loader) parseChunk(docs []document, file string, c chunk, outer *findings) []document {
	var found findings
	root := parseYAML(c, &found)
	if root == nil || !found.empty() {
		outer.take(&found)
		return docs
	}
	at := newYAMLReader(c, l.keys, &found).read(root)
	if at == nil || !found.empty() {
		l.report(file, &found)
		return docs
	}
	text := yamlToJSON(c, &found)
	return l.appendDocument(docs, file, text, at, &found)
}

// appendDocument decodes JSON text as the API server does: integers of 64 bits
// stay integers, every other number becomes a double.
func (l *loader) appendDocument(docs []document, file string, text []byte, at *place, found *findings) []document {
	if text != nil && l.foreign(file, text, at, found) {
		return docs
	}
	var content any
	if found.empty() {
		if err := utiljson.Unmarshal(text, &content); err != nil {
			found.add(RuleSyntax, at.line, at.column, "", err.Error())
		}
	}
	if !found.empty() {
		l.report(file, found)
		return docs
	}
	return append(docs, document{file: file, content: content, at: at, text: text, warnings: found.warnings})
}

func (l *loader) boundDocuments(file string, n int) int {
	if n > MaxDocuments {
		l.add(Diagnostic{Position: Position{File: file}, Rule: RuleTooLarge, Message: fmt.Sprintf("more than %d documents in one file: split it", MaxDocuments)})
		return 0
	}
	return n
}
