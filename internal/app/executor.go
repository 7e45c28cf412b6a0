package app

import (
	"context"
	"fmt"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/callgate/callgate/controllers"
	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/identity"
	"github.com/callgate/callgate/internal/outbound"
)

// ownServiceAccount is Callgate's, as it is shipped; the Role that lets it ask for tokens
// of its own names it.
const ownServiceAccount = "callgate"

const (
	// tokenSeconds is the shortest life that the API server gives a token.
	tokenSeconds = 600
	// tokenSpare is how long before its end a token is replaced: longer than any
	// request takes, and than clocks are apart.
	tokenSpare = 2 * time.Minute
	// maxTokens bounds the tokens that are kept: one a namespace, of hundreds.
	maxTokens = 1024
)

// ownTokens gives tokens of Callgate's own ServiceAccount for backends, and keeps them
// for as long as they are good.
type ownTokens struct {
	create func(ctx context.Context, audience string) (token string, until time.Time, err error)
	now    func() time.Time

	mu   sync.Mutex
	kept map[string]ownToken
}

type ownToken struct {
	value string
	until time.Time
}

var _ adapter.Tokens = &ownTokens{}

// Token implements adapter.Tokens.
func (t *ownTokens) Token(ctx context.Context, audience string) (string, error) {
	t.mu.Lock()
	known, ok := t.kept[audience]
	t.mu.Unlock()
	if ok && t.now().Add(tokenSpare).Before(known.until) {
		return known.value, nil
	}
	value, until, err := t.create(ctx, audience)
	if err != nil {
		return "", fmt.Errorf("asking for a token: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.kept[audience]; !known && len(t.kept) >= maxTokens {
		clear(t.kept)
	}
	t.kept[audience] = ownToken{value, until}
	return value, nil
}

func newOwnTokens(client kubernetes.Interface, namespace string) *ownTokens {
	return &ownTokens{now: time.Now, kept: map[string]ownToken{}, create: func(ctx context.Context, audience string) (string, time.Time, error) {
		request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{Audiences: []string{audience}, ExpirationSeconds: new(int64(tokenSeconds))}}
		got, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, ownServiceAccount, request, metav1.CreateOptions{})
		if err != nil {
			return "", time.Time{}, err
		}
		return got.Status.Token, got.Status.ExpirationTimestamp.Time, nil
	}}
}

// execution is what runs calls that were allowed.
type execution struct {
	identity *identity.Authenticator
	compiler *adapter.Compiler
	records  *controllers.Records
	executor *adapter.Executor
}

// buildExecution makes it. Nothing is asked before a call runs, but for what is watched.
func (p *parts) buildExecution(restConfig *rest.Config, upstreams outbound.Policy) error {
	config := controllers.ClientConfig(restConfig)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("making the client that watches records: %w", err)
	}
	e := execution{
		compiler: &adapter.Compiler{Upstreams: upstreams},
		records:  controllers.NewRecords(client.CoreV1().RESTClient()),
	}
	settings := adapter.DefaultSettings()
	settings.ConfigMaps, settings.Tokens = e.records, newOwnTokens(client, p.opts.LeaderElectionNamespace)
	settings.Observer = executionObserver{p.metrics.Execution}
	if e.executor, err = adapter.NewExecutor(settings); err != nil {
		return fmt.Errorf("setting up executions: %w", err)
	}
	p.execution = e
	return nil
}

// adapters are what the controllers need of it.
func (e *execution) adapters() controllers.AdapterOptions {
	return controllers.AdapterOptions{Compiler: e.compiler, Records: e.records}
}

// run answers executions until ctx ends, and ends those that are running.
func (e *execution) run(ctx context.Context) error {
	err := e.identity.Run(ctx)
	e.executor.Close()
	return err
}
