package crd_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing/fstest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/callgate/callgate/internal/manifest"
)

// fromFile reads a file as the command line does.
func fromFile(ctx context.Context, file, namespace string) (*manifest.Set, []manifest.Diagnostic) {
	GinkgoHelper()
	wd, err := os.Getwd()
	Expect(err).NotTo(HaveOccurred())
	return manifest.Load(ctx, manifest.Options{FS: os.DirFS(wd), DefaultNamespace: namespace}, manifest.Source{Path: filepath.ToSlash(file)})
}

// What files are held to and what the API server holds objects to are one thing.
var _ = Describe("Files and the API server", func() {
	for _, file := range files("invalid") {
		It("both refuse "+filepath.Base(file), func(ctx context.Context) {
			set, problems := fromFile(ctx, file, "default")
			Expect(problems).NotTo(BeEmpty())
			Expect(set == nil || len(set.Schemas)+len(set.Policies)+len(set.Adapters) == 0).To(BeTrue(), "nothing of a refused object is used")
			for _, p := range problems {
				Expect(p.Line).To(BeNumerically(">", 0), "a problem says where: %+v", p)
			}
		})
	}

	for _, file := range files("valid") {
		It("store the same for "+filepath.Base(file), func(ctx context.Context) {
			namespace := env.Namespace(ctx, GinkgoT())
			must(kubectl(ctx, namespace, "", "create", "-f", file))
			set, problems := fromFile(ctx, file, namespace)
			Expect(problems).To(BeEmpty())
			compared := 0
			for _, s := range set.Schemas {
				sameSpec(ctx, set, manifest.Key{Kind: manifest.KindToolSchema, Namespace: s.Namespace, Name: s.Name})
				compared++
			}
			for _, p := range set.Policies {
				sameSpec(ctx, set, manifest.Key{Kind: manifest.KindToolPolicy, Namespace: p.Namespace, Name: p.Name})
				compared++
			}
			for _, a := range set.Adapters {
				sameSpec(ctx, set, manifest.Key{Kind: manifest.KindToolAdapter, Namespace: a.Namespace, Name: a.Name})
				compared++
			}
			Expect(compared).To(BeNumerically(">", 0))
		})
	}
})

// loader holds the definitions' rules, which take a moment to prepare.
var loader = sync.OnceValues(manifest.NewLoader)

// both asks the API server and whoever reads files what they say to a create. It
// expects one answer of both, and gives the API server's.
func both(ctx context.Context, o *unstructured.Unstructured) error {
	GinkgoHelper()
	server := dryRun(ctx, o.DeepCopy())
	file := o.DeepCopy()
	if file.GetName() == "" {
		file.SetGenerateName("")
		file.SetName("minimal")
	}
	text, err := file.MarshalJSON()
	Expect(err).NotTo(HaveOccurred())
	reader, err := loader()
	Expect(err).NotTo(HaveOccurred())
	_, problems := reader.Load(ctx, manifest.Options{FS: fstest.MapFS{"o.json": {Data: text}}}, manifest.Source{Path: "o.json"})
	if server == nil {
		Expect(problems).To(BeEmpty(), "the API server takes it")
		return nil
	}
	Expect(problems).NotTo(BeEmpty(), "the API server says: %v", server)
	for _, p := range problems {
		// A long message is cut in the file reader's answer, and escaped for a terminal.
		message, _, _ := strings.Cut(p.Message, `\u`)
		message = strings.TrimSuffix(message, "…")
		_, said, isQuoted := strings.Cut(message, `": `)
		if !isQuoted {
			said = message
		}
		Expect(server.Error()).To(ContainSubstring(said), "both say the same")
		Expect(server.Error()).To(ContainSubstring(fieldPath(p.Path)), "both name the same field")
	}
	return server
}

// fieldPath writes a JSON Pointer as the API server writes paths.
func fieldPath(pointer string) string {
	var b strings.Builder
	for _, token := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		if _, err := strconv.Atoi(token); err == nil {
			b.WriteString("[" + token + "]")
			continue
		}
		b.WriteString("." + token)
	}
	return strings.TrimPrefix(b.String(), ".")
}

func sameSpec(ctx context.Context, set *manifest.Set, key manifest.Key) {
	GinkgoHelper()
	stored := &unstructured.Unstructured{}
	stored.SetAPIVersion("callgate.dev/v1alpha1")
	stored.SetKind(key.Kind)
	Expect(env.Client.Get(ctx, types.NamespacedName{Namespace: key.Namespace, Name: key.Name}, stored)).To(Succeed())
	server, err := json.Marshal(stored.Object["spec"])
	Expect(err).NotTo(HaveOccurred())
	var file struct {
		Spec json.RawMessage `json:"spec"`
	}
	Expect(json.Unmarshal(set.Stored(key), &file)).To(Succeed())
	Expect(strings.TrimSpace(string(file.Spec))).To(Equal(string(server)), "byte for byte: keys sorted, numbers re-encoded, defaults filled in")
}
