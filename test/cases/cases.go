// Package cases turns the table of cases into objects, reviews and expectations.
package cases

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

//go:embed calls.jsonl
var table []byte

// ServiceAccount is the caller of every case.
const ServiceAccount = "agent"

// Case is one line of the table.
type Case struct {
	ID            string                         `json:"id"`
	About         string                         `json:"about"`
	Source        string                         `json:"source"`
	Kind          string                         `json:"kind"`
	Format        string                         `json:"format"`
	ToolName      string                         `json:"toolName"`
	Parameters    json.RawMessage                `json:"parameters"`
	Settings      callgatev1alpha1.ArgumentRules `json:"settings"`
	Message       json.RawMessage                `json:"message"`
	MessageText   string                         `json:"messageText"`
	Request       json.RawMessage                `json:"request"`
	DeclaredTools []string                       `json:"declaredTools"`
	Catalog       []string                       `json:"catalog"`
	Expect        Expect                         `json:"expect"`
	Heavy         bool                           `json:"heavy"`
}

// Expect is what a case asks for. Nil fields are not checked.
type Expect struct {
	Allowed  *bool     `json:"allowed"`
	Code     string    `json:"code"`
	Errors   *[]string `json:"errors"`
	Accepted *bool     `json:"accepted"`
	Why      string    `json:"why"`
	PerCall  []PerCall `json:"perCall"`

	Verdict         string   `json:"verdict"`
	UndeclaredTools []string `json:"undeclaredTools"`
}

// PerCall is what a batch asks of one call.
type PerCall struct {
	ID      string    `json:"id"`
	Allowed bool      `json:"allowed"`
	Errors  *[]string `json:"errors"`
}

// Load reads the whole table. An unknown field is an error: it would be a promise
// that nothing checks.
func Load() ([]Case, error) {
	var cases []Case
	scanner := bufio.NewScanner(bytes.NewReader(table))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		d := json.NewDecoder(bytes.NewReader(scanner.Bytes()))
		d.DisallowUnknownFields()
		var c Case
		if err := d.Decode(&c); err != nil {
			return nil, fmt.Errorf("reading case %d: %w", len(cases)+1, err)
		}
		cases = append(cases, c)
	}
	return cases, scanner.Err()
}

// KindOffer is the kind of the cases about offers.
const KindOffer = "offer"

// Callable reports whether the case is about calls.
func (c *Case) Callable() bool { return c.Kind != KindOffer }

// Objects gives the ToolSchemas and the ToolPolicy of the case.
func (c *Case) Objects(namespace string) ([]*callgatev1alpha1.ToolSchema, *callgatev1alpha1.ToolPolicy) {
	var schemas []*callgatev1alpha1.ToolSchema
	declared := c.DeclaredTools
	switch c.Kind {
	case KindOffer:
		// Only the names are in question: no tool has a ToolSchema.
	case "policy":
		for i, name := range c.Catalog {
			schemas = append(schemas, c.schema(namespace, fmt.Sprintf("catalog-%d", i), name,
				json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)))
		}
	default:
		schemas = append(schemas, c.schema(namespace, "tool", c.ToolName, c.Parameters))
		declared = []string{c.ToolName}
	}
	policy := &callgatev1alpha1.ToolPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: callgatev1alpha1.GroupVersion.String(), Kind: "ToolPolicy"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "policy"},
		Spec: callgatev1alpha1.ToolPolicySpec{
			Subjects: callgatev1alpha1.PolicySubjects{ServiceAccountNames: []callgatev1alpha1.ServiceAccountName{ServiceAccount}},
		},
	}
	for _, name := range declared {
		policy.Spec.DeclaredTools = append(policy.Spec.DeclaredTools, callgatev1alpha1.EffectiveToolName(name))
	}
	return schemas, policy
}

func (c *Case) schema(namespace, object, tool string, parameters json.RawMessage) *callgatev1alpha1.ToolSchema {
	return &callgatev1alpha1.ToolSchema{
		TypeMeta:   metav1.TypeMeta{APIVersion: callgatev1alpha1.GroupVersion.String(), Kind: "ToolSchema"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: object},
		Spec: callgatev1alpha1.ToolSchemaSpec{
			ToolName:   tool,
			Parameters: &apiextensionsv1.JSON{Raw: parameters},
			Arguments:  c.Settings,
		},
	}
}

// Body gives the text of the review to send. It is put together as text, so that
// what the case has reaches the gate as it stands.
func (c *Case) Body() ([]byte, error) {
	var request string
	kind := reviewv1alpha1.KindToolCallReview
	switch {
	case c.Kind == KindOffer:
		kind = reviewv1alpha1.KindToolRequestReview
		request = fmt.Sprintf(`"message":{"format":%q,"body":%s}`, c.Format, c.Request)
	case c.Kind == "schema":
		call, err := json.Marshal(c.ToolName)
		if err != nil {
			return nil, err
		}
		request = fmt.Sprintf(`"calls":[{"id":"1","name":%s,"arguments":{}}]`, call)
	case c.Format == "Native":
		call, err := nativeCall(c.Message)
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", c.ID, err)
		}
		request = fmt.Sprintf(`"calls":[%s]`, call)
	default:
		message := c.MessageText
		if message == "" {
			message = string(c.Message)
		}
		request = fmt.Sprintf(`"message":{"format":%q,"body":%s}`, c.Format, message)
	}
	return fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,"request":{"uid":%q,%s}}`,
		reviewv1alpha1.GroupVersion.String(), kind, c.ID, request), nil
}

// nativeCall copies id, name and arguments of a framework's own call object and
// drops the rest.
func nativeCall(message json.RawMessage) ([]byte, error) {
	var in struct {
		ID        json.RawMessage `json:"id,omitempty"`
		Name      json.RawMessage `json:"name,omitempty"`
		Args      json.RawMessage `json:"args,omitempty"`
		Arguments json.RawMessage `json:"arguments,omitempty"`
	}
	if err := json.Unmarshal(message, &in); err != nil {
		return nil, err
	}
	if in.Arguments == nil {
		in.Arguments, in.Args = in.Args, nil
	}
	in.Args = nil
	return json.Marshal(in)
}

// Check compares a response with what the case expects and describes the first
// difference, or gives "".
func (c *Case) Check(got *reviewv1alpha1.ToolCallReviewResponse) string {
	if got == nil {
		return "no response"
	}
	if got.UID != c.ID {
		return fmt.Sprintf("uid %q, want %q", got.UID, c.ID)
	}
	if diff := c.checkReply(got); diff != "" {
		return diff
	}
	if c.Kind == "batch" {
		return c.checkBatch(got)
	}
	if len(got.Results) != 1 {
		return fmt.Sprintf("%d results, want 1", len(got.Results))
	}
	r := got.Results[0]
	allowed, code, errors := c.Expect.Allowed, c.Expect.Code, c.Expect.Errors
	if c.Kind == "schema" {
		allowed, code, errors = new(bool), string(reviewv1alpha1.CodeSchemaNotReady), &[]string{"schema_not_ready:" + c.ToolName}
	}
	if allowed != nil && (r.Allowed != *allowed || got.Allowed != *allowed) {
		return fmt.Sprintf("allowed %v/%v, want %v (code %s, errors %q)", got.Allowed, r.Allowed, *allowed, r.Code, r.Errors)
	}
	if code != "" && string(r.Code) != code {
		return fmt.Sprintf("code %s, want %s (errors %q)", r.Code, code, r.Errors)
	}
	return diffErrors(r.Errors, errors)
}

func (c *Case) checkBatch(got *reviewv1alpha1.ToolCallReviewResponse) string {
	if c.Expect.Allowed != nil && got.Allowed != *c.Expect.Allowed {
		return fmt.Sprintf("allowed %v, want %v", got.Allowed, *c.Expect.Allowed)
	}
	if len(got.Results) != len(c.Expect.PerCall) {
		return fmt.Sprintf("%d results, want %d", len(got.Results), len(c.Expect.PerCall))
	}
	for i, want := range c.Expect.PerCall {
		r := got.Results[i]
		if r.ID != want.ID || r.Allowed != want.Allowed {
			return fmt.Sprintf("call %d: id %q allowed %v, want id %q allowed %v", i, r.ID, r.Allowed, want.ID, want.Allowed)
		}
		if diff := diffErrors(r.Errors, want.Errors); diff != "" {
			return fmt.Sprintf("call %d: %s", i, diff)
		}
	}
	return ""
}

func diffErrors(got []string, want *[]string) string {
	if want == nil {
		return ""
	}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", *want) {
		return fmt.Sprintf("errors %q, want %q", got, *want)
	}
	return ""
}
