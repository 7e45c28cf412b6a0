package manifest

import (
	"context"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// fault is one problem of an object, at a field path as the API server writes it.
type fault struct{ rule, path, text string }

func faultOf(err *field.Error) fault { return fault{ruleOf(err), err.Field, errorText(err)} }

// admit is what becomes of an object between a create request under strict field
// validation and the first read: the steps and their order are the API server's.
// It returns the object as it would be read, encoded. in is used up.
func (r *rules) admit(ctx context.Context, in map[string]any, namespace string) (encoded []byte, faults []fault) {
	forget(in)
	meta, faults := r.coerce(in)
	if meta == nil {
		return nil, faults
	}
	if meta.Namespace == "" && r.namespaced {
		meta.Namespace = namespace
	}
	meta.Generation = 1
	if err := objectmeta.SetObjectMeta(in, meta); err != nil {
		return nil, append(faults, fault{RuleInvalidValue, "metadata", err.Error()})
	}
	defaulting.Default(in, r.structural)
	// A create cannot set status; its default is filled in on every read.
	delete(in, "status")
	faults = append(faults, r.validate(ctx, in, meta)...)
	if len(faults) > 0 {
		return nil, faults
	}
	encoded, err := r.stored(in)
	if err != nil {
		return nil, []fault{{RuleInvalidValue, "", err.Error()}}
	}
	return encoded, nil
}

// forget drops what the server sets and a create request cannot.
func forget(obj map[string]any) {
	delete(obj, "status")
	meta, ok := obj["metadata"].(map[string]any)
	if !ok {
		return
	}
	for _, key := range []string{
		"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation",
		"managedFields", "resourceVersion", "selfLink", "uid",
	} {
		delete(meta, key)
	}
}

// coerce prunes the object to its schema. What is pruned is a fault: strict field
// validation refuses it. meta is nil if the metadata cannot be decoded.
func (r *rules) coerce(obj map[string]any) (meta *metav1.ObjectMeta, faults []fault) {
	meta, found, unknown, err := objectmeta.GetObjectMetaWithOptions(obj, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, []fault{metadataFault(obj["metadata"], err)}
	}
	if !found || meta == nil {
		meta = &metav1.ObjectMeta{}
	}
	unknown = append(unknown, pruning.PruneWithOptions(obj, r.structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	defaulting.PruneNonNullableNullsWithoutDefaults(obj, r.structural)
	coerceErr, more := objectmeta.CoerceWithOptions(nil, obj, r.structural, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	for _, path := range append(unknown, more...) {
		faults = append(faults, fault{RuleUnknownField, path, "unknown field"})
	}
	if coerceErr != nil {
		faults = append(faults, faultOf(coerceErr))
	}
	return meta, faults
}

// metadataFault finds the label or annotation that is no string, which is nearly
// always what is wrong; the decoder does not say where it is.
func metadataFault(metadata any, err error) fault {
	fields, ok := metadata.(map[string]any)
	if !ok {
		return fault{RuleWrongType, "metadata", "metadata must be an object"}
	}
	if f, found := notText(fields, "metadata", "labels", "annotations"); found {
		return f
	}
	for _, name := range []string{"name", "namespace", "generateName"} {
		if _, ok := fields[name].(string); !ok && fields[name] != nil {
			return fault{RuleWrongType, "metadata." + name, "must be a string: quote it"}
		}
	}
	return fault{RuleInvalidValue, "metadata", err.Error()}
}

func (r *rules) validate(ctx context.Context, obj map[string]any, meta *metav1.ObjectMeta) (faults []fault) {
	errs := validateMetadata(ctx, meta, r.namespaced, apivalidation.NameIsDNSSubdomain)
	errs = append(errs, validation.ValidateCustomResource(nil, obj, r.openAPI)...)
	errs = append(errs, objectmeta.Validate(ctx, nil, obj, r.structural, false)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, r.structural, obj)...)
	for _, err := range errs {
		faults = append(faults, faultOf(err))
	}
	if r.cel == nil || blocksCEL(errs) {
		return faults
	}
	ruleErrs, _ := r.cel.Validate(ctx, nil, r.structural, obj, nil, celconfig.RuntimeCELCostBudget)
	for _, err := range ruleErrs {
		faults = append(faults, fault{RuleCEL, err.Field, errorText(err)})
	}
	return faults
}

// blocksCEL: rules are only asked about objects whose types and sizes they were
// checked for.
func blocksCEL(errs field.ErrorList) bool {
	for _, err := range errs {
		switch err.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong,
			field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return true
		}
	}
	return false
}

// stored writes the object as the API server does and reads it back, which decides
// how numbers look, and fills in the defaults that only a read shows.
func (r *rules) stored(obj map[string]any) ([]byte, error) {
	text, err := utiljson.Marshal(obj)
	if err != nil {
		return nil, err
	}
	var back map[string]any
	if err := utiljson.Unmarshal(text, &back); err != nil {
		return nil, err
	}
	defaulting.Default(back, r.structural)
	return utiljson.Marshal(back)
}

// errorText is an API server error without its path, which the position says.
func errorText(err *field.Error) string { return err.ErrorBody() }
