package lint

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/callgate/callgate/internal/shown"
)

// GitHub writes the result as workflow commands, which GitHub Actions shows beside the
// lines of a pull request.
func (r Result) GitHub() []byte {
	var b bytes.Buffer
	for _, f := range r.Findings {
		command := f.Severity.String()
		if f.Severity == Note {
			command = "notice"
		}
		b.WriteString("::" + command + " ")
		if f.File != "" {
			b.WriteString("file=" + escapeProperty(f.File) + ",")
		}
		if f.Line > 0 {
			fmt.Fprintf(&b, "line=%d,", f.Line)
		}
		if f.Column > 0 {
			fmt.Fprintf(&b, "col=%d,", f.Column)
		}
		b.WriteString("title=" + escapeProperty("callgate "+f.Rule) + "::" + escapeData(f.Text()) + "\n")
	}
	return b.Bytes()
}

// Text is the finding without its place in a file and its rule: object, place, message.
func (f Finding) Text() string {
	parts := make([]string, 0, 3)
	for _, s := range []string{shown.Escape(f.Object), shown.Escape(f.Place()), f.Message} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ": ")
}

// escapeData escapes the message of a workflow command, which ends at a line end.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// escapeProperty escapes a value among the properties of a workflow command, which a comma or
// a colon ends.
func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
