package testenv_test

import (
	"errors"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/testenv"
)

func TestNewWithoutAssetsSaysWhatToDo(t *testing.T) {
	t.Setenv("KUBEBUILDER_ASSETS", "")
	if _, err := testenv.New(testenv.Options{}); !errors.Is(err, testenv.ErrNoAssets) {
		t.Fatalf("New() = %v, want ErrNoAssets", err)
	}
}

func TestEnv(t *testing.T) {
	ctx := t.Context()
	env := testenv.Start(t)
	ns := env.Namespace(ctx, t)

	t.Run("CRDs are served", func(t *testing.T) {
		if err := env.Client.List(ctx, &callgatev1alpha1.ToolPolicyList{}, client.InNamespace(ns)); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("tokens are reviewed for their audience", func(t *testing.T) {
		env.ServiceAccount(ctx, t, ns, "agent")
		token := env.Token(ctx, t, ns, "agent", "callgate", 600)
		for audience, want := range map[string]bool{"callgate": true, "other": false} {
			review, err := env.Clientset.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{
				Spec: authenticationv1.TokenReviewSpec{Token: token, Audiences: []string{audience}},
			}, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if review.Status.Authenticated != want {
				t.Errorf("audience %q: authenticated = %t, want %t (%s)", audience, review.Status.Authenticated, want, review.Status.Error)
			}
		}
	})
	t.Run("a user may do nothing unasked", func(t *testing.T) {
		stranger, err := client.New(env.AddUser(t, "stranger"), client.Options{Scheme: env.Scheme})
		if err != nil {
			t.Fatal(err)
		}
		if err := stranger.List(ctx, &callgatev1alpha1.ToolPolicyList{}); !apierrors.IsForbidden(err) {
			t.Errorf("List() = %v, want forbidden", err)
		}
	})
	t.Run("the API server comes back with its data", func(t *testing.T) {
		if err := env.StopAPIServer(); err != nil {
			t.Fatal(err)
		}
		if err := env.StartAPIServer(); err != nil {
			t.Fatal(err)
		}
		if err := env.WaitHealthy(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := env.Clientset.CoreV1().Namespaces().Get(ctx, ns, metav1.GetOptions{}); err != nil {
			t.Fatal(err)
		}
	})
}
