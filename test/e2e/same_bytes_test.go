package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing/fstest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/callgate/callgate/internal/cli"
	"github.com/callgate/callgate/internal/testenv"
	"github.com/callgate/callgate/test/cases"
)

// response is the verdict of an answer, byte for byte but for the revision: the cluster's
// is that of all its objects.
func response(answer []byte) string {
	GinkgoHelper()
	var review struct {
		Response json.RawMessage `json:"response"`
	}
	Expect(json.Unmarshal(answer, &review)).To(Succeed(), string(answer))
	var compact bytes.Buffer
	Expect(json.Compact(&compact, review.Response)).To(Succeed())
	return regexp.MustCompile(`"revision":"sha256:[0-9a-f]{64}"`).ReplaceAllString(compact.String(), `"revision":"sha256:…"`)
}

// fromFiles is what the command line answers to the same review by the same objects.
func fromFiles(ctx context.Context, namespace string, body []byte, objects ...any) string {
	GinkgoHelper()
	list, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": objects})
	Expect(err).NotTo(HaveOccurred())
	var out, errOut bytes.Buffer
	cli.Run(ctx, cli.Deps{
		In: bytes.NewReader(body), Out: &out, Err: &errOut, Dir: "work", Env: os.Getenv,
		FS: fstest.MapFS{"work/objects.json": &fstest.MapFile{Data: list}},
	}, []string{"review", "-f", "objects.json", "--as", "system:serviceaccount:" + namespace + ":" + cases.ServiceAccount, "-o", "json", "-"})
	Expect(strings.TrimSpace(out.String())).NotTo(BeEmpty(), errOut.String())
	return response(out.Bytes())
}

// fromTree is the same by objects in a file or directory of this repository.
func fromTree(ctx context.Context, objects, as string, body []byte) string {
	GinkgoHelper()
	root, err := testenv.ModuleRoot()
	Expect(err).NotTo(HaveOccurred())
	var out, errOut bytes.Buffer
	cli.Run(ctx, cli.Deps{
		In: bytes.NewReader(body), Out: &out, Err: &errOut, FS: os.DirFS("/"), Dir: strings.TrimPrefix(root, "/"), Env: os.Getenv,
	}, []string{"review", "-f", objects, "--as", as, "-o", "json", "-"})
	Expect(strings.TrimSpace(out.String())).NotTo(BeEmpty(), errOut.String())
	return response(out.Bytes())
}

// typed gives an object the kind that a client leaves out.
func typed(kind string, object any) map[string]any {
	GinkgoHelper()
	text, err := json.Marshal(object)
	Expect(err).NotTo(HaveOccurred())
	var fields map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	Expect(d.Decode(&fields)).To(Succeed())
	fields["apiVersion"], fields["kind"] = "callgate.dev/v1alpha1", kind
	return fields
}
