package rawjson

// Kind is the JSON kind of a value. The zero value is Invalid.
type Kind uint8

// The kinds of JSON values.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// Member is one member of an object, in document order. Duplicates are kept.
type Member struct {
	// Key is the decoded key. An unpaired surrogate in it is U+FFFD.
	Key string
	// BadKey says that the key held an unpaired surrogate.
	BadKey bool
	// Value is the member's value as written, without surrounding white space.
	Value []byte
}

// Value is one node of a parsed document.
type Value struct {
	Kind Kind
	// Raw is the value as written.
	Raw []byte
	// Text is the decoded string, for Kind String.
	Text string
	// Fields are the members of an object in document order, duplicates kept.
	Fields []Field
	// Items are the elements of an array.
	Items []*Value
}

// Field is one member of a parsed object.
type Field struct {
	Key   string
	Value *Value
}
