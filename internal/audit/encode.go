package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/callgate/callgate/internal/shown"
)

// Line writes the record as one line of JSON, with its end, of at most MaxBytes. What
// could hide or forge something on a screen is escaped as JSON escapes it, so that texts
// are exact and a line is always one line.
func (r *Record) Line() ([]byte, error) { return line(r) }

// Line writes the gap as one line of JSON, with its end.
func (g *Gap) Line() ([]byte, error) { return line(g) }

// buffers are what lines are written in before their length is known.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxPooled is what a buffer may have to be used again: ordinary lines have some KiB.
const maxPooled = 64 << 10

func line(v any) ([]byte, error) {
	b, isBuffer := buffers.Get().(*bytes.Buffer)
	if !isBuffer {
		b = new(bytes.Buffer)
	}
	defer func() {
		if b.Cap() <= maxPooled {
			b.Reset()
			buffers.Put(b)
		}
	}()
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding an audit record: %w", err)
	}
	// Encode ends the line, and has no other line break.
	text := b.Bytes()
	if !plain(text[:len(text)-1]) {
		// What is escaped stands in strings alone, where an escape means the same.
		text = append([]byte(shown.Escape(string(text[:len(text)-1]))), '\n')
	}
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("an audit record has %d bytes, more than a line may have", len(text))
	}
	return bytes.Clone(text), nil
}

// plain reports whether every byte stands for itself on a screen.
func plain(text []byte) bool {
	for _, c := range text {
		if c < 0x20 || c >= 0x7f {
			return false
		}
	}
	return true
}
