package e2e_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/callgate/callgate/internal/testenv"
	"github.com/callgate/callgate/test/harness"
)

var shellBlock = regexp.MustCompile("(?ms)^ *```sh\n(.*?)^ *```$")

// elsewhere are commands of the documents that no API server can answer: the image is
// built where there is a container engine, the two make targets are what runs this
// test and what continuous integration runs beside it.
var elsewhere = regexp.MustCompile(`^(docker|make) `)

// commands gives the shell commands that a document shows, one a line, with continued
// lines joined and comments taken off.
func commands(root, file string) (list []string) {
	GinkgoHelper()
	text, err := os.ReadFile(filepath.Join(root, file))
	Expect(err).NotTo(HaveOccurred())
	for _, m := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		joined := strings.ReplaceAll(m[1], "\\\n", " ")
		for line := range strings.Lines(joined) {
			line, _, _ = strings.Cut(line, "  #")
			line, _, _ = strings.Cut(line, "   #")
			if line = strings.TrimSpace(line); line != "" && !elsewhere.MatchString(line) {
				list = append(list, line)
			}
		}
	}
	return list
}

// workshop is a directory in which a reader could follow the documents.
func workshop(ctx context.Context, root string) (dir string, environment []string) {
	GinkgoHelper()
	dir = GinkgoTB().TempDir()
	for _, name := range []string{"config", "docs"} {
		Expect(os.Symlink(filepath.Join(root, name), filepath.Join(dir, name))).To(Succeed())
	}
	bin := filepath.Dir(harness.Build(ctx, GinkgoTB()))
	kubectlBinary, kubeconfig := env.Kubectl(GinkgoTB())
	Expect(os.Symlink(kubectlBinary, filepath.Join(bin, "kubectl"))).To(Succeed())
	token := filepath.Join(dir, "token")
	ca := filepath.Join(dir, "manager-ca.crt")
	env.ServiceAccount(ctx, GinkgoTB(), "default", "assistant")
	Expect(os.WriteFile(token, []byte(env.Token(ctx, GinkgoTB(), "default", "assistant", harness.Audience, 600)), 0o600)).To(Succeed())
	Expect(os.WriteFile(ca, manager.CA, 0o600)).To(Succeed())
	return dir, append(os.Environ(),
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "KUBECONFIG="+kubeconfig,
		"CALLGATE_URL=https://"+manager.Endpoint.String(), "CALLGATE_TOKEN="+token, "CALLGATE_CA="+ca)
}

var _ = Describe("The documents' commands", Serial, func() {
	It("work as they are written, in the order of the documents", func(ctx SpecContext) {
		root, err := testenv.ModuleRoot()
		Expect(err).NotTo(HaveOccurred())
		dir, environment := workshop(ctx, root)
		ran := 0
		for _, file := range []string{"docs/install.md", "README.md", "docs/review.md", "docs/clients.md", "docs/manager.md", "docs/toolschema.md", "docs/toolpolicy.md", "docs/verdicts.md"} {
			for _, command := range commands(root, file) {
				By(file + ": " + command)
				// What one document made, the next may make again.
				if strings.HasPrefix(command, "kubectl create ") {
					command += " --dry-run=client -o yaml | kubectl apply -f -"
				}
				if strings.HasPrefix(command, "openssl ") {
					if _, err := exec.LookPath("openssl"); err != nil {
						Expect(makePair(dir)).To(Succeed())
						continue
					}
				}
				cmd := exec.CommandContext(ctx, "bash", "-o", "pipefail", "-c", command)
				cmd.Dir, cmd.Env = dir, environment
				out, err := cmd.CombinedOutput()
				if strings.HasPrefix(command, "callgate review ") {
					Expect(cmd.ProcessState.ExitCode()).To(Equal(1), "%s: the sample call is blocked: %s", command, out)
				} else {
					Expect(err).NotTo(HaveOccurred(), "%s: %s", command, out)
				}
				ran++
			}
		}
		Expect(ran).To(BeNumerically(">=", 8), "the documents' commands were found")
	})
})

// makePair makes the files that openssl would, where there is none.
func makePair(dir string) error {
	for name, text := range map[string][]byte{"tls.crt": manager.CA, "tls.key": manager.Key} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}
