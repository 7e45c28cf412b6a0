// Package identity turns the bearer token of a request into the caller behind it.
//
// A token is first looked at locally, so that junk costs the API server nothing;
// then the API server is asked twice, once who the token is (TokenReview, for our
// audience) and once whether that ServiceAccount may create reviews in its own
// namespace (SubjectAccessReview). Answers are kept in two bounded caches, yes and
// no apart, so that strangers cannot evict callers.
//
// A yes lives 60 seconds. It lives on for up to 5 minutes only while the API server
// gives no answer, never past the token's own exp, and a no ends it at once. Errors
// are kept as neither. Nothing here keeps, logs or returns a token.
package identity
