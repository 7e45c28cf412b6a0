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

// part is a document of a file that is still to be read, or what begins like one. Parts
// are read in any order, several at a time.
type part struct {
	file string
	size int
	read func() []parsed
}

// parsed is what reading a document gave.
type parsed struct {
	text    []byte
	at      *place
	content any
	found   findings
	// whole says that the findings are the file's, so that those of all its documents
	// count together.
	whole bool
}

// split takes a file apart. A document with problems is left out, for it might say
// something else than it seems to.
func (l *loader) split(file string, text []byte) []part {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(text) {
		var found findings
		line, column := newLines(text).at(invalidUTF8(text))
		found.add(RuleNotText, line, column, "", "the file is not UTF-8 text")
		l.report(file, &found)
		return nil
	}
	if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return l.splitYAML(file, text)
	}
	spans, err := splitJSON(text)
	if err != nil {
		return []part{{file, len(text), func() []parsed { return l.neither(text, err) }}}
	}
	where := newLines(text)
	parts := make([]part, 0, len(spans))
	for _, s := range spans[:l.boundDocuments(file, len(spans))] {
		parts = append(parts, part{file, s[1] - s[0], func() []parsed {
			p, own := parsed{text: text[s[0]:s[1]]}, *where
			p.at = readJSON(text, s[0], s[1], &own, &p.found)
			return p.decoded()
		}})
	}
	return parts
}

// neither reads a YAML mapping in braces, which begins like JSON. If it is neither, the
// JSON error has the better position.
func (l *loader) neither(text []byte, err error) []parsed {
	var found findings
	chunks := splitYAML(text, &found)
	var all []parsed
	for _, c := range chunks[:min(len(chunks), MaxDocuments)] {
		if !found.empty() {
			break
		}
		for _, p := range l.parseChunk(c) {
			if p.whole {
				found.take(&p.found)
			}
			all = append(all, p)
		}
	}
	if found.empty() {
		return all
	}
	p := parsed{whole: true}
	readJSON(text, 0, len(text), newLines(text), &p.found)
	if p.found.empty() {
		p.found.add(RuleSyntax, 1, 1, "", "invalid JSON: "+err.Error())
	}
	return []parsed{p}
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

func (l *loader) splitYAML(file string, text []byte) []part {
	var found findings
	chunks := splitYAML(text, &found)
	if !found.empty() {
		l.report(file, &found)
		return nil
	}
	parts := make([]part, 0, len(chunks))
	for _, c := range chunks[:l.boundDocuments(file, len(chunks))] {
		parts = append(parts, part{file, len(c.text), func() []parsed { return l.parseChunk(c) }})
	}
	return parts
}

func (l *loader) parseChunk(c chunk) []parsed {
	p := parsed{whole: true}
	root := parseYAML(c, &p.found)
	if root == nil && p.found.empty() {
		return nil
	}
	if !p.found.empty() {
		return []parsed{p}
	}
	p.whole = false
	if p.at = newYAMLReader(c, l.keys, &p.found).read(root); p.at == nil || !p.found.empty() {
		return []parsed{p}
	}
	p.text = yamlToJSON(c, &p.found)
	return p.decoded()
}

// decoded decodes the JSON text as the API server does: integers of 64 bits stay
// integers, every other number becomes a double.
func (p parsed) decoded() []parsed {
	if p.found.empty() {
		if err := utiljson.Unmarshal(p.text, &p.content); err != nil {
			p.found.add(RuleSyntax, p.at.line, p.at.column, "", err.Error())
		}
	}
	return []parsed{p}
}

// take takes a document over, unless it has problems, or is no object. Findings of the
// whole file are collected in outer.
func (l *loader) take(file string, p parsed, outer *findings) {
	if p.whole {
		outer.take(&p.found)
		return
	}
	if p.text != nil && l.foreign(file, p.text, p.at, &p.found) {
		return
	}
	if !p.found.empty() {
		l.report(file, &p.found)
		return
	}
	l.expand(document{file: file, content: p.content, at: p.at, text: p.text, warnings: p.found.warnings}, 0)
}

func (l *loader) boundDocuments(file string, n int) int {
	if n > MaxDocuments {
		l.add(Diagnostic{Position: Position{File: file}, Rule: RuleTooLarge, Message: fmt.Sprintf("more than %d documents in one file: split it", MaxDocuments)})
		return 0
	}
	return n
}
