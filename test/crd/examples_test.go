package crd_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// refusals reads the messages that a file must be refused with, from its comments.
func refusals(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if message, ok := strings.CutPrefix(line, "# refused: "); ok {
			out = append(out, strings.TrimSpace(message))
		}
	}
	return out
}

// files lists the YAML files of a folder. It is called while the tree of tests is
// built, where a failed assertion would have no test to fail.
func files(folder string) []string {
	found, err := filepath.Glob(filepath.Join("testdata", folder, "*.yaml"))
	if err != nil || len(found) == 0 {
		panic("no examples in testdata/" + folder)
	}
	return found
}

// These go through kubectl, because that is what a person sees: it is kubectl that
// reads YAML, and the message is worth only what of it arrives.
var _ = Describe("Examples", func() {
	for _, file := range files("invalid") {
		It("refuses "+filepath.Base(file), func(ctx context.Context) {
			text, err := os.ReadFile(file)
			Expect(err).NotTo(HaveOccurred())
			want := refusals(string(text))
			Expect(want).NotTo(BeEmpty(), "the file says with what message it is refused")

			namespace := env.Namespace(ctx, GinkgoT())
			r := kubectl(ctx, namespace, "", "create", "-f", file)
			Expect(r.Err).To(HaveOccurred())
			for _, message := range want {
				Expect(r.All).To(ContainSubstring(message))
			}
			Expect(kubectl(ctx, namespace, "", "get", "callgate", "-o", "name").Out).To(BeEmpty())
		})
	}

	for _, file := range files("valid") {
		It("takes "+filepath.Base(file), func(ctx context.Context) {
			namespace := env.Namespace(ctx, GinkgoT())
			for _, how := range [][]string{
				{"create"}, {"replace"}, {"apply"}, {"apply", "--server-side", "--force-conflicts"},
			} {
				r := kubectl(ctx, namespace, "", append(how, "-f", file)...)
				Expect(r.Err).NotTo(HaveOccurred(), "kubectl %v: %s", how, r.All)
			}
		})
	}
})
