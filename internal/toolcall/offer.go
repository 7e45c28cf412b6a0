package toolcall

import (
	"github.com/callgate/callgate/internal/rawjson"
)

// MaxOffered bounds the entries of one offer. The largest that a provider takes in
// one request is far below (512 declarations at Gemini, 128 functions at OpenAI);
// beyond it the request is refused as a whole.
const MaxOffered = 2048

// EntryFault says, in one word, why an entry of an offer cannot be understood. Each
// of them blocks, whatever the policies say.
type EntryFault string

const (
	// EntryOK: the entry has its names and no doubt about them.
	EntryOK EntryFault = ""
	// EntryNotAnObject: the entry is no object (or, of a list of names, no string), or
	// one of too many fields.
	EntryNotAnObject EntryFault = "not_an_object"
	// EntryAmbiguous: keys that decide occur twice or spelt differently, or hold what
	// none of them may.
	EntryAmbiguous EntryFault = "ambiguous"
	// EntryNoName: nothing in the entry is a name. An empty name counts as none.
	EntryNoName EntryFault = "no_name"
	// EntryTwoNames: two readers could take the entry for two different tools.
	EntryTwoNames EntryFault = "two_names"
	// EntryDeclaredTwice: another entry declares the same name; providers differ on
	// which of them wins.
	EntryDeclaredTwice EntryFault = "declared_twice"
)

// SchemaLanguage is what an offered schema is written in when it has no $schema of
// its own (formats, section 13).
type SchemaLanguage uint8

const (
	// LanguageDraft7 is JSON Schema, Draft 7.
	LanguageDraft7 SchemaLanguage = iota
	// LanguageDraft2020 is JSON Schema 2020-12: MCP and Anthropic.
	LanguageDraft2020
	// LanguageOpenAPI is Gemini's subset of OpenAPI 3.0: upper-case types, nullable.
	LanguageOpenAPI
)

// OfferedSchema is the schema of an entry as the offer has it.
type OfferedSchema struct {
	// Text is JSON, and refers to the body.
	Text     []byte
	Language SchemaLanguage
}

// OfferEntry is one entry of an offer.
type OfferEntry struct {
	// Index is the place of the entry in the list of tools, from 0. Where a request has
	// several lists, they are counted one after the other; what is nested in an entry
	// has the entry's place.
	Index int
	// Names are the effective names that the entry offers: one, or for the filter of an
	// MCP server as many as it lets through, or all that any reader could find where
	// Fault is set. Only a malformed entry, or a filter that lets nothing through, has
	// none.
	Names []string
	Fault EntryFault
	// Schemas are those of the tool's arguments, if any: more than one only where an
	// entry has several places for them.
	Schemas []OfferedSchema

	// surfaced: the entry stands in the conversation and may repeat what a list declares.
	surfaced bool
	// raw is the entry as it is offered, nil where it has no text of its own.
	raw []byte
}

// Offer is what a client offers to a model in one request: a decoded
// ToolRequestReview, or a provider's request alone.
type Offer struct {
	UID string
	// Context is what the application knows of the session, OnBehalfOf the account that
	// is asked for, nil for the caller itself.
	Context    Context
	OnBehalfOf *OnBehalfOf
	// Format is Native for a list of names, and never Auto.
	Format  Format
	Entries []OfferEntry
	// Chosen are the names that the request refers to without declaring them: those of
	// tool_choice and its kin, and of references in the conversation. They have to be
	// declared like the others.
	Chosen []string
	// RequestTools is the JSON list of the entries as they are offered, for the semantic
	// validator. It has the members that say what a tool is and no others: of an MCP
	// server's address, for one, only scheme and host.
	RequestTools []byte
}

// DecodeOffer decodes a provider's request as it is about to be sent, or for MCP the
// result of tools/list. It looks into every place where any of the formats has tools,
// whichever the request's own is: a tool that this format does not know is one that
// the next proxy may.
//
// What is wrong with one entry is that entry's Fault. An error is an *EnvelopeError of
// status 400: the body is no request of the format, or is so written that readers
// differ on where its tools are. The caller has bounded the body; entries refer to it.
func DecodeOffer(format Format, body []byte) (Offer, error) {
	if err := check(body); err != nil {
		return Offer{}, err
	}
	return decodeOffer(format, body)
}

func decodeOffer(format Format, body []byte) (Offer, error) {
	if rawjson.KindOf(body) != rawjson.Object {
		return Offer{}, badRequest("the body is no request: expected an object")
	}
	if format == Auto {
		var err error
		if format, err = recogniseOffer(body); err != nil {
			return Offer{}, err
		}
	}
	keys, ok := requestKeys[format]
	if !ok {
		return Offer{}, badRequest("message format %s is not supported; supported are %s, %s",
			quoted(string(format)), formatList(messageFormats...), Auto)
	}
	if key := wrappedTools(body); key != "" {
		return Offer{}, badRequest("the body has tools under %s, where no request has them on the wire: send what the library sends", key)
	}
	r := offerReader{format: format}
	if err := r.body(body); err != nil {
		return Offer{}, err
	}
	if r.tooMany {
		return Offer{}, tooManyOffered()
	}
	if !r.read && !hasKey(body, keys) {
		return Offer{}, badRequest("the body is no %s request: it has none of the fields that one has", format)
	}
	return r.offer(), nil
}

// DecodeNames decodes a list of effective names, as a client offers them that has no
// provider's request at hand.
func DecodeNames(list []byte) (Offer, error) {
	if err := check(list); err != nil {
		return Offer{}, err
	}
	return decodeNames(list)
}

func decodeNames(list []byte) (Offer, error) {
	names, err := rawjson.Elements(list, MaxOffered)
	if err != nil {
		return Offer{}, badRequest("request.tools must be a list of at most %d names", MaxOffered)
	}
	r := offerReader{format: Native}
	for _, raw := range names {
		e := entry{}
		if rawjson.KindOf(raw) != rawjson.String {
			e.fault(EntryNotAnObject)
		} else {
			e.name(raw)
		}
		r.add(raw, e.finish(""))
	}
	return r.offer(), nil
}

// DecodeRequestReview decodes the body of a ToolRequestReview request:
//
//	{"apiVersion": "review.callgate.dev/v1alpha1", "kind": "ToolRequestReview",
//	 "request": {"uid": "…", "tools": ["…"] | "message": {"format": "…", "body": …}}}
//
// Errors are as for DecodeOffer.
func DecodeRequestReview(body []byte) (Offer, error) {
	if err := check(body); err != nil {
		return Offer{}, err
	}
	request, err := decodeTop(body, KindRequestReview)
	if err != nil {
		return Offer{}, err
	}
	fields, err := strictObject(request, "request", "uid", "tools", "message", "context", "onBehalfOf")
	if err != nil {
		return Offer{}, err
	}
	var session Review
	if err := session.decodeRest(fields[0], fields[3], fields[4]); err != nil {
		return Offer{}, err
	}
	tools, message := fields[1], fields[2]
	var offer Offer
	switch {
	case tools != nil && message != nil:
		return Offer{}, badRequest("request has both tools and message; exactly one is wanted")
	case tools != nil:
		offer, err = decodeNames(tools)
	case message != nil:
		offer, err = decodeEnvelopedOffer(message)
	default:
		return Offer{}, badRequest("request has neither tools nor message")
	}
	offer.UID, offer.Context, offer.OnBehalfOf = session.UID, session.Context, session.OnBehalfOf
	return offer, err
}

// Session is a review of no call by the same application, for the same account: what
// rests on who asks for whom is the same for both.
func (o *Offer) Session() *Review {
	return &Review{UID: o.UID, Context: o.Context, OnBehalfOf: o.OnBehalfOf}
}

// KindRequestReview is the kind of a review of an offer.
const KindRequestReview = "ToolRequestReview"

func decodeEnvelopedOffer(raw []byte) (Offer, error) {
	fields, err := strictObject(raw, "request.message", "format", "body")
	if err != nil {
		return Offer{}, err
	}
	name, ok := plainText(fields[0])
	if !ok {
		return Offer{}, badRequest("request.message.format must be a string, one of %s, %s", formatList(messageFormats...), Auto)
	}
	if fields[1] == nil {
		return Offer{}, badRequest("request.message.body is missing")
	}
	return decodeOffer(Format(name), fields[1])
}

// decodeTop reads the outermost object of a review of that kind and gives its request.
func decodeTop(body []byte, kind string) ([]byte, error) {
	top, err := strictObject(body, "the review", "apiVersion", "kind", "request")
	if err != nil {
		return nil, err
	}
	if s, ok := plainText(top[0]); !ok || s != APIVersion {
		return nil, badRequest("apiVersion must be %q", APIVersion)
	}
	if s, ok := plainText(top[1]); !ok || s != kind {
		return nil, badRequest("kind must be %q", kind)
	}
	if top[2] == nil {
		return nil, badRequest("request is missing")
	}
	return top[2], nil
}
