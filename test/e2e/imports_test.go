package e2e_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/callgate/callgate/internal/cli"
	"github.com/callgate/callgate/internal/testenv"
)

var _ = Describe("Importing", func() {
	DescribeTable("public catalogues makes objects that are all in force", func(ctx SpecContext, catalogue string, tools int) {
		root, err := testenv.ModuleRoot()
		Expect(err).NotTo(HaveOccurred())
		var out, errOut bytes.Buffer
		code := cli.Run(ctx, cli.Deps{
			In: strings.NewReader(""), Out: &out, Err: &errOut, FS: os.DirFS("/"), Dir: strings.TrimPrefix(root, "/"), Env: os.Getenv,
		}, []string{"import", "mcp", filepath.Join("internal/jsonschema/testdata/catalogues", catalogue)})
		Expect(code).To(Equal(cli.ExitOK), errOut.String())
		Expect(errOut.String()).NotTo(ContainSubstring("ToolSchema"), "nothing is wrong with a schema")

		namespace := env.Namespace(ctx, GinkgoTB())
		said, err := kubectl(ctx, out.String(), "apply", "-n", namespace, "-f", "-")
		Expect(err).NotTo(HaveOccurred(), said)
		Expect(strings.Count(said, "toolschema.callgate.dev/")).To(Equal(tools), said)
		said, err = kubectl(ctx, "", "wait", "-n", namespace, "--for=condition=Ready", "--timeout=60s", "tsch,tpol", "--all")
		Expect(err).NotTo(HaveOccurred(), said)
		Expect(strings.Count(said, "condition met")).To(Equal(tools + 1))
	},
		Entry("of GitHub's server", "github.json", 117),
		Entry("of a Kubernetes server", "kubernetes.json", 47),
	)
})
