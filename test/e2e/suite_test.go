package e2e_test

import (
	"context"
	"io"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
	"k8s.io/apimachinery/pkg/types"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/app"
	"github.com/callgate/callgate/internal/testenv"
	"github.com/callgate/callgate/test/harness"
)

// identityTTL is short enough to watch an identity end.
const identityTTL = 2 * time.Second

var (
	env     *testenv.Env
	issuer  *oidcIssuer
	manager *harness.Manager
	// managerLog is what the manager has logged.
	managerLog = gbytes.NewBuffer()
)

func TestE2E(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "End to end")
}

var _ = BeforeSuite(func(ctx SpecContext) {
	SetDefaultEventuallyTimeout(20 * time.Second)
	SetDefaultEventuallyPollingInterval(20 * time.Millisecond)
	issuer = newIssuer(GinkgoTB())
	env = testenv.StartWith(GinkgoTB(), testenv.Options{APIServerArgs: issuer.apiServerArgs(GinkgoTB())})
	harness.Install(ctx, GinkgoTB(), env)
	manager = harness.StartManager(ctx, GinkgoTB(), env, func(o *app.Options) {
		o.RefusalTTL, o.IdentityTTL = time.Second, identityTTL
		o.AuthorizationRefusalTTL, o.AuthorizationTTL = time.Second, identityTTL
		o.Log = io.MultiWriter(GinkgoWriter, managerLog)
		// The validators of these tests listen on loopback.
		o.AllowedUpstreams, o.AllowedSpecial = []string{"127.0.0.1:*"}, []string{"loopback"}
	})
	harness.RegisterAdmission(ctx, GinkgoTB(), env, manager.Admission, manager.CA)
})

func objectKey(namespace, name string) types.NamespacedName {
	return types.NamespacedName{Namespace: namespace, Name: name}
}

// ask sends a review to the suite's manager.
func ask(ctx context.Context, token string, body []byte) harness.Answer {
	GinkgoHelper()
	return manager.Ask(ctx, GinkgoTB(), token, body)
}

// verdict asks for a verdict.
func verdict(ctx context.Context, token string, body []byte) *reviewv1alpha1.ToolCallReviewResponse {
	GinkgoHelper()
	return ask(ctx, token, body).Verdict(GinkgoTB())
}
