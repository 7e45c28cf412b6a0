package webhooks

import (
	"mime"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/toolcall"
)

// ReviewPath is where reviews of calls are posted, OfferPath where those of offers are. A
// query string is ignored.
const (
	ReviewPath = reviewPrefix + reviewv1alpha1.ResourceToolCallReviews
	OfferPath  = reviewPrefix + reviewv1alpha1.ResourceToolRequestReviews

	reviewPrefix = "/apis/review.callgate.dev/v1alpha1/"
)

// checkRequest refuses what its first lines already rule out, before anybody is asked
// and before any of the body is read.
func checkRequest(r *http.Request, known bool) answer {
	switch {
	case !known:
		return refuse(http.StatusNotFound, metav1.StatusReasonNotFound, "no such resource here; reviews are posted to "+ReviewPath+", "+OfferPath+" and "+ExecutionPath)
	case r.Method != http.MethodPost:
		a := refuse(http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, "reviews are created with POST")
		a.allow = http.MethodPost
		return a
	case !plainBody(r.Header):
		return unsupported("Content-Encoding is not supported: send the body as it is")
	case !jsonBody(r.Header):
		return unsupported("Content-Type must be application/json, in UTF-8")
	case r.ContentLength > toolcall.MaxBodyBytes:
		return tooLarge()
	}
	return answer{}
}

// plainBody: a compressed body would be read by us and the executor through two
// decoders, and could unfold beyond every bound.
func plainBody(h http.Header) bool {
	for _, v := range h.Values("Content-Encoding") {
		if v = strings.TrimSpace(v); v != "" && !strings.EqualFold(v, "identity") {
			return false
		}
	}
	return true
}

func jsonBody(h http.Header) bool {
	values := h.Values("Content-Type")
	if len(values) != 1 {
		return false
	}
	// Types and parameter names come back in lower case.
	kind, params, err := mime.ParseMediaType(values[0])
	if err != nil || kind != "application/json" {
		return false
	}
	charset, ok := params["charset"]
	return !ok || strings.EqualFold(charset, "utf-8")
}

// bearer returns the request's bearer token, or "" if it has none or more than one.
func bearer(h http.Header) string {
	values := h.Values("Authorization")
	if len(values) != 1 {
		return ""
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
