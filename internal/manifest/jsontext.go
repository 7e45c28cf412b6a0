package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/callgate/callgate/internal/rawjson"
)

// splitJSON cuts a stream of JSON values, and fails if the text is not one.
func splitJSON(text []byte) (spans [][2]int, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		var raw json.RawMessage
		if err := dec.Decode(&raw); errors.Is(err, io.EOF) {
			return spans, nil
		} else if err != nil {
			return nil, err
		}
		end := int(dec.InputOffset())
		spans = append(spans, [2]int{end - len(raw), end})
	}
}

// lines finds line and column of an offset.
type lines struct {
	text   []byte
	starts []int
	// The last answer: a text may be one line, and is asked about from its begin to its
	// end.
	lastOffset, lastColumn int
}

func newLines(text []byte) *lines {
	l := &lines{text: text, starts: []int{0}, lastColumn: 1}
	for i, c := range text {
		if c == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

func (l *lines) at(offset int) (line, column int) {
	i, _ := slices.BinarySearch(l.starts, offset+1)
	i--
	from, column := l.starts[i], 1
	if from <= l.lastOffset && l.lastOffset <= offset {
		from, column = l.lastOffset, l.lastColumn
	}
	column += utf8.RuneCount(l.text[from:offset])
	l.lastOffset, l.lastColumn = offset, column
	return i + 1, column
}

// jsonReader walks one JSON value by its tokens: places, duplicate keys and numbers
// that no double holds.
type jsonReader struct {
	dec   *json.Decoder
	text  []byte
	base  int
	lines *lines
	found *findings
}

// readJSON reads the places of the value at text[start:end]. The text has to be
// stricter than the API server asks: what it repairs (invalid UTF-8, unpaired
// surrogates) would be stored as something else than the file says.
func readJSON(text []byte, start, end int, l *lines, found *findings) *place {
	line, column := l.at(start)
	root := &place{line: line, column: column}
	bad, err := rawjson.Check(text[start:end], maxDepth)
	if err != nil {
		line, column := l.at(start + syntaxOffset(err))
		found.add(syntaxRule(err), line, column, "", err.Error())
		return root
	}
	if bad {
		found.add(RuleNotText, line, column, "", "a string holds an unpaired surrogate escape, which no UTF-8 text can")
		return root
	}
	r := jsonReader{dec: json.NewDecoder(bytes.NewReader(text[start:end])), text: text, base: start, lines: l, found: found}
	r.dec.UseNumber()
	return r.value("", "")
}

// syntaxRule tells what is too deep from what is no JSON.
func syntaxRule(err error) string {
	if errors.Is(err, rawjson.ErrSyntax) {
		return RuleSyntax
	}
	return RuleTooLarge
}

func syntaxOffset(err error) int {
	var syntax *rawjson.SyntaxError
	if errors.As(err, &syntax) {
		return syntax.Offset
	}
	return 0
}

// next is the next token and where it begins. The text passed Check, so that
// nothing can fail here.
func (r *jsonReader) next() (tok json.Token, line, column int) {
	at := r.base + int(r.dec.InputOffset())
	for at < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[at]) >= 0 {
		at++
	}
	tok, err := r.dec.Token()
	if err != nil {
		tok = nil
	}
	line, column = r.lines.at(at)
	return tok, line, column
}

func (r *jsonReader) value(ptr, key string) *place {
	tok, line, column := r.next()
	p := &place{line: line, column: column}
	switch tok := tok.(type) {
	case string:
		// Without escapes the text stands in the file as it is.
		end := r.base + int(r.dec.InputOffset()) - 1
		if keepsText(key) && string(r.text[max(0, end-len(tok)-1):end]) == `"`+tok {
			p.text = &textPlace{line, column + 1}
		}
	case json.Number:
		if _, err := strconv.ParseFloat(tok.String(), 64); err != nil {
			r.found.add(RuleNotANumber, line, column, ptr, "the API server cannot hold this number: it is beyond 64 bits of floating point; a JSON Schema may have it in spec.parametersJSON")
		} else if text := rounded(tok.String()); text != "" {
			r.found.warn(RuleRoundedNumber, line, column, ptr, text)
		}
	case json.Delim:
		if tok == '{' {
			r.members(p, ptr)
		} else {
			r.elements(p, ptr)
		}
	}
	return p
}

func (r *jsonReader) members(p *place, ptr string) {
	seen := map[string]struct{}{}
	for r.dec.More() {
		tok, line, column := r.next()
		key, _ := tok.(string)
		at := rawjson.AppendToken(ptr, key)
		if _, dup := seen[key]; dup {
			r.found.add(RuleDuplicateKey, line, column, at, "duplicate key: keep one of them")
		}
		seen[key] = struct{}{}
		p.fields = append(p.fields, fieldPlace{key: key, at: r.value(at, key).moved(line, column)})
	}
	r.next()
}

func (r *jsonReader) elements(p *place, ptr string) {
	for i := 0; r.dec.More(); i++ {
		p.items = append(p.items, r.value(rawjson.AppendToken(ptr, strconv.Itoa(i)), ""))
	}
	r.next()
}
