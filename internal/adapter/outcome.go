package adapter

import (
	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/outbound"
)

// Cause says in one fixed word why an execution has no result. It is for audit and
// metrics; callers are told the code. "" means that there is a result.
type Cause string

// The causes of the guard on outbound calls, as it names them.
const (
	CauseNotAllowed = Cause(outbound.CauseNotAllowed)
	CauseTimeout    = Cause(outbound.CauseTimeout)
	CauseCanceled   = Cause(outbound.CauseCanceled)
	CauseResolve    = Cause(outbound.CauseResolve)
	CauseConnect    = Cause(outbound.CauseConnect)
	CauseTLS        = Cause(outbound.CauseTLS)
	CauseRedirect   = Cause(outbound.CauseRedirect)
	CauseTooLarge   = Cause(outbound.CauseTooLarge)
	CauseNoAnswer   = Cause(outbound.CauseNoAnswer)
)

const (
	// CauseNoRecord: there is no such record, or the backend answered 404.
	CauseNoRecord Cause = "no_record"
	// CauseNoKey: the key's expression gave no text for these arguments.
	CauseNoKey Cause = "no_key"
	// CauseRefusedValue: an argument cannot be a part of the URL.
	CauseRefusedValue Cause = "refused_value"
	// CauseBadCall: what Callgate itself knows of the call makes no request: no adapter,
	// no uid, no tenant, arguments that are no JSON object.
	CauseBadCall Cause = "bad_call"
	// CauseNoConfigMap: the ConfigMap, or the key in it, is not there.
	CauseNoConfigMap Cause = "no_config_map"
	// CauseNotLabelled: the ConfigMap lacks the label by which its owner consents.
	CauseNotLabelled Cause = "not_labelled"
	// CauseBadRecords: the ConfigMap's text is no JSON object within the bounds.
	CauseBadRecords Cause = "bad_records"
	// CauseAmbiguous: a key occurs twice, so that readers would differ on its value.
	CauseAmbiguous Cause = "ambiguous"
	// CauseBadRecord: the record is no JSON object within the bounds.
	CauseBadRecord Cause = "bad_record"
	// CauseBadStatus: the status is none that has a record, nor 404.
	CauseBadStatus Cause = "bad_status"
	// CauseNoToken: there is no token for the backend.
	CauseNoToken Cause = "no_token"
	// CausePanicked: a fault of Callgate's own.
	CausePanicked Cause = "panicked"
	// CauseBusy: too much is executed already.
	CauseBusy Cause = "busy"
	// CauseReusedUID: the uid was used a short while ago for another call.
	CauseReusedUID Cause = "reused_uid"
	// CauseClosed: the executor has been closed.
	CauseClosed Cause = "closed"
)

// Outcome is what became of an execution. The zero value is no success.
type Outcome struct {
	// Code is CodeOK, CodeNotFound, CodeUpstreamError or CodeUpstreamTimeout of the
	// review API.
	Code reviewv1alpha1.VerdictCode
	// Result is a JSON object with the fields of the projection, compact; nil unless
	// Code is CodeOK. Others may hold the same bytes: do not change them.
	Result []byte
	// Cause is "" only if Code is CodeOK.
	Cause Cause
	// Detail says more about Cause, for audit and status: host and address at most, no
	// path, no value, nothing of an answer.
	Detail string
}

// OK reports whether there is a result.
func (o Outcome) OK() bool { return o.Code == reviewv1alpha1.CodeOK }

// fail is an outcome without a result; the cause decides the code.
func fail(cause Cause, detail string) Outcome {
	o := Outcome{Code: reviewv1alpha1.CodeUpstreamError, Cause: cause, Detail: detail}
	switch cause {
	// The model chose the arguments. That they lead nowhere is an answer to it, and says
	// nothing of what is there.
	case CauseNoRecord, CauseNoKey, CauseRefusedValue:
		o.Code = reviewv1alpha1.CodeNotFound
	case CauseTimeout, CauseCanceled:
		o.Code = reviewv1alpha1.CodeUpstreamTimeout
	}
	return o
}

// unsent are the causes of executions that reached no backend.
var unsent = map[Cause]bool{
	CauseNotAllowed: true, CauseResolve: true, CauseConnect: true, CauseTLS: true,
	CauseBadCall: true, CauseNoToken: true, CauseClosed: true,
}

// final reports whether the same uid is answered with this outcome again. A failure of
// what may safely be run again is not kept, so that a client's retry can help; one of a
// POST is, unless it certainly never reached the backend.
func (o Outcome) final(repeatable bool) bool {
	switch {
	case o.Code == reviewv1alpha1.CodeOK, o.Code == reviewv1alpha1.CodeNotFound:
		return true
	case repeatable:
		return false
	}
	return !unsent[o.Cause]
}
