package adapter

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/callgate/callgate/internal/shown"
)

const (
	// maxTemplateBytes is the API's bound on spec.http.url.
	maxTemplateBytes = 2048
	// maxValueBytes is the API's bound on the value of a variable, before it is encoded.
	maxValueBytes = 512
	// maxURLBytes bounds the URL that comes of it: what common servers and proxies take
	// as a request line.
	maxURLBytes = 8 << 10
)

// template is a URL with variables. Scheme, host and port are literal.
type template struct {
	// origin is the literal part up to the path, host and scheme as net/url reads them.
	origin, scheme, host string
	pieces               []piece
	// wanted are the arguments that the variables read, count of places in all.
	wanted *tree
	// names are the variables that read arguments, once each, in the order of the URL.
	names []string
}

// piece is literal text, or a variable behind it.
type piece struct {
	literal string
	kind    variable
	// argument is the place of the argument that the variable reads.
	argument *node
}

type variable uint8

const (
	noVariable variable = iota
	// inPath is a whole path segment, inQuery the whole value of a parameter.
	inPath
	inQuery
)

var (
	origins   = regexp.MustCompile(`^https?://([A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9])?\.?|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)
	variables = regexp.MustCompile(`^\{(tenant|args(\.[A-Za-z0-9_-]+)+)\}$`)
	segments  = regexp.MustCompile(`^([A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*$`)
	names     = regexp.MustCompile(`^([A-Za-z0-9._~!$'()*+,;:@/?-]|%[0-9A-Fa-f]{2})+$`)
	values    = regexp.MustCompile(`^([A-Za-z0-9._~!$'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*$`)
	dots      = regexp.MustCompile(`^(\.|%2[eE]){1,2}$`)
)

var (
	errTemplateLength = errors.New("the URL is longer than 2048 characters")
	errOrigin         = errors.New("begin with https:// (or http:// for a Service of the adapter's own namespace), a host and, if need be, a port, all of them without variables and user information")
	errDots           = errors.New("leave out the path segments . and ..: write the path that is meant")
	errParameter      = errors.New("write each query parameter as name=value, without a variable in its name")
	errPlace          = errors.New("write each variable, {tenant} or {args.NAME}, as a whole path segment or the whole value of a query parameter, and percent-encode every other character that a URL cannot hold")
)

// parseTemplate reads the url of an adapter.
func parseTemplate(text string) (*template, error) {
	if len(text) > maxTemplateBytes {
		return nil, errTemplateLength
	}
	_, rest, _ := strings.Cut(text, "://")
	end := len(text)
	if at := strings.IndexAny(rest, "/?"); at >= 0 {
		end = len(text) - len(rest) + at
	}
	t := &template{origin: text[:end], wanted: newTree()}
	if !origins.MatchString(t.origin) {
		return nil, errOrigin
	}
	path, query, hasQuery := strings.Cut(text[end:], "?")
	t.literal(t.origin)
	if err := t.path(path); err != nil {
		return nil, err
	}
	if hasQuery {
		t.literal("?")
		if err := t.query(query); err != nil {
			return nil, err
		}
	}
	u, err := url.Parse(t.origin)
	if err != nil {
		return nil, errOrigin
	}
	t.scheme, t.host = u.Scheme, u.Host
	return t, nil
}

func (t *template) literal(text string) {
	if n := len(t.pieces); n > 0 && t.pieces[n-1].kind == noVariable {
		t.pieces[n-1].literal += text
		return
	}
	t.pieces = append(t.pieces, piece{literal: text})
}

func (t *template) path(path string) error {
	for i, segment := range strings.Split(path, "/") {
		if i > 0 {
			t.literal("/")
		}
		switch {
		case variables.MatchString(segment):
			t.variable(inPath, segment)
		case dots.MatchString(segment):
			return errDots
		case segments.MatchString(segment):
			t.literal(segment)
		default:
			return errPlace
		}
	}
	return nil
}

func (t *template) query(query string) error {
	for i, parameter := range strings.Split(query, "&") {
		if i > 0 {
			t.literal("&")
		}
		name, value, ok := strings.Cut(parameter, "=")
		if !ok || !names.MatchString(name) {
			return errParameter
		}
		t.literal(name + "=")
		switch {
		case variables.MatchString(value):
			t.variable(inQuery, value)
		case values.MatchString(value):
			t.literal(value)
		default:
			return errPlace
		}
	}
	return nil
}

func (t *template) variable(kind variable, text string) {
	p := piece{kind: kind}
	if name := text[1 : len(text)-1]; name != "tenant" {
		path := strings.Split(name, ".")[1:]
		p.argument, _ = t.wanted.add(path)
		if !slices.Contains(t.names, name) {
			t.names = append(t.names, name)
		}
	}
	t.pieces = append(t.pieces, p)
}

// readsTenant reports whether the tenant is a part of the URL.
func (t *template) readsTenant() bool {
	return slices.ContainsFunc(t.pieces, func(p piece) bool { return p.kind != noVariable && p.argument == nil })
}

// sample is the URL with a harmless value for each variable, to judge where it leads.
func (t *template) sample() *url.URL {
	u, err := url.Parse(t.origin)
	if err != nil {
		return nil
	}
	return u
}

// expand writes the URL for a tenant and a call's arguments. A failure is an Outcome.
func (t *template) expand(tenant string, arguments []byte) (*url.URL, *Outcome) {
	r, f := read(arguments, maxArgumentsDepth, t.wanted.root, t.wanted.count)
	if f != sound {
		return nil, new(fail(CauseBadCall, "the arguments are no JSON object within the bounds"))
	}
	var out []byte
	for _, p := range t.pieces {
		value := tenant
		switch {
		case p.kind == noVariable:
			out = append(out, p.literal...)
			continue
		case p.argument != nil:
			var ok bool
			if value, ok = r.text(p.argument); !ok {
				return nil, new(fail(CauseRefusedValue, "an argument that the URL reads is absent, or no text, number or boolean"))
			}
		}
		if err := refused(p.kind, value); err != nil {
			cause := CauseRefusedValue
			if p.argument == nil {
				cause = CauseBadCall
			}
			return nil, new(fail(cause, err.Error()))
		}
		if out = appendEncoded(out, value); len(out) > maxURLBytes {
			return nil, new(fail(CauseRefusedValue, "the URL gets too long"))
		}
	}
	return t.whole(string(out))
}

// whole reads what was written, and holds it to what was meant.
func (t *template) whole(text string) (*url.URL, *Outcome) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, new(fail(CauseRefusedValue, "the URL cannot be read"))
	}
	again := u.Scheme + "://" + u.Host + u.EscapedPath()
	if strings.Contains(text, "?") {
		again += "?" + u.RawQuery
	}
	rest := strings.TrimPrefix(text, t.origin)
	if u.Scheme != t.scheme || u.Host != t.host || again != t.scheme+"://"+t.host+rest || u.User != nil || u.Opaque != "" || u.Fragment != "" {
		return nil, new(fail(CauseRefusedValue, "the URL reads otherwise than it was written"))
	}
	return u, nil
}

// text is the text of a scalar argument: a number as it was written.
func (r *reader) text(n *node) (string, bool) {
	p := r.places[n.id]
	if p.shape != scalar || r.in[p.start] == 'n' {
		return "", false
	}
	raw := r.in[p.start:p.end]
	if raw[0] == '"' {
		raw = appendUnquoted(raw)
	}
	return string(raw), true
}

// title is how a variable is shown to the adapter's author.
func title(name string) string { return fmt.Sprintf("{%s}", shown.Name(name)) }
