package review

import (
	"container/list"
	"crypto/sha256"
	"sync"

	"github.com/callgate/callgate/internal/jsonschema"
	"github.com/callgate/callgate/internal/shown"
	"github.com/callgate/callgate/internal/toolcall"
)

const (
	// cheapSchemaBytes is how much text of offered schemas is compiled where a review may
	// not cost much: 3 to 35 ms, and 2 to 10 MB that are garbage soon. What is known
	// already is not counted, so an agent's second offer is cheap.
	cheapSchemaBytes = 32 << 10
	// allSchemaBytes is more than a body has.
	allSchemaBytes = 2 * toolcall.MaxBodyBytes

	// maxKnownSchemas bounds what is remembered, at some 200 bytes each: the catalogues
	// of a hundred agents with 64 tools.
	maxKnownSchemas = 8192
	// maxSchemaNotes bounds what is said of one schema that compiles.
	maxSchemaNotes = 4
)

// SchemaChecks remembers what became of offered schemas, by their hash: thousands of
// agents send the same offer with every turn. It is a memo and changes no verdict. It
// is safe for concurrent use; nil remembers nothing.
type SchemaChecks struct {
	mu    sync.Mutex
	known map[schemaKey]*list.Element
	order *list.List // the most recently used first
}

type schemaKey [sha256.Size]byte

type knownSchema struct {
	key   schemaKey
	check schemaCheck
}

// schemaCheck is what became of one schema. The zero value does not compile.
type schemaCheck struct {
	compiles bool
	// notes are the places of what is wrong, or odd and no fault of the schema in its
	// dialect: JSON Pointers.
	notes []string
}

// NewSchemaChecks makes an empty memo.
func NewSchemaChecks() *SchemaChecks {
	return &SchemaChecks{known: map[schemaKey]*list.Element{}, order: list.New()}
}

// schemaRun is the checks of one review, which may compile so many bytes.
type schemaRun struct {
	memo *SchemaChecks
	left int
	// exhausted: a schema was left unchecked.
	exhausted bool
}

func (c *SchemaChecks) begin(bytes int) *schemaRun { return &schemaRun{memo: c, left: bytes} }

func (r *schemaRun) check(s toolcall.OfferedSchema) schemaCheck {
	if r.exhausted {
		return schemaCheck{}
	}
	key := keyOfSchema(s)
	if check, ok := r.memo.get(key); ok {
		return check
	}
	if r.left -= len(s.Text); r.left < 0 {
		r.exhausted = true
		return schemaCheck{}
	}
	check := checkSchema(s)
	r.memo.put(key, check)
	return check
}

func keyOfSchema(s toolcall.OfferedSchema) schemaKey {
	h := sha256.New()
	h.Write([]byte{byte(s.Language)})
	h.Write(s.Text)
	return schemaKey(h.Sum(nil))
}

func (c *SchemaChecks) get(key schemaKey) (schemaCheck, bool) {
	if c == nil {
		return schemaCheck{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.known[key]
	if !ok {
		return schemaCheck{}, false
	}
	c.order.MoveToFront(at)
	return at.Value.(knownSchema).check, true
}

func (c *SchemaChecks) put(key schemaKey, check schemaCheck) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.known[key]; ok {
		return
	}
	c.known[key] = c.order.PushFront(knownSchema{key: key, check: check})
	if last := c.order.Back(); len(c.known) > maxKnownSchemas {
		delete(c.known, c.order.Remove(last).(knownSchema).key)
	}
}

// checkSchema compiles a schema as its provider would: what only our own judge refuses,
// for the sake of the arguments that it judges, is no fault of an offer.
func checkSchema(s toolcall.OfferedSchema) schemaCheck {
	dialect := jsonschema.Draft7
	if s.Language == toolcall.LanguageDraft2020 {
		dialect = jsonschema.Draft2020
	}
	_, problems, warnings := jsonschema.Compile(s.JSONSchema(), jsonschema.Options{
		Dialect: dialect, Undeclared: jsonschema.FollowSchema, OpenBranches: true,
	})
	check := schemaCheck{compiles: len(problems) == 0}
	for _, p := range append(problems, warnings...) {
		if len(check.notes) == maxSchemaNotes {
			break
		}
		check.notes = append(check.notes, shown.Path(p.Path))
	}
	return check
}
