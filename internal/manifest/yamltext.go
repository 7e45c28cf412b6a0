package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"

	"github.com/callgate/callgate/internal/rawjson"
)

// chunk is one YAML document's text and how many lines stand before it.
type chunk struct {
	text  []byte
	above int
}

// splitYAML cuts a file at the lines that begin with "---". The marker stays with
// the document behind it, so that the parser sees its comments and line numbers.
func splitYAML(text []byte, found *findings) []chunk {
	var out []chunk
	start, above, line := 0, 0, 0
	for at := 0; at < len(text); line++ {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if isMarker(text[at:end]) {
			if rest := bytes.TrimSpace(text[at+3 : end]); len(rest) > 0 && rest[0] != '#' {
				found.add(RuleDocumentMarker, line+1, 4, "", "a document begins on the line of its --- marker, which kubectl does not read: begin it on the next line")
			}
			out = append(out, chunk{text[start:at], above})
			start, above = at, line
		}
		at = end
	}
	return append(out, chunk{text[start:], above})
}

func isMarker(line []byte) bool { return bytes.HasPrefix(line, []byte("---")) }

// parseYAML reads the one document of a chunk as nodes. It is nil without a
// finding if the chunk holds nothing but comments.
func parseYAML(c chunk, found *findings) *yamlv3.Node {
	dec := yamlv3.NewDecoder(bytes.NewReader(c.text))
	var doc, more yamlv3.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil
	} else if err != nil {
		found.yamlError(c, err)
		return nil
	}
	// The converter reads the first document of a text and drops the rest, which
	// would lose an object without a word.
	if err := dec.Decode(&more); err == nil {
		found.add(RuleDocumentMarker, c.above+more.Line, more.Column, "", "documents are separated by --- alone: this one begins behind the end marker \"...\"")
	} else if !errors.Is(err, io.EOF) {
		found.yamlError(c, err)
	}
	if len(doc.Content) != 1 || doc.Content[0].ShortTag() == "!!null" {
		return nil
	}
	return doc.Content[0]
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:unmarshal errors:\n\s*)?line (\d+): `)

// yamlError reports a parser's error, whose only position is a line in its text.
func (f *findings) yamlError(c chunk, err error) {
	line, msg := c.above+1, strings.TrimPrefix(err.Error(), "yaml: ")
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		if n, convErr := strconv.Atoi(m[1]); convErr == nil {
			line, msg = c.above+n, err.Error()[len(m[0]):]
		}
	}
	f.add(RuleSyntax, line, 0, "", "invalid YAML: "+msg)
}

// yamlToJSON converts a chunk exactly as kubectl does.
func yamlToJSON(c chunk, found *findings) []byte {
	out, err := yaml.YAMLToJSON(c.text)
	if err != nil {
		found.yamlError(c, err)
		return nil
	}
	return out
}

// yamlReader turns nodes into places, and finds on the way what the conversion
// would hide: duplicate keys, numbers that JSON cannot hold, aliases that multiply.
type yamlReader struct {
	above   int
	lines   [][]byte
	found   *findings
	keys    *plainKeys
	extents map[*yamlv3.Node]extent
	places  map[*yamlv3.Node]*place
	merged  int
}

func newYAMLReader(c chunk, keys *plainKeys, found *findings) *yamlReader {
	return &yamlReader{
		above: c.above, lines: bytes.Split(c.text, []byte("\n")), keys: keys, found: found,
		extents: map[*yamlv3.Node]extent{}, places: map[*yamlv3.Node]*place{},
	}
}

// extent is how much a node grows to with its aliases written out.
type extent struct{ size, depth int }

// measure saturates at twice the bound, and counts a node inside itself as over
// it. Anchors stand before their aliases, so that a tower of aliases is measured
// from below and costs no stack.
func (r *yamlReader) measure(n *yamlv3.Node) extent {
	if known, ok := r.extents[n]; ok {
		return known
	}
	const over = 2 * MaxFileBytes
	r.extents[n] = extent{size: over, depth: over}
	e := extent{size: len(n.Value) + len(n.Tag) + 4}
	if n.Kind == yamlv3.AliasNode {
		e = r.measure(n.Alias)
	}
	for _, c := range n.Content {
		inner := r.measure(c)
		e.size = min(over, e.size+inner.size)
		e.depth = max(e.depth, min(over, inner.depth+1))
	}
	r.extents[n] = e
	return e
}

// read gives the places of a document, or nil if it must not be converted.
func (r *yamlReader) read(root *yamlv3.Node) *place {
	line := r.above + root.Line
	switch e := r.measure(root); {
	case e.size > MaxFileBytes:
		r.found.add(RuleTooLarge, line, root.Column, "", fmt.Sprintf("with its aliases written out the document is over %d MiB, or never ends", MaxFileBytes>>20))
		return nil
	case e.depth > maxDepth:
		r.found.add(RuleTooLarge, line, root.Column, "", fmt.Sprintf("nested deeper than %d levels", maxDepth))
		return nil
	}
	return r.value(root, "", "")
}

// value gives the places of a node, which is the value of the key of that name, or "".
func (r *yamlReader) value(n *yamlv3.Node, ptr, key string) *place {
	line, column := r.above+n.Line, n.Column
	if n.Kind == yamlv3.AliasNode {
		n = n.Alias
	}
	if known, ok := r.places[n]; ok {
		return known.moved(line, column)
	}
	p := &place{line: r.above + n.Line, column: n.Column}
	r.places[n] = p
	switch n.Kind {
	case yamlv3.MappingNode:
		r.members(p, n, ptr)
	case yamlv3.SequenceNode:
		for i, c := range n.Content {
			p.items = append(p.items, r.value(c, rawjson.AppendToken(ptr, strconv.Itoa(i)), ""))
		}
	case yamlv3.ScalarNode:
		r.scalar(n, line, column, ptr)
		if p.text = r.block(n); p.text == nil && keepsText(key) {
			p.text = r.inline(n)
		}
	}
	return p.moved(line, column)
}

// block finds the first line of a literal block behind its "|". The block may set
// its indentation itself; then its first line tells nothing, and nothing is told.
func (r *yamlReader) block(n *yamlv3.Node) *textPlace {
	if n.Style&yamlv3.LiteralStyle == 0 || n.Line >= len(r.lines) || strings.HasPrefix(n.Value, " ") {
		return nil
	}
	for i, line := range r.lines[n.Line:] {
		if text := bytes.TrimLeft(line, " "); len(bytes.TrimSpace(text)) > 0 {
			// Empty lines before it belong to the text.
			return &textPlace{line: r.above + n.Line + i + 1 - leadingNewlines(n.Value), column: len(line) - len(text) + 1}
		}
	}
	return nil
}

// inline finds the text of a scalar that stands on one line as it is.
func (r *yamlReader) inline(n *yamlv3.Node) *textPlace {
	if n.Line < 1 || n.Line > len(r.lines) || n.Value == "" {
		return nil
	}
	line, before := r.lines[n.Line-1], n.Column-1
	for ; before > 0 && len(line) > 0; before-- {
		_, size := utf8.DecodeRune(line)
		line = line[size:]
	}
	quotes := 0
	if n.Style&(yamlv3.DoubleQuotedStyle|yamlv3.SingleQuotedStyle) != 0 {
		quotes = 1
	}
	if len(line) < quotes || !bytes.HasPrefix(line[quotes:], []byte(n.Value)) {
		return nil
	}
	return &textPlace{line: r.above + n.Line, column: n.Column + quotes}
}

func leadingNewlines(s string) int { return len(s) - len(strings.TrimLeft(s, "\n")) }

func (r *yamlReader) members(p *place, n *yamlv3.Node, ptr string) {
	seen := make(map[string]struct{}, len(n.Content)/2)
	var merges []*yamlv3.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind == yamlv3.ScalarNode && k.Tag == "!!merge" {
			merges = append(merges, v)
			continue
		}
		key := r.key(k)
		at, line := rawjson.AppendToken(ptr, key), r.above+k.Line
		if _, dup := seen[key]; dup {
			r.found.add(RuleDuplicateKey, line, k.Column, at, "duplicate key: keep one of them")
		}
		seen[key] = struct{}{}
		r.odd(k, key, line, at)
		p.fields = append(p.fields, fieldPlace{key: key, at: r.value(v, at, key).moved(line, k.Column)})
	}
	for _, m := range merges {
		r.merge(p, seen, m, ptr)
	}
}

// merge adds the keys of "<<: *other", which stand where other has them.
func (r *yamlReader) merge(p *place, seen map[string]struct{}, m *yamlv3.Node, ptr string) {
	from := r.value(m, ptr, "")
	sources := append([]*place{from}, from.items...)
	for _, s := range sources {
		for _, f := range s.fields {
			if _, own := seen[f.key]; own || r.merged >= maxMergedKeys {
				continue
			}
			r.merged++
			seen[f.key] = struct{}{}
			p.fields = append(p.fields, f)
		}
	}
}

// key is the JSON key that the converter makes of a YAML key: in YAML 1.1 a plain
// "on" is a boolean and 0x10 the number 16. The converter itself is asked, so that
// "16" and 0x10 in one object are found to be one key.
func (r *yamlReader) key(k *yamlv3.Node) string {
	if k.Kind == yamlv3.AliasNode {
		k = k.Alias
	}
	if k.Style&^yamlv3.TaggedStyle != 0 || k.Kind != yamlv3.ScalarNode {
		return k.Value
	}
	return r.keys.read(k.Value)
}
