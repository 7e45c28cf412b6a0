package toolcall

import (
	"bytes"
	"slices"

	"github.com/callgate/callgate/internal/rawjson"
)

// declaredTwice faults the entries that share a name with others. In a request's lists
// no two may. What stands in the conversation may repeat another entry, since providers
// give definitions back for the client to send again; it may not say that the name is
// another tool.
func (r *offerReader) declaredTwice() {
	sharing := map[string][]int{}
	for i := range r.entries {
		for _, name := range r.entries[i].Names {
			sharing[name] = append(sharing[name], i)
		}
	}
	// Once for each entry: one may have many names.
	identities := make([][]byte, len(r.entries))
	identity := func(i int) []byte {
		if identities[i] == nil {
			identities[i] = r.entries[i].identity()
		}
		return identities[i]
	}
	for _, same := range sharing {
		if len(same) < 2 {
			continue
		}
		listed := slices.DeleteFunc(slices.Clone(same), func(i int) bool { return r.entries[i].surfaced })
		if len(listed) > 1 {
			r.faultAll(listed)
		}
		if slices.ContainsFunc(same[1:], func(i int) bool { return !bytes.Equal(identity(i), identity(same[0])) }) {
			r.faultAll(same)
		}
	}
}

func (r *offerReader) faultAll(entries []int) {
	for _, i := range entries {
		if e := &r.entries[i]; e.Fault == EntryOK {
			e.Fault = EntryDeclaredTwice
		}
	}
}

// identityKeys are the members that tell one tool from another of the same name: what
// kind it is, what arguments it takes, and whose it is. Descriptions and options may
// differ, as they do in what a provider gives back.
var identityKeys = []string{
	"parameters", "input_schema", "inputSchema", "parametersJsonSchema", "format", "server_url", "url", "connector_id",
}

// identity writes what the entry says of the tool behind its name, in one form for the
// same tool.
func (e *OfferEntry) identity() []byte {
	out := []byte{}
	o, err := readObject(e.raw, append([]string{"type"}, append(identityKeys, nestedKeys...)...)...)
	if err != nil {
		return out
	}
	kind := o.word("type")
	switch {
	case kind == "function", kind == "custom" && !o.set("custom", "format"):
		kind = "" // a client's own tool may leave its type out
	default:
		kind = undated(kind)
	}
	out = rawjson.AppendString(out, kind)
	for _, key := range identityKeys {
		values := [][]byte{o.value(key)}
		for _, nested := range nestedKeys {
			values = append(values, memberOf(o.value(nested), key))
		}
		for _, value := range values {
			if value != nil && !isNull(value) {
				out = append(rawjson.AppendString(out, key), ':')
				out = appendCanonical(out, value)
			}
		}
	}
	return out
}

// appendCanonical writes a value without white space, its keys in order. Depth is the
// body's.
func appendCanonical(out, raw []byte) []byte {
	switch rawjson.KindOf(raw) {
	case rawjson.Object:
		members, _ := rawjson.Members(raw, len(raw))
		slices.SortStableFunc(members, func(a, b rawjson.Member) int { return bytes.Compare([]byte(a.Key), []byte(b.Key)) })
		out = append(out, '{')
		for _, m := range members {
			out = append(rawjson.AppendString(out, m.Key), ':')
			out = append(appendCanonical(out, m.Value), ',')
		}
		return append(out, '}')
	case rawjson.Array:
		items, _ := rawjson.Elements(raw, len(raw))
		out = append(out, '[')
		for _, item := range items {
			out = append(appendCanonical(out, item), ',')
		}
		return append(out, ']')
	case rawjson.String:
		text, _ := rawjson.Text(raw)
		return rawjson.AppendString(out, text)
	}
	return append(out, raw...)
}
