package webhooks

import (
	"encoding/json"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// answer is what one request gets, written in one go. The zero value is no answer.
type answer struct {
	code int32
	// body is the review of a 200; every other code gets a Status.
	body    []byte
	reason  metav1.StatusReason
	message string
	// retryAfter is in seconds; 0 is none. A verdict never has one: it would be the
	// same again.
	retryAfter int32
	allow      string
	// challenge asks for a bearer token.
	challenge bool
	// hangUp ends the connection: what follows on it is not worth reading.
	hangUp bool
}

func (a answer) set() bool { return a.code != 0 }

// Reasons that apimachinery has no constant for.
const (
	reasonRequestTimeout metav1.StatusReason = "RequestTimeout"
	reasonNotReady       metav1.StatusReason = "NotReady"
	reasonNotRecorded    metav1.StatusReason = "NotRecorded"
)

func refuse(code int32, reason metav1.StatusReason, message string) answer {
	return answer{code: code, reason: reason, message: message}
}

func tooLarge() answer {
	a := refuse(http.StatusRequestEntityTooLarge, metav1.StatusReasonRequestEntityTooLarge, "the body is over 1 MiB")
	a.hangUp = true
	return a
}

func unsupported(message string) answer {
	return refuse(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType, message)
}

func unauthenticated() answer {
	a := refuse(http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "a bearer token of a ServiceAccount with this server's audience is needed")
	// Strangers do not get to keep a connection, nor h2's many streams.
	a.challenge, a.hangUp = true, true
	return a
}

func unavailable(reason metav1.StatusReason, message string, retryAfter int32) answer {
	a := refuse(http.StatusServiceUnavailable, reason, message)
	a.retryAfter = max(1, retryAfter)
	return a
}

// write sends the answer. A failed write is the client's loss; there is nobody left
// to tell.
func (a answer) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if a.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(a.retryAfter)))
	}
	if a.allow != "" {
		h.Set("Allow", a.allow)
	}
	if a.challenge {
		h.Set("WWW-Authenticate", `Bearer realm="callgate"`)
	}
	if a.hangUp {
		h.Set("Connection", "close")
	}
	body := a.body
	if body == nil {
		body = a.status()
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(int(a.code))
	_, _ = w.Write(body)
}

func (a answer) status() []byte {
	s := metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure,
		Reason:   a.reason,
		Message:  a.message,
		Code:     a.code,
	}
	if a.retryAfter > 0 {
		s.Details = &metav1.StatusDetails{RetryAfterSeconds: a.retryAfter}
	}
	// A Status of strings and numbers always encodes.
	body, _ := json.Marshal(s)
	return append(body, '\n')
}
