package identity

import (
	"context"
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/review"
)

// TokenReviewer tells who a token is. client-go's TokenReviews() is one.
type TokenReviewer interface {
	Create(context.Context, *authenticationv1.TokenReview, metav1.CreateOptions) (*authenticationv1.TokenReview, error)
}

// AccessReviewer tells what somebody may do. client-go's SubjectAccessReviews() is
// one.
type AccessReviewer interface {
	Create(context.Context, *authorizationv1.SubjectAccessReview, metav1.CreateOptions) (*authorizationv1.SubjectAccessReview, error)
}

const (
	reviewVerb = "create"
	// via names the front door that callers with a bearer token come through.
	via = "https"
	// probeToken is no JWT, so that every authenticator refuses it from its shape.
	probeToken = "callgate-probe"
)

// reviewer puts the two questions to the API server.
//
// It calls client-go rather than k8s.io/apiserver's webhook authenticator and
// authorizer. Those report a token that the API server refused with a reason as an
// error like any other, so a refusal could not be told from an outage, which is the
// distinction on which every life in this package rests. They also log each failure
// to a global logger, retry by a backoff of their own, and the authorizer has a
// second cache, which would lengthen ours.
type reviewer struct {
	tokens   TokenReviewer
	access   AccessReviewer
	audience string
	resource string
}

// user is what the API server says about a token. A nil user is a refusal.
type user = authenticationv1.UserInfo

// whois asks who stands behind the token: nil if nobody does. An error means that no
// answer came.
func (r *reviewer) whois(ctx context.Context, token string) (*user, error) {
	got, err := r.tokens.Create(ctx, &authenticationv1.TokenReview{
		Spec: authenticationv1.TokenReviewSpec{Token: token, Audiences: []string{r.audience}},
	}, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	// An authenticator that knows nothing of audiences confirms none, and would
	// accept a token made out to somebody else.
	if !got.Status.Authenticated || !slices.Contains(got.Status.Audiences, r.audience) {
		return nil, nil
	}
	return &got.Status.User, nil
}

// may asks whether the user may create reviews in namespace.
func (r *reviewer) may(ctx context.Context, u *user, namespace string) (bool, error) {
	extra := make(map[string]authorizationv1.ExtraValue, len(u.Extra))
	for key, values := range u.Extra {
		extra[key] = authorizationv1.ExtraValue(values)
	}
	got, err := r.access.Create(ctx, &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{
			User: u.Username, UID: u.UID, Groups: u.Groups, Extra: extra,
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: namespace,
				Verb:      reviewVerb,
				Group:     reviewv1alpha1.GroupVersion.Group,
				Version:   reviewv1alpha1.GroupVersion.Version,
				Resource:  r.resource,
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	return got.Status.Allowed && !got.Status.Denied, nil
}

// answers reports whether the API server answers at all. It asks about a token that
// is nobody's, so that no caller's token has to be kept for the purpose.
func (r *reviewer) answers(ctx context.Context) bool {
	_, err := r.tokens.Create(ctx, &authenticationv1.TokenReview{
		Spec: authenticationv1.TokenReviewSpec{Token: probeToken, Audiences: []string{r.audience}},
	}, metav1.CreateOptions{})
	return err == nil
}

// callerOf is false for users that are no ServiceAccount.
func callerOf(u *user) (review.Caller, bool) {
	namespace, name, err := serviceaccount.SplitUsername(u.Username)
	if err != nil {
		return review.Caller{}, false
	}
	return review.Caller{
		Kind: review.ServiceAccount, Namespace: namespace, Name: name,
		Groups: slices.Clone(u.Groups), Via: via,
	}, true
}
