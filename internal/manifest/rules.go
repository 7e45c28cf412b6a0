package manifest

import (
	"fmt"
	"io/fs"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/config/crd"
)

// rules are what the API server holds against objects of one kind.
type rules struct {
	kind       string
	namespaced bool
	structural *structuralschema.Structural
	openAPI    validation.SchemaValidator
	cel        *cel.Validator
}

// loadRules reads the CustomResourceDefinitions that this binary was built with,
// by kind.
func loadRules() (map[string]*rules, error) {
	out := map[string]*rules{}
	err := fs.WalkDir(crd.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isManifest(p) {
			return err
		}
		text, err := fs.ReadFile(crd.FS(), p)
		if err != nil {
			return err
		}
		var def apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(text, &def); err != nil {
			return fmt.Errorf("decoding %s: %w", p, err)
		}
		r, err := newRules(&def)
		if err != nil {
			return fmt.Errorf("preparing %s: %w", p, err)
		}
		if r != nil {
			out[r.kind] = r
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the embedded CustomResourceDefinitions: %w", err)
	}
	return out, nil
}

// newRules prepares one definition, or nothing if it does not serve our version.
func newRules(def *apiextensionsv1.CustomResourceDefinition) (*rules, error) {
	if def.Spec.Group != callgatev1alpha1.GroupVersion.Group {
		return nil, nil
	}
	for i := range def.Spec.Versions {
		v := &def.Spec.Versions[i]
		if v.Name != callgatev1alpha1.GroupVersion.Version || !v.Served || v.Schema == nil {
			continue
		}
		r := &rules{kind: def.Spec.Names.Kind, namespaced: def.Spec.Scope == apiextensionsv1.NamespaceScoped}
		return r, r.compile(v.Schema.OpenAPIV3Schema)
	}
	return nil, nil
}

func (r *rules) compile(in *apiextensionsv1.JSONSchemaProps) error {
	var schema apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(in, &schema, nil); err != nil {
		return err
	}
	structural, err := structuralschema.NewStructural(&schema)
	if err != nil {
		return err
	}
	// The structural schema shares its defaults with its source.
	r.structural = structural.DeepCopy()
	if err := defaulting.PruneDefaults(r.structural); err != nil {
		return err
	}
	if r.openAPI, _, err = validation.NewSchemaValidator(&schema); err != nil {
		return err
	}
	r.cel = cel.NewValidator(r.structural, true, celconfig.PerCallLimit)
	return nil
}
