package e2e_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/callgate/callgate/test/cases"

	"github.com/callgate/callgate/test/harness"
)

var _ = Describe("The cases, over HTTPS", func() {
	all, err := cases.Load()
	if err != nil {
		panic(err)
	}
	for _, c := range all {
		if !c.Callable() {
			continue
		}
		It(c.ID+": "+c.About, func(ctx SpecContext) {
			namespace := env.Namespace(ctx, GinkgoTB())
			env.ServiceAccount(ctx, GinkgoTB(), namespace, cases.ServiceAccount)
			schemas, policy := c.Objects(namespace)
			for _, s := range schemas {
				Expect(env.Client.Create(ctx, s)).To(Succeed())
			}
			Expect(env.Client.Create(ctx, policy)).To(Succeed())
			body, err := c.Body()
			Expect(err).NotTo(HaveOccurred())
			token := env.Token(ctx, GinkgoTB(), namespace, cases.ServiceAccount, harness.Audience, 600)
			Eventually(func() string {
				start := time.Now()
				diff := c.Check(verdict(ctx, token, body))
				if took := time.Since(start); c.Heavy && took > time.Second {
					return "took " + took.String()
				}
				return diff
			}).WithTimeout(10*time.Second).Should(BeEmpty(), "the objects come into force and give the case's verdict")
			objects := []any{typed("ToolPolicy", policy)}
			for _, s := range schemas {
				objects = append(objects, typed("ToolSchema", s))
			}
			want := fromFiles(ctx, namespace, body, objects...)
			Eventually(func() string { return response(ask(ctx, token, body).Body) }).
				WithTimeout(10*time.Second).Should(Equal(want), "once the objects are in force, files and cluster give one verdict")
		})
	}
})
