package adapter

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"net/url"
	"regexp"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/expr"
)

// Caller is who asked, as it was authenticated: never whom it asks for.
type Caller struct {
	Namespace, Username string
}

// Call is one call that was allowed. All of it but Arguments is Callgate's own knowledge.
type Call struct {
	// UID is that of the request or the generated one: 1 to 128 of [A-Za-z0-9._:-].
	UID string
	// Caller is who asked: executions are told apart by it and UID.
	Caller Caller
	// Adapter and Projection are those of the snapshot that judged.
	Adapter    *Adapter
	Projection *Projection
	// Arguments is the canonical text of what was judged, of which Activation.Args was
	// made. It is not used after Execute has returned.
	Arguments []byte
	// Activation is what the key may read. Its Caller is the one whose policies applied,
	// and is told to backends; its Tenant is the one that was determined.
	Activation *expr.Activation
	// Budget is the review's, shared with its rules. Nil: one evaluation's.
	Budget *expr.Budget
}

// task is a call made ready: what is asked, and for whom.
type task struct {
	id         identity
	mark       fingerprint
	adapter    *Adapter
	projection *Projection

	key string

	url            *url.URL
	body           []byte
	tenant, caller string

	// held is the room taken in the lanes; guarded by the Executor's mutex.
	held int
}

var uids = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)

// prepare makes a call ready, or says what keeps it from being executed. It is pure.
func prepare(c Call) (*task, *Outcome) {
	bad := func(detail string) (*task, *Outcome) { return nil, new(fail(CauseBadCall, detail)) }
	switch a := c.Adapter; {
	case a == nil:
		return bad("the tool has no adapter that is in force")
	case c.Activation == nil || !uids.MatchString(c.UID) || c.Caller.Username == "":
		return bad("the call has no uid, caller or variables")
	case !headerSafe(c.Activation.Caller.Username):
		return bad("the call has no caller that a header can hold")
	case c.Activation.Tenant == "" && a.tenancy != callgatev1alpha1.TenancyNone,
		c.Activation.Tenant != "" && !headerSafe(c.Activation.Tenant):
		return bad("the call has no tenant")
	}
	t := &task{
		id:      identity{c.Caller.Namespace, c.Caller.Username, c.UID},
		adapter: c.Adapter, projection: c.Projection,
		tenant: c.Activation.Tenant, caller: c.Activation.Caller.Username,
	}
	if f := t.target(c); f != nil {
		return nil, f
	}
	t.mark = t.fingerprint(c.Arguments)
	return t, nil
}

// target finds what is asked for.
func (t *task) target(c Call) (f *Outcome) {
	b := t.adapter.http
	if b == nil {
		out := t.adapter.key.Eval(c.Activation, c.Budget)
		if out.Kind != expr.Produced {
			return new(fail(CauseNoKey, "the key: "+string(out.Reason)))
		}
		t.key = out.Text
		return nil
	}
	if t.url, f = b.url.expand(t.tenant, c.Arguments); f != nil {
		return f
	}
	if b.method == callgatev1alpha1.MethodPost || b.method == callgatev1alpha1.MethodPut {
		t.body = bytes.Clone(c.Arguments)
		t.held = len(t.body)
	}
	return nil
}

// fingerprint is over everything that the result hangs on, and over all of the arguments:
// also where none of those that differ is asked for, it is another call. Each part has its
// length before it, so that no two tasks give the same text.
func (t *task) fingerprint(arguments []byte) (mark fingerprint) {
	h := sha256.New()
	var number [8]byte
	part := func(b []byte) {
		binary.BigEndian.PutUint64(number[:], uint64(len(b)))
		_, _ = h.Write(number[:])
		_, _ = h.Write(b)
	}
	a := t.adapter
	target := t.key
	if t.url != nil {
		target = t.url.String()
	}
	for _, text := range []string{a.namespace, a.name, string(a.uid), t.tenant, t.caller, target} {
		part([]byte(text))
	}
	binary.BigEndian.PutUint64(number[:], uint64(a.generation)) //nolint:gosec // any one-to-one mapping will do
	_, _ = h.Write(number[:])
	digest := t.projection.digestOf()
	part(digest[:])
	part(arguments)
	h.Sum(mark[:0])
	return mark
}
