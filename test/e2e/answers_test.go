package e2e_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/callgate/callgate/test/harness"
)

func envelope(request string) string {
	return `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallReview","request":` + request + `}`
}

func native(arguments string) string {
	return envelope(`{"uid":"u","calls":[{"id":"1","name":"weather","arguments":` + arguments + `}]}`)
}

func chat(arguments string) string {
	return envelope(`{"uid":"u","message":{"format":"OpenAIChat","body":{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"weather","arguments":` + arguments + `}}]}}}`)
}

func mcp(arguments string) string {
	return envelope(`{"uid":"u","message":{"format":"MCP","body":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","arguments":` + arguments + `}}}}`)
}

func deep(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }

// quoted makes a JSON string of a text without characters that need escapes.
func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

var _ = Describe("Bad input", func() {
	type want struct {
		status int
		errors []string // of a verdict
		code   string
	}
	invalid := func(errors ...string) want { return want{200, errors, "invalid_arguments"} }
	malformed := want{200, []string{"malformed_call"}, "malformed_call"}
	refused := func(status int) want { return want{status: status} }

	rows := []struct {
		name, body string
		want       want
	}{
		{"nothing", "", refused(400)},
		{"a truncated body", native(`{"city":"Oslo"}`)[:60], refused(400)},
		{"no JSON", "hello", refused(400)},
		{"trailing text", native(`{}`) + "x", refused(400)},
		{"2 MiB", native(quoted(strings.Repeat("x", 2<<20))), refused(413)},
		{"an unknown field of the review", `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallReview","extra":1,"request":{"calls":[]}}`, refused(400)},
		{"an unknown field of the request", envelope(`{"extra":1,"calls":[{"name":"weather","arguments":{}}]}`), refused(400)},
		{"an unknown field of a native call", envelope(`{"calls":[{"name":"weather","arguments":{},"args":{}}]}`), refused(400)},
		{"a duplicate field of the request", envelope(`{"calls":[],"calls":[{"name":"weather","arguments":{}}]}`), refused(400)},
		{"calls and message", envelope(`{"calls":[{"name":"weather","arguments":{}}],"message":{"format":"MCP","body":{}}}`), refused(400)},
		{"neither calls nor message", envelope(`{"uid":"u"}`), refused(400)},
		{"no calls", envelope(`{"calls":[]}`), refused(400)},
		{"129 calls", envelope(`{"calls":[` + strings.TrimSuffix(strings.Repeat(`{"name":"weather","arguments":{}},`, 129), ",") + `]}`), refused(400)},
		{"another kind", strings.Replace(native(`{}`), "ToolCallReview", "AdmissionReview", 1), refused(400)},
		{"another version", strings.Replace(native(`{}`), "v1alpha1", "v1", 1), refused(400)},
		{"a uid of other characters", envelope(`{"uid":"a b","calls":[{"name":"weather","arguments":{}}]}`), refused(400)},
		{"an unknown format", envelope(`{"message":{"format":"Carrier Pigeon","body":{}}}`), refused(400)},
		{"invalid UTF-8 in the envelope", envelope(`{"uid":"` + "\xff" + `","calls":[{"name":"weather","arguments":{}}]}`), refused(400)},
		{"a NUL byte in the envelope", envelope("{\x00" + `"calls":[{"name":"weather","arguments":{}}]}`), refused(400)},
		{"a raw NUL byte in a string of the arguments", native("{\"city\":\"\x00\"}"), refused(400)},
		{"10,000 levels in the envelope", envelope(deep(10_000)), refused(400)},
		{"10,000 levels in native arguments", native(deep(10_000)), refused(400)},
		{"10,000 levels in an MCP message", mcp(deep(10_000)), refused(400)},
		{"10,000 levels in a chat message's object", chat(deep(10_000)), refused(400)},
		{"10,000 levels in argument text", chat(quoted(deep(10_000))), invalid("arguments:too_deep")},
		{"140 levels in native arguments", native(deep(140)), invalid("arguments:too_deep")},
		{"140 levels in MCP arguments", mcp(deep(140)), invalid("arguments:too_deep")},
		{"a message without a call", envelope(`{"message":{"format":"OpenAIChat","body":{"role":"assistant","content":"hi"}}}`), refused(422)},
		{"an MCP request of another method", envelope(`{"message":{"format":"MCP","body":{"jsonrpc":"2.0","id":1,"method":"tools/list"}}}`), refused(422)},
		{"a message of another shape", envelope(`{"message":{"format":"OpenAIChat","body":[1]}}`), refused(400)},

		{"a call without a name", envelope(`{"uid":"u","calls":[{"id":"1","arguments":{}}]}`), malformed},
		{"a call with two names", envelope(`{"uid":"u","calls":[{"id":"1","name":"weather","name":"drop","arguments":{}}]}`), malformed},
		{"a call with a name in capitals", envelope(`{"uid":"u","calls":[{"id":"1","name":"weather","Name":"drop","arguments":{}}]}`), malformed},
		{"a call whose name is a number", envelope(`{"uid":"u","calls":[{"id":"1","name":7,"arguments":{}}]}`), malformed},
		{"arguments and argumentsText", envelope(`{"uid":"u","calls":[{"id":"1","name":"weather","arguments":{},"argumentsText":"{}"}]}`), malformed},
		{"MCP with two names", strings.Replace(mcp(`{}`), `"name":"weather"`, `"name":"weather","name":"drop"`, 1), malformed},
		{"MCP with a name in capitals", strings.Replace(mcp(`{}`), `"name":"weather"`, `"name":"weather","NAME":"drop"`, 1), malformed},

		{"arguments that are null", native(`null`), invalid("arguments:not_an_object")},
		{"arguments that are a string", native(`"{}"`), invalid("arguments:not_an_object")},
		{"arguments that are a list", native(`[]`), invalid("arguments:not_an_object")},
		{"an unpaired surrogate in native arguments", native(`{"city":"\ud800"}`), invalid("arguments:invalid_json")},
		{"a NUL byte in argument text", chat("\"{\\\"city\\\":\\\"\\u0000\\\"}\""), invalid("arguments:invalid_json")},
		{"a truncated text", chat(`"{\"city\":"`), invalid("arguments:invalid_json")},
		{"a duplicate key", native(`{"city":"a","city":"b"}`), invalid("duplicate:city")},
		{"a duplicate key in text", chat(`"{\"city\":\"a\",\"ci\\u0074y\":\"b\"}"`), invalid("duplicate:city")},
		{"600 KiB of arguments", native(`{"city":"` + strings.Repeat("x", 600<<10) + `"}`), invalid("arguments:too_large")},
		{"150,000 values", native(`{"city":"x","l":[` + strings.Repeat("1,", 150_000) + `1]}`), invalid("arguments:too_large")},
		{"an exponent of a million", native(`{"city":"x","days":1e1000001}`), invalid("type:days")},
	}

	It("has its documented answer, never a 500, never an allow", func(ctx SpecContext) {
		_, token := allowedCaller(ctx)
		for _, row := range rows {
			By(row.name)
			a := ask(ctx, token, []byte(row.body))
			Expect(a.Status).To(Equal(row.want.status), "%s: %s", row.name, a.Body)
			if a.Status != http.StatusOK {
				a.Refusal(GinkgoTB())
				continue
			}
			response := a.Verdict(GinkgoTB())
			Expect(response.Allowed).To(BeFalse(), row.name)
			Expect(response.Results).To(HaveLen(1), row.name)
			Expect(string(response.Results[0].Code)).To(Equal(row.want.code), row.name)
			Expect(response.Results[0].Errors).To(Equal(row.want.errors), row.name)
		}
		Expect(verdict(ctx, token, good).Allowed).To(BeTrue(), "a good call passes after all that")
	})

	It("refuses other content types, methods and paths", func(ctx SpecContext) {
		_, token := allowedCaller(ctx)
		for contentType, status := range map[string]int{
			"application/json": 200, "Application/JSON; charset=UTF-8": 200,
			"": 415, "text/plain": 415, "application/x-www-form-urlencoded": 415, "application/json; charset=latin1": 415, "application/yaml": 415,
		} {
			a, err := manager.Try(ctx, token, good, contentType)
			Expect(err).NotTo(HaveOccurred())
			Expect(a.Status).To(Equal(status), "content type %q: %s", contentType, a.Body)
		}
		for _, method := range []string{"GET", "PUT", "DELETE", "PATCH", "OPTIONS"} {
			request, err := http.NewRequestWithContext(ctx, method, "https://"+manager.Endpoint.String()+harness.Path, nil)
			Expect(err).NotTo(HaveOccurred())
			request.Header.Set("Authorization", "Bearer "+token)
			response, err := manager.Client.Do(request)
			Expect(err).NotTo(HaveOccurred())
			_ = response.Body.Close()
			Expect(response.StatusCode).To(Equal(http.StatusMethodNotAllowed), method)
		}
		for _, other := range []string{"/", "/readyz", "/apis", "/debug/pprof/", harness.Path + "/", harness.Path + "/x", "/apis/review.callgate.dev/v1/toolcallreviews"} {
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+manager.Endpoint.String()+other, strings.NewReader("{}"))
			Expect(err).NotTo(HaveOccurred())
			request.Header.Set("Content-Type", "application/json")
			response, err := manager.Client.Do(request)
			Expect(err).NotTo(HaveOccurred())
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
			Expect(response.StatusCode).To(Or(Equal(http.StatusNotFound), Equal(http.StatusUnauthorized)), other)
		}
	})

	It("speaks HTTP/1.1 and HTTP/2, and no TLS below 1.2", func(ctx SpecContext) {
		_, token := allowedCaller(ctx)
		for _, h1 := range []bool{true, false} {
			r := *manager
			r.Client = harness.HTTPClient(manager.CA, h1)
			Expect(r.Ask(ctx, GinkgoTB(), token, good).Verdict(GinkgoTB()).Allowed).To(BeTrue(), fmt.Sprintf("h1=%v", h1))
		}
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(manager.CA)
		_, err := tls.Dial("tcp", manager.Endpoint.String(), &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11})
		Expect(err).To(HaveOccurred())
	})
})
