package jsonschema

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/callgate/callgate/internal/rawjson"
)

// Compiled is a schema that judges calls. It implements Judge; it is immutable.
type Compiled struct {
	root         *schema
	opts         Options
	undeclared   Undeclared
	dialect      Dialect
	hash         string
	allowsString bool
	dynamic      bool
	// planned is what the engine judges by; nil where it leaves the schema to the
	// reference. left says what it leaves, and why.
	planned *planned
	left    []Delegated
	used    keywordSet
}

// Compile turns a schema document into a judge. An empty document stands for
// absent parameters, which never take any argument. Where problems are found,
// all of them are returned, in a fixed order, and no judge; warnings come with
// either. The same document and options always give the same result.
func Compile(doc []byte, opts Options) (c *Compiled, list, warnings []Problem) {
	var p, w problems
	defer func() {
		if cause := recover(); cause != nil {
			p.add("", "", "the schema cannot be compiled (%v); simplify it", cause)
			c, list, warnings = nil, p.sorted("problems"), w.sorted("warnings")
		}
	}()
	c = compile(doc, opts, &p, &w)
	if p.any() {
		c = nil
	}
	return c, p.sorted("problems"), w.sorted("warnings")
}

// compile does the work.
func compile(doc []byte, opts Options, p, w *problems) *Compiled {
	if len(doc) == 0 {
		return noParameters(opts)
	}
	d := readDocument(doc, opts, p, w)
	if d == nil {
		return nil
	}
	d.inspect()
	root := d.compileLibrary()
	if p.any() || root == nil {
		return nil
	}
	c := &Compiled{opts: opts, undeclared: opts.Undeclared, dialect: d.dialect, hash: hashOf(doc, opts)}
	low := newLowering(d, opts)
	c.root = low.schema(root)
	c.dynamic = low.dynamic
	low.finish()
	d.checkCycles(low)
	if p.any() {
		return nil
	}
	c.allowsString = allowsString(c.root)
	c.plan(low.list, low.paths, w)
	d.warn(c.root, low)
	return c
}

// noParameters is the judge for a tool without parameters: whatever becomes of
// undeclared properties elsewhere, it takes none.
func noParameters(opts Options) *Compiled {
	yes := true
	dialect := opts.Dialect
	if dialect == Unspecified {
		dialect = Draft7
	}
	c := &Compiled{
		root: &schema{logic: &logic{}, always: &yes}, opts: opts, undeclared: Reject,
		dialect: dialect, hash: hashOf(nil, opts),
	}
	c.planned, _ = newProgram(c, nil)
	return c
}

// EnvelopeOnly is the judge for calls to tools that have no schema: any object
// passes that keeps the envelope's rules.
func EnvelopeOnly() *Compiled { return envelopeOnly() }

var envelopeOnly = sync.OnceValue(func() *Compiled {
	yes := true
	opts := Options{Undeclared: FollowSchema}
	c := &Compiled{
		root: &schema{logic: &logic{}, always: &yes}, opts: opts, undeclared: FollowSchema,
		dialect: Draft7, hash: hashOf([]byte("envelope"), opts),
	}
	c.planned, _ = newProgram(c, nil)
	return c
})

// Dialect is the draft by which the schema was read.
func (c *Compiled) Dialect() Dialect { return c.dialect }

// Hash identifies the document and the options: "sha256:" and hexadecimal.
func (c *Compiled) Hash() string { return c.hash }

// AllowsString says that the root admits a string by type, which is what free
// texts need.
func (c *Compiled) AllowsString() bool { return c.allowsString }

func hashOf(doc []byte, opts Options) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s|%d|%t|%t|%t|%t|%d|", opts.Dialect, opts.Undeclared, opts.IntegersByValue,
		opts.NullsAbsent, opts.AnnotateFormats, opts.AllowProto, len(doc))
	h.Write(doc)
	if opts.OpenBranches {
		h.Write([]byte("|open"))
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// allowsString says that some type at the root, through $ref and allOf, lists
// string, and that none leaves it out.
func allowsString(root *schema) bool {
	listed, refused := false, false
	for _, s := range root.conjuncts() {
		switch {
		case s.types == 0:
		case s.types&kindString != 0:
			listed = true
		default:
			refused = true
		}
	}
	return listed && !refused
}

// toAny gives a value in the form in which the library takes documents.
func toAny(v *rawjson.Value) any {
	switch v.Kind {
	case rawjson.Bool:
		return v.Raw[0] == 't'
	case rawjson.Number:
		return numberOf(v)
	case rawjson.String:
		return v.Text
	case rawjson.Array:
		list := make([]any, len(v.Items))
		for i, item := range v.Items {
			list[i] = toAny(item)
		}
		return list
	case rawjson.Object:
		m := make(map[string]any, len(v.Fields))
		for _, f := range v.Fields {
			m[f.Key] = toAny(f.Value)
		}
		return m
	}
	return nil
}
