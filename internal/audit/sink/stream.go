package sink

import (
	"bytes"
	"io"
)

// stream writes to a writer that is somebody else's, such as standard output.
type stream struct {
	out io.Writer
	// torn: the last write ended inside of a line.
	torn bool
}

func (t *stream) write(lines []byte) (int, error) {
	if t.torn {
		// The line that was torn stays as it is, and the next one begins on its own.
		if _, err := t.out.Write([]byte{'\n'}); err != nil {
			return 0, err
		}
		t.torn = false
	}
	n, err := t.out.Write(lines)
	if err == nil && n < len(lines) {
		err = io.ErrShortWrite
	}
	whole := wholeLines(lines, n)
	t.torn = whole != n
	return whole, err
}

func (t *stream) interrupt() {}

func (t *stream) close() error { return nil }

// wholeLines is how many bytes the lines have of which all is among the first n bytes, but
// for the last one's end: a line that lacks only that is there, and would be twice if it
// was written again.
func wholeLines(lines []byte, n int) int {
	n = min(max(n, 0), len(lines))
	if 0 < n && n < len(lines) && lines[n] == '\n' && lines[n-1] != '\n' {
		return n + 1
	}
	return bytes.LastIndexByte(lines[:n], '\n') + 1
}
