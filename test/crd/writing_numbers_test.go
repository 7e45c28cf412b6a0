package crd_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// numbers that arrive as an equal number, whoever writes: as they are written and as
// the API server gives them back.
var numbers = []struct{ written, stored string }{
	{"1.0", "1"},
	{"1e3", "1000"},
	{"1.5e3", "1500"},
	{"-0", "0"},
	{"-0.0", "0"},
	{"0.1", "0.1"},
	{"0.30000000000000004", "0.30000000000000004"},
	{"1e-7", "1e-7"},
	{"1e21", "1e+21"},
	{"9007199254740991", "9007199254740991"},
	{"1.7976931348623157e308", "1.7976931348623157e+308"},
}

// numberSchema has one property for each literal, and its keys in no order.
func numberSchema(literals ...string) string {
	var b strings.Builder
	for i := len(literals) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, `, "n%d": {"const": %s}`, i, literals[i])
	}
	return schemaText(`{"parameters": {"type": "object", "properties": {"z": {}` + b.String() + `}, "$comment": "first"}}`)
}

// constants reads the literals back.
func constants(s stored) map[string]string {
	GinkgoHelper()
	var document struct {
		Properties map[string]map[string]json.RawMessage `json:"properties"`
	}
	Expect(json.Unmarshal([]byte(s.document()), &document)).To(Succeed())
	out := map[string]string{}
	for name, p := range document.Properties {
		out[name] = string(p["const"])
	}
	return out
}

var _ = Describe("Writing numbers in a ToolSchema", func() {
	for _, w := range ways {
		It("keeps their values and sorts the keys: "+w.name, func(ctx context.Context) {
			namespace := env.Namespace(ctx, GinkgoT())
			var literals, earlier []string
			for i, n := range numbers {
				literals = append(literals, n.written)
				earlier = append(earlier, fmt.Sprint(i+100))
			}
			w.write(ctx, namespace, numberSchema(earlier...), numberSchema(literals...))
			s := readBack(ctx, namespace, "tool")

			Expect(s.document()).To(HavePrefix(`{"$comment":"first","properties":{"n0":{"const":1},"n1":`), "the API server sorts keys")
			Expect(s.outcome.Accepted()).To(BeTrue())
			got := constants(s)
			for i, n := range numbers {
				name := fmt.Sprintf("n%d", i)
				Expect(got).To(HaveKeyWithValue(name, n.stored))
				Expect(s.allows(`{"`+name+`": `+n.written+`}`)).To(BeTrue(), n.written)
				Expect(s.allows(`{"`+name+`": 7}`)).To(BeFalse(), n.written)
			}
		})

		It("keeps an integer that a double does not hold, or says so: "+w.name, func(ctx context.Context) {
			namespace := env.Namespace(ctx, GinkgoT())
			w.write(ctx, namespace, numberSchema("5"), numberSchema("9007199254740993"))
			s := readBack(ctx, namespace, "tool")
			// A merge patch, which is what an apply over an older version sends,
			// goes through doubles on its way.
			if got := constants(s)["n0"]; got != "9007199254740993" {
				Expect(w.drops && w.before != nil).To(BeTrue(), "only client-side apply over something rounds")
				Expect(got).To(Equal("9007199254740992"))
				Expect(s.notes()).To(ContainElement(ContainSubstring("/properties/n0/const")))
				return
			}
			Expect(s.allows(`{"n0": 9007199254740993}`)).To(BeTrue())
			Expect(s.allows(`{"n0": 9007199254740992}`)).To(BeFalse())
			Expect(s.notes()).To(BeEmpty())
		})

		It("says so of an integer beyond 64 bits, which is stored rounded: "+w.name, func(ctx context.Context) {
			namespace := env.Namespace(ctx, GinkgoT())
			w.write(ctx, namespace, numberSchema("5"), numberSchema("18446744073709551617"))
			s := readBack(ctx, namespace, "tool")
			Expect(constants(s)).To(HaveKeyWithValue("n0", "18446744073709552000"))
			Expect(s.notes()).To(ContainElement(ContainSubstring("/properties/n0/const")))
		})
	}

	It("refuses a number that no double holds, where kubectl reads JSON", func(ctx context.Context) {
		for _, args := range [][]string{{"create"}, {"apply"}, {"apply", "--server-side"}} {
			r := kubectl(ctx, env.Namespace(ctx, GinkgoT()), numberSchema("1e400"), append(args, "-f", "-")...)
			refused(r, "1e400")
		}
	})

	// In YAML kubectl takes the literal for a string, which is no bound at all where a
	// number must stand.
	It("does not compile a bound that no double holds, where kubectl reads YAML", func(ctx context.Context) {
		namespace := env.Namespace(ctx, GinkgoT())
		must(kubectl(ctx, namespace, `
apiVersion: callgate.dev/v1alpha1
kind: ToolSchema
metadata: {name: tool}
spec:
  parameters:
    type: object
    properties: {x: {type: number, maximum: 1e400}}
`, "create", "-f", "-"))
		s := readBack(ctx, namespace, "tool")
		Expect(s.document()).To(ContainSubstring(`"maximum":"1e400"`))
		Expect(s.outcome.Accepted()).To(BeFalse())
		Expect(s.notes()).To(ContainElement(ContainSubstring("/properties/x/maximum")))
	})
})
