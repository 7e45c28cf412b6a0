package adapter

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/expr"
	"github.com/callgate/callgate/internal/outbound"
	"github.com/callgate/callgate/internal/shown"
)

// The API's defaults and bounds, held again for objects that no API server has seen.
const (
	defaultTimeout  = 3 * time.Second
	minTimeout      = 100 * time.Millisecond
	maxTimeout      = 30 * time.Second
	defaultResponse = 1 << 20
	maxResponse     = 4 << 20
	maxKeyBytes     = 4 * 4096
	maxAudience     = 253
)

// Options are what Compile needs beside the object. The zero value allows Services of
// the adapter's own namespace, and knows nothing of the arguments.
type Options struct {
	// Upstreams is the operator's policy. The adapter's own namespace is added here.
	Upstreams outbound.Policy
	// Args is what the tool's schema says of the arguments; nil: nothing.
	Args *expr.ArgsType
	// Resolver and Dial replace the system's, for tests.
	Resolver outbound.Resolver
	Dial     outbound.DialFunc
}

// Adapter is a compiled ToolAdapter. It is immutable, holds no connection, and is safe
// for concurrent use.
type Adapter struct {
	namespace, name, toolName string
	uid                       types.UID
	generation                int64
	tenancy                   callgatev1alpha1.Tenancy

	// key and ref are set for records.
	key *expr.Program
	ref callgatev1alpha1.ConfigMapKeyRef

	// http is set for a backend.
	http *backend
}

// backend is a compiled spec.http.
type backend struct {
	url      *template
	method   callgatev1alpha1.HTTPMethod
	timeout  time.Duration
	limit    int64
	audience string
	client   *outbound.Client
}

// Namespace, Name and ToolName name the object, and the tool that it runs.
func (a *Adapter) Namespace() string { return a.namespace }

// Name is the object's.
func (a *Adapter) Name() string { return a.name }

// ToolName is the effective name of the tool that the adapter runs.
func (a *Adapter) ToolName() string { return a.toolName }

// Source says where the data is.
func (a *Adapter) Source() Source {
	switch {
	case a == nil:
		return SourceNone
	case a.http != nil:
		return SourceHTTP
	}
	return SourceRecords
}

// ConfigMap is what the adapter refers to; false for a backend.
func (a *Adapter) ConfigMap() (callgatev1alpha1.ConfigMapKeyRef, bool) { return a.ref, a.http == nil }

// Timeout bounds an execution, from its begin.
func (a *Adapter) Timeout() time.Duration {
	if a.http != nil {
		return a.http.timeout
	}
	return defaultTimeout
}

// repeatable says whether running a call twice is the same as running it once.
func (a *Adapter) repeatable() bool {
	return a.http == nil || a.http.method != callgatev1alpha1.MethodPost
}

// compiler collects what is found.
type compiler struct {
	object   *callgatev1alpha1.ToolAdapter
	opts     Options
	problems []Problem
	warnings []Warning
}

// Compile turns a ToolAdapter into what an Executor runs. It is pure: it asks no name
// server and opens no connection. With any problem there is no adapter. That several
// adapters run one tool, and that a ConfigMap is there, is for whoever sees them all.
func Compile(object *callgatev1alpha1.ToolAdapter, opts Options) (*Adapter, []Problem, []Warning) {
	if object == nil {
		return nil, []Problem{invalid("", "there is no adapter")}, nil
	}
	c := &compiler{object: object, opts: opts}
	a := &Adapter{
		namespace: object.Namespace, name: object.Name, toolName: string(object.Spec.ToolName),
		uid: object.UID, generation: object.Generation, tenancy: object.Spec.Tenancy,
	}
	c.names()
	switch records, http := c.sources(); {
	case records == http:
		c.problem("/spec", "set exactly one source: records or http")
	case records:
		c.records(a)
	default:
		c.http(a)
	}
	if len(c.problems) > 0 {
		return nil, c.problems, c.warnings
	}
	return a, nil, c.warnings
}

func (c *compiler) problem(path, message string) {
	c.problems = append(c.problems, invalid(path, message))
}

func (c *compiler) warn(path, message string) {
	c.warnings = append(c.warnings, Warning{Path: path, Message: cut(message)})
}

func (c *compiler) names() {
	spec := &c.object.Spec
	if c.object.Namespace == "" {
		c.problem("/metadata/namespace", "write the namespace of the adapter")
	}
	if spec.ToolName == "" || spec.ToolName == "*" {
		c.problem("/spec/toolName", "name the one tool that the adapter runs: * stands for none here")
	}
	switch spec.Tenancy {
	case "", callgatev1alpha1.TenancyRequired, callgatev1alpha1.TenancyNone:
	default:
		c.problem("/spec/tenancy", "write Required or None")
	}
}

// sources says which of the sources are set. Defaults do not count.
func (c *compiler) sources() (records, http bool) {
	spec := &c.object.Spec
	h := &spec.HTTP
	return spec.Records != callgatev1alpha1.AdapterRecords{},
		h.URL != "" || h.ServiceAccountTokenAudience != "" || len(h.CABundle) > 0 || h.Method != "" ||
			h.TimeoutMilliseconds != 0 || h.MaxResponseBytes != 0
}

func (c *compiler) records(a *Adapter) {
	a.ref = c.object.Spec.Records.ConfigMapKeyRef
	if a.ref.Name == "" || a.ref.Key == "" {
		c.problem("/spec/records/configMapKeyRef", "name the ConfigMap and the key in it")
	}
	const path = "/spec/key"
	source := c.object.Spec.Key
	if source == "" || len(source) > maxKeyBytes {
		c.problem(path, "set key to the CEL expression that gives the record's key, such as tenant + ':' + args.ticket_id")
		return
	}
	var issues []expr.Issue
	a.key, issues = expr.Compile(source, expr.Options{Result: expr.Text, Variables: expr.KeyVariables, Args: c.opts.Args})
	for _, i := range issues {
		text := "line " + strconv.Itoa(i.Line) + ", column " + strconv.Itoa(i.Column) + ": " + i.Message
		if i.Schema {
			c.warn(path, text)
		} else {
			c.problem(path, text)
		}
	}
	if a.key != nil {
		c.key(a.key, path)
	}
}

// key judges a key that compiles.
func (c *compiler) key(key *expr.Program, path string) {
	if !key.ReadsTenant() && c.object.Spec.Tenancy != callgatev1alpha1.TenancyNone {
		c.problem(path, "the key does not read tenant: write it into the key, or set tenancy: None where every tenant may see the same data")
	}
	if key.ConfusesTenants() {
		c.warn(path, `by its arguments a call may reach another tenant's record: in every branch, write tenant unchanged before or behind all arguments, and right beside it, towards them, a constant that separates, such as ":", which no tenant has`)
	}
	if _, known := key.Constant(); known {
		c.warn(path, "the key is the same for every call")
	}
}

func (c *compiler) http(a *Adapter) {
	h := &c.object.Spec.HTTP
	if c.object.Spec.Key != "" {
		c.problem("/spec/key", "leave key out with http: its url says what is asked for")
	}
	b := &backend{method: h.Method, timeout: time.Duration(h.TimeoutMilliseconds) * time.Millisecond, limit: int64(h.MaxResponseBytes), audience: h.ServiceAccountTokenAudience}
	a.http = b
	c.url(b, h.URL)
	switch b.method {
	case callgatev1alpha1.MethodGet, callgatev1alpha1.MethodPost, callgatev1alpha1.MethodPut, callgatev1alpha1.MethodDelete:
	case "":
		b.method = callgatev1alpha1.MethodGet
	default:
		c.problem("/spec/http/method", "write GET, POST, PUT or DELETE")
	}
	if b.timeout == 0 {
		b.timeout = defaultTimeout
	}
	if b.timeout < minTimeout || b.timeout > maxTimeout {
		c.problem("/spec/http/timeoutMilliseconds", "write 100 to 30000")
	}
	if b.limit == 0 {
		b.limit = defaultResponse
	}
	if b.limit < 1 || b.limit > maxResponse {
		c.problem("/spec/http/maxResponseBytes", "write 1 to 4194304")
	}
	c.trust(b)
}

// url compiles the URL, and asks whether the operator allows where it leads.
func (c *compiler) url(b *backend, text string) {
	const path = "/spec/http/url"
	t, err := parseTemplate(text)
	if err != nil {
		c.problem(path, err.Error())
		return
	}
	b.url = t
	if !t.readsTenant() && c.object.Spec.Tenancy != callgatev1alpha1.TenancyNone {
		c.problem(path, "the url does not read tenant: write {tenant} into it as a path segment or a query value, or set tenancy: None where every tenant may see the same data")
	}
	if err := c.upstreams().CheckURL(t.sample()); err != nil {
		detail := strings.TrimPrefix(err.Error(), "calling out: "+string(outbound.CauseNotAllowed)+": ")
		c.problems = append(c.problems, Problem{Path: path, Reason: callgatev1alpha1.ReasonEndpointNotAllowed, Message: cut(detail)})
	}
	for _, name := range t.names {
		for _, i := range undeclared(name, c.opts.Args) {
			c.warn(path, title(name)+": "+i.Message)
		}
	}
}

func (c *compiler) upstreams() outbound.Policy {
	return c.opts.Upstreams.WithServices(c.object.Namespace)
}

// undeclared asks whether the schema declares the argument that a variable reads.
func undeclared(name string, args *expr.ArgsType) (issues []expr.Issue) {
	if args == nil {
		return nil
	}
	_, found := expr.Compile("string("+name+")", expr.Options{Result: expr.Text, Variables: expr.VarArgs, Args: args})
	for _, i := range found {
		if i.Schema && i.Kind == expr.UnknownName {
			issues = append(issues, i)
		}
	}
	return issues
}

var audiences = regexp.MustCompile(`^callgate\.dev/[a-z0-9]([-a-z0-9]*[a-z0-9])?(/[A-Za-z0-9._-]+)*$`)

// trust checks by what either side knows the other, and makes the client.
func (c *compiler) trust(b *backend) {
	h := &c.object.Spec.HTTP
	plain := b.url != nil && b.url.scheme == "http"
	if b.audience != "" {
		c.audience(b.audience, plain)
	}
	if len(h.CABundle) > 0 && plain {
		c.problem("/spec/http/caBundle", "leave caBundle out, or write https:// in url: without TLS no certificate is checked")
	}
	if len(h.CABundle) > 0 {
		if _, err := outbound.ParseCABundle(h.CABundle); err != nil {
			c.problem("/spec/http/caBundle", err.Error())
		}
	}
	if len(c.problems) > 0 {
		return
	}
	// A connection for each call: every call is judged at dial, nothing is left behind
	// it, and net/http repeats nothing, as it does with what has an Idempotency-Key on a
	// connection that was used before.
	var err error
	b.client, err = outbound.NewClient(outbound.Options{
		Policy: c.upstreams(), Timeout: b.timeout, CABundle: h.CABundle, Resolver: c.opts.Resolver, Dial: c.opts.Dial,
	})
	if err != nil {
		c.problem("/spec/http", err.Error())
	}
}

// audience keeps an adapter from being given a token that opens more than what its own
// namespace expects.
func (c *compiler) audience(audience string, plain bool) {
	const path = "/spec/http/serviceAccountTokenAudience"
	own := "callgate.dev/" + c.object.Namespace
	switch {
	case plain:
		c.problem(path, "leave serviceAccountTokenAudience out, or write https:// in url: a token is only sent over TLS")
	case len(audience) > maxAudience || !audiences.MatchString(audience) || audience != own && !strings.HasPrefix(audience, own+"/"):
		c.problem(path, "write "+shown.Name(own)+", or that and more behind a slash: a token for another audience could be used elsewhere in Callgate's name")
	}
}
