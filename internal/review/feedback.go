package review

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/jsonschema"
	"github.com/callgate/callgate/internal/rawjson"
	"github.com/callgate/callgate/internal/shown"
	"github.com/callgate/callgate/internal/toolcall"
)

// refusal is all that a caller learns to whom no more may be disclosed.
const refusal = "The call was refused."

const (
	// maxFeedback bounds one feedback, in bytes: a page of text helps no model, and a
	// review of 128 calls then has 128 KiB of it at most, twice with the reply.
	maxFeedback = 1 << 10
	// maxSentence bounds what is said of one argument, in bytes, so that one with a
	// long path does not crowd out the others.
	maxSentence = 320
	// maxSentences bounds all of them, in bytes, so that the number of the rest still
	// fits behind.
	maxSentences = 640
	// maxFeedbackName bounds the tool's own name in feedback, in code points: the
	// model knows what it wrote.
	maxFeedbackName = 64
)

// feedback is what a model needs to know to do better. Everything in it that a
// model chose is cut and escaped, and it holds no argument value.
type feedback struct {
	// Opaque gives the refusal alone. It is what disclosure other than Full asks for.
	Opaque bool

	code   reviewv1alpha1.VerdictCode
	name   string
	fault  string
	broken []jsonschema.Violation
	// keys are the arguments that the tool's schema declares at a location, nil if
	// nobody can tell.
	keys func(pointer string) []string
	// reasons are why a call is not allowed, or what rules want of its arguments.
	reasons []string
	// costly: a reason is that looking costs too much, which another call may not.
	costly bool
	// tools are names that the caller may use, close to the one given.
	tools []string
}

// keyLister is what a compiled schema may be able to tell: the property names that
// it declares for the object at a location of the arguments (a JSON Pointer, "" for
// the root), bounded in number, or nil.
type keyLister interface {
	DeclaredKeys(pointer string) []string
}

// feedbackOf gives the text for a blocked call.
func (c *call) feedbackOf(result *reviewv1alpha1.ToolCallResult) string {
	f := feedback{code: result.Code, name: c.name}
	switch result.Code {
	case reviewv1alpha1.CodeUnknownTool:
		f.tools = c.suggester.near(c)
	case reviewv1alpha1.CodeInvalidArguments:
		f.broken, f.reasons = c.violations, c.messages()
		if len(f.broken) == 0 && len(f.reasons) == 0 {
			_, f.fault, _ = strings.Cut(result.Errors[0], ":")
		}
		if c.tool.Ready() {
			if lister, ok := c.tool.Judge.(keyLister); ok {
				f.keys = lister.DeclaredKeys
			}
		}
	}
	if result.Code == reviewv1alpha1.CodeForbidden {
		f.reasons = forbiddenReasons(result.Errors, c.messages())
		f.costly = slices.ContainsFunc(c.views, func(v view) bool { return v.costly })
	}
	return f.String()
}

// forbiddenReasons puts what is not a rule's into words, and that first.
func forbiddenReasons(errors, messages []string) []string {
	var reasons []string
	if slices.Contains(errors, "forbidden:rbac") {
		reasons = append(reasons, "you are not granted this tool")
	}
	if slices.Contains(errors, "forbidden:tenant") {
		reasons = append(reasons, "it cannot be made for this tenant")
	}
	return append(reasons, messages...)
}

// String gives the text: sentences, at most maxFeedback bytes.
func (f feedback) String() string {
	if f.Opaque {
		return refusal
	}
	return cutBytes(f.text(), maxFeedback)
}

func (f feedback) text() string {
	name := quoted(shown.Cut(f.name, maxFeedbackName))
	switch f.code {
	case reviewv1alpha1.CodeMalformedCall:
		return "The call cannot be understood: it has no name, two names, or fields that can be read in two ways. Send one call with one name and one set of arguments."
	case reviewv1alpha1.CodeNoPolicy:
		return "No tool may be called here. Do not repeat the call."
	case reviewv1alpha1.CodeUnknownTool:
		return "There is no tool " + name + "." + didYouMean(f.tools) + " Call only tools that you were given, by their exact names."
	case reviewv1alpha1.CodeSchemaNotReady, reviewv1alpha1.CodePolicyError:
		return "The tool " + name + " cannot be called at present. Do not repeat the call."
	case reviewv1alpha1.CodeInvalidArguments:
		if len(f.reasons) > 0 && len(f.broken) == 0 {
			return "The call to " + name + " was refused. Change its arguments: " + f.sentence() + "."
		}
		if len(f.broken) == 0 {
			return "The call to " + name + " was refused: " + faultText(f.fault)
		}
		return "The call to " + name + " was refused. " + f.arguments()
	}
	if f.code == reviewv1alpha1.CodeForbidden {
		return f.forbidden(name)
	}
	return refusal
}

func (f feedback) forbidden(name string) string {
	why, end := f.sentence(), "."
	if why != "" {
		why = ": " + why
	}
	if f.costly {
		end = " as it is."
	}
	return "The call to " + name + " is not allowed" + why + ". Do not repeat it" + end
}

// sentence joins the reasons, as much of them as leaves room for the rest.
func (f feedback) sentence() string { return cutBytes(strings.Join(f.reasons, "; "), maxSentences) }

// faultText says what to do about arguments that could not be judged.
func faultText(fault string) string {
	switch fault {
	case string(toolcall.InvalidJSON):
		return "its arguments are not valid JSON. Send one JSON object."
	case string(toolcall.NotAnObject):
		return "its arguments are not a JSON object. Send one JSON object, not text that holds one."
	case string(toolcall.Truncated):
		return "the message was cut short before it was complete. Send the whole call again, with shorter arguments."
	case string(jsonschema.TooDeep):
		return "its arguments are nested too deeply. Send a flatter object."
	case string(jsonschema.TooLarge):
		return "its arguments are too large. Send less at once."
	case string(jsonschema.TooCostly):
		return "its arguments take too much work to check. Send less at once."
	}
	return "its arguments cannot be checked."
}

// arguments lists what is wrong, as many sentences as fit.
func (f feedback) arguments() string {
	var b strings.Builder
	b.WriteString("Change its arguments: ")
	for i, v := range f.broken {
		sentence := cutMessage(v.Message, maxSentence)
		if v.Code == jsonschema.CodeUnexpected {
			sentence += f.nearKey(v)
		}
		if i > 0 && b.Len()+len(sentence) > maxSentences {
			fmt.Fprintf(&b, "; and %d more", len(f.broken)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(sentence)
	}
	b.WriteByte('.')
	return b.String()
}

// nearKey asks whether a declared argument was meant. Those that are missing beside
// it are known in any case.
func (f feedback) nearKey(v jsonschema.Violation) string {
	parent, key := splitPointer(v.Pointer)
	var declared []string
	for _, other := range f.broken {
		if other.Code != jsonschema.CodeMissing {
			continue
		}
		if at, missing := splitPointer(other.Pointer); at == parent {
			declared = append(declared, missing)
		}
	}
	if f.keys != nil {
		declared = append(declared, f.keys(parent)...)
	}
	slices.Sort(declared)
	work := nearKeyWork
	near := nearest(key, slices.Compact(declared), 1, &work)
	if len(near) == 0 {
		return ""
	}
	return " (did you mean " + quoted(near[0]) + "?)"
}

// splitPointer parts a JSON Pointer into the location of the object and the key.
func splitPointer(pointer string) (parent, key string) {
	at := strings.LastIndexByte(pointer, '/')
	if at < 0 {
		return "", ""
	}
	return pointer[:at], rawjson.UnescapeToken(pointer[at+1:])
}

func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	each := make([]string, len(names))
	for i, name := range names {
		each[i] = quoted(name) // uncut: only the exact name is of use
	}
	return " Did you mean " + strings.Join(each, " or ") + "?"
}

var insideQuotes = strings.NewReplacer(`"`, `\"`, `\`, `\\`)

// quoted is text in quotation marks that nothing in it can close: whoever chose the text
// must not be able to go on in Callgate's own voice.
func quoted(text string) string { return `"` + shown.Escape(insideQuotes.Replace(text)) + `"` }

// cutMessage is cutBytes for what is said of one argument, which begins with the location
// in quotation marks: where the cut is inside of them, they are closed again.
func cutMessage(message string, limit int) string {
	if len(message) <= limit {
		return message
	}
	short := cutBytes(message, limit-len(`"`))
	if !strings.HasPrefix(short, `"`) {
		return short
	}
	for i := 1; i < len(short); i++ {
		switch short[i] {
		case '\\':
			i++
		case '"':
			return short
		}
	}
	return short + `"`
}

// cutBytes cuts a text to at most limit bytes, at a code point, and says so.
func cutBytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const ellipsis = "…"
	n := limit - len(ellipsis)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + ellipsis
}
