package toolcall

import (
	"github.com/callgate/callgate/internal/rawjson"
)

// Context is what the application says of the session, not the model. The zero value
// says nothing.
type Context struct {
	// Tenant is "" where none is said. Whether it can be one is the review's to judge.
	Tenant string
	// Attributes is the JSON text of an object without duplicate keys, nil for none.
	Attributes []byte
}

// OnBehalfOf names the ServiceAccount to judge for. Whether there is one is not looked
// at; the names can be those of one.
type OnBehalfOf struct {
	Namespace, ServiceAccountName string
}

// MaxTenantBytes bounds what can be said of a tenant. A label value has 63; a longer
// text is no tenant, and still a verdict's to refuse.
const MaxTenantBytes = 253

// decodeContext reads request.context. All of it is the application's own, so whatever
// is wrong with it is an error of the review.
func decodeContext(raw []byte) (Context, error) {
	fields, err := strictObject(raw, "request.context", "tenant", "attributes")
	if err != nil {
		return Context{}, err
	}
	var c Context
	if fields[0] != nil {
		tenant, ok := plainText(fields[0])
		if !ok || len(tenant) > MaxTenantBytes {
			return Context{}, badRequest("request.context.tenant must be a string of at most %d bytes", MaxTenantBytes)
		}
		c.Tenant = tenant
	}
	if fields[1] != nil {
		if !plainObject(fields[1]) {
			return Context{}, badRequest("request.context.attributes must be an object, and no object in it may have a key twice")
		}
		c.Attributes = fields[1]
	}
	return c, nil
}

// plainObject reports whether every reader takes the text for the same object.
func plainObject(raw []byte) bool {
	if rawjson.KindOf(raw) != rawjson.Object {
		return false
	}
	// The body is bounded and checked; these limits only keep to its bounds.
	v, err := rawjson.Parse(raw, rawjson.Limits{MaxDepth: MaxDepth, MaxValues: MaxBodyBytes})
	return err == nil && unambiguous(v)
}

func unambiguous(v *rawjson.Value) bool {
	seen := make(map[string]struct{}, len(v.Fields))
	for _, f := range v.Fields {
		if _, again := seen[f.Key]; again || !unambiguous(f.Value) {
			return false
		}
		seen[f.Key] = struct{}{}
	}
	for _, item := range v.Items {
		if !unambiguous(item) {
			return false
		}
	}
	return true
}

// decodeOnBehalfOf reads request.onBehalfOf: two names, both of them.
func decodeOnBehalfOf(raw []byte) (*OnBehalfOf, error) {
	fields, err := strictObject(raw, "request.onBehalfOf", "namespace", "serviceAccountName")
	if err != nil {
		return nil, err
	}
	namespace, ok := plainText(fields[0])
	name, ok2 := plainText(fields[1])
	if !ok || !ok2 || !dnsLabel(namespace) || !dnsSubdomain(name) {
		return nil, badRequest("request.onBehalfOf must name a ServiceAccount by namespace and serviceAccountName")
	}
	return &OnBehalfOf{Namespace: namespace, ServiceAccountName: name}, nil
}

// The longest names of a namespace and of a ServiceAccount.
const (
	maxDNSLabel     = 63
	maxDNSSubdomain = 253
)

// dnsLabel and dnsSubdomain are the forms of a namespace's name and of an account's
// (RFC 1123). Anything else could stand for another user: a user name joins the two by
// a colon.
func dnsLabel(s string) bool {
	return len(s) <= maxDNSLabel && dnsPart(s)
}

func dnsSubdomain(s string) bool {
	if len(s) > maxDNSSubdomain {
		return false
	}
	start := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] != '.' {
			continue
		}
		if !dnsPart(s[start:i]) {
			return false
		}
		start = i + 1
	}
	return true
}

func dnsPart(s string) bool {
	for i := range len(s) {
		c := s[i]
		alphanumeric := 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
		if !alphanumeric && (c != '-' || i == 0 || i == len(s)-1) {
			return false
		}
	}
	return s != ""
}
