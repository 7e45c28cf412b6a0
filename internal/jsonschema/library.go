package jsonschema

import (
	"errors"
	"net/url"
	"strings"

	lib "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/callgate/callgate/internal/rawjson"
)

// library is the compiler of one document. It is dropped with the document: it
// would keep everything that it ever saw.
type library struct {
	compiler *lib.Compiler
	url      string
}

// compileLibrary validates the document against its meta-schema and resolves
// it. There is no loader, so nothing outside the document can be read.
func (d *document) compileLibrary() *lib.Schema {
	if d.overBounds() {
		return nil
	}
	c := lib.NewCompiler()
	c.UseLoader(nil)
	c.DefaultDraft(d.dialect.library())
	c.UseRegexpEngine(d.engine)
	if !d.opts.AnnotateFormats {
		c.AssertFormat()
		registerFormats(c)
	}
	d.library = &library{compiler: c, url: d.baseURL()}
	if err := c.AddResource(d.library.url, toAny(d.tree)); err != nil {
		d.libraryError(err)
		return nil
	}
	s, err := c.Compile(d.library.url)
	if err != nil {
		d.libraryError(err)
		return nil
	}
	return s
}

// overBounds says that a bound is broken that protects the library.
func (d *document) overBounds() bool {
	for _, p := range d.problems.list {
		if p.Path == "" && p.Keyword != "$schema" {
			return true
		}
	}
	return false
}

// libraryError turns an error of the library into problems.
func (d *document) libraryError(err error) {
	var invalid *lib.SchemaValidationError
	if errors.As(err, &invalid) {
		var ve *lib.ValidationError
		if errors.As(invalid.Err, &ve) {
			base := fragmentOf(invalid.URL)
			for _, leaf := range leaves(ve) {
				d.metaProblem(base, leaf)
			}
			if !d.problems.any() {
				d.problems.add(base, "", "this is no schema of %s", d.dialect)
			}
			return
		}
	}
	if d.problems.any() {
		// References and patterns are told already, with their places.
		return
	}
	d.problems.add("", "", "%s", strings.ReplaceAll(err.Error(), d.library.url, ""))
}

func fragmentOf(u string) string {
	_, fragment, _ := strings.Cut(u, "#")
	if plain, err := url.PathUnescape(fragment); err == nil {
		return plain
	}
	return fragment
}

// leaves gives the errors that explain a failure. Of a failed anyOf those count
// that lie deeper than it, because there the author meant that branch. Property
// names are left out: the library loses their place, and those that a
// meta-schema limits are patterns, which are checked already.
func leaves(e *lib.ValidationError) []*lib.ValidationError {
	if _, ok := e.ErrorKind.(*kind.PropertyNames); ok {
		return nil
	}
	if len(e.Causes) == 0 {
		return []*lib.ValidationError{e}
	}
	var all []*lib.ValidationError
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
	default:
		return all
	}
	var deeper []*lib.ValidationError
	for _, leaf := range all {
		if len(leaf.InstanceLocation) > len(e.InstanceLocation) {
			deeper = append(deeper, leaf)
		}
	}
	if len(deeper) == 0 {
		return []*lib.ValidationError{e}
	}
	return deeper
}

// metaProblem says what a place must hold that the meta-schema refuses.
func (d *document) metaProblem(base string, e *lib.ValidationError) {
	var b strings.Builder
	b.WriteString(base)
	for _, step := range e.InstanceLocation {
		b.WriteByte('/')
		b.WriteString(rawjson.EscapeToken(step))
	}
	path := b.String()
	steps := stepsOf(path)
	keyword, last := lastKeyword(path)
	_, isType := e.ErrorKind.(*kind.Type)
	switch {
	case last:
		d.problems.add(path, keyword, "%s must be %s", keyword, shapes[keyword])
	case isType && positionBelow(steps):
		d.problems.add(path, keyword, "a schema must stand here: an object, or true or false where the draft knows them")
	case keyword != "":
		d.problems.add(path, keyword, "this is not allowed here: %s must be %s", keyword, shapes[keyword])
	default:
		d.problems.add(path, keyword, "this is no schema of %s", d.dialect)
	}
}

// underMap says that the last step of a location is a name of the author's
// rather than a keyword.
func underMap(location []string) bool {
	n := len(location)
	if n < 2 {
		return false
	}
	return positions[location[n-2]].holds&mapPosition != 0 && !underMap(location[:n-1])
}

// positionBelow says that a location is a schema position.
func positionBelow(location []string) bool {
	n := len(location)
	if n == 0 {
		return true
	}
	if underMap(location) {
		return true
	}
	return n >= 2 && positions[location[n-2]].holds&listPosition != 0
}
