package manifest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubejson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// builtinDecoder decodes Kubernetes' own kinds as the API server does under strict
// field validation.
var builtinDecoder = func() runtime.Decoder {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(corev1.SchemeGroupVersion, &corev1.Namespace{}, &corev1.ConfigMap{})
	scheme.AddKnownTypes(rbacv1.SchemeGroupVersion, &rbacv1.Role{}, &rbacv1.ClusterRole{}, &rbacv1.RoleBinding{}, &rbacv1.ClusterRoleBinding{})
	return kubejson.NewSerializerWithOptions(kubejson.DefaultMetaFactory, scheme, scheme, kubejson.SerializerOptions{Strict: true})
}()

// admitBuiltin is what becomes of an object of one of Kubernetes' own kinds between a
// create request and the first read. Its rules are written out here, for they are in no
// definition that could be read: those that decide what a verdict is.
func admitBuiltin(ctx context.Context, in map[string]any, namespace string) (encoded []byte, faults []fault) {
	forget(in)
	if faults := untyped(in); len(faults) > 0 {
		return nil, faults
	}
	text, err := utiljson.Marshal(in)
	if err != nil {
		return nil, []fault{{RuleInvalidValue, "", err.Error()}}
	}
	obj, _, err := builtinDecoder.Decode(text, nil, nil)
	if faults := decodeFaults(err); len(faults) > 0 {
		return nil, faults
	}
	for _, err := range checkBuiltin(ctx, obj, namespace) {
		faults = append(faults, faultOf(err))
	}
	if len(faults) > 0 {
		return nil, faults
	}
	encoded, err = json.Marshal(obj)
	if err != nil {
		return nil, []fault{{RuleInvalidValue, "", err.Error()}}
	}
	return encoded, nil
}

// untyped finds the text that YAML reads as something else, which is nearly always
// what is wrong, and which the decoder would report without its key.
func untyped(in map[string]any) []fault {
	if meta, ok := in["metadata"].(map[string]any); ok {
		if f, found := notText(meta, "metadata", "labels", "annotations"); found {
			return []fault{f}
		}
	}
	if in["kind"] != KindConfigMap {
		return nil
	}
	if f, found := notText(in, "", "data", "binaryData"); found {
		return []fault{f}
	}
	return notBase64(in)
}

// notBase64 finds the binary data that the decoder would refuse without its key.
func notBase64(in map[string]any) (faults []fault) {
	values, _ := in["binaryData"].(map[string]any)
	for _, key := range sortedKeys(values) {
		text, _ := values[key].(string)
		if _, err := base64.StdEncoding.DecodeString(text); err != nil {
			faults = append(faults, fault{RuleInvalidValue, "binaryData[" + key + "]", "must be base64 text"})
		}
	}
	return faults
}

// decodeFaults gives the places of what the decoder refuses.
func decodeFaults(err error) []fault {
	if err == nil {
		return nil
	}
	if strict, ok := runtime.AsStrictDecodingError(err); ok {
		var faults []fault
		for _, err := range strict.Errors() {
			f := fault{rule: RuleUnknownField, text: err.Error()}
			if at, ok := err.(interface{ FieldPath() string }); ok {
				f = fault{RuleUnknownField, at.FieldPath(), "unknown field"}
			}
			faults = append(faults, f)
		}
		return faults
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return []fault{{RuleWrongType, wrong.Field, "this cannot be of the kind " + wrong.Value}}
	}
	return []fault{{rule: RuleInvalidValue, text: err.Error()}}
}

// checkBuiltin fills in the defaults of an object and validates it.
func checkBuiltin(ctx context.Context, obj runtime.Object, namespace string) field.ErrorList {
	switch o := obj.(type) {
	case *corev1.Namespace:
		errs := checkMeta(ctx, &o.ObjectMeta, "", apivalidation.ValidateNamespaceName)
		// The API server sets it on every namespace, and tenants may be told by it.
		metav1.SetMetaDataLabel(&o.ObjectMeta, corev1.LabelMetadataName, o.Name)
		o.Spec, o.Status = corev1.NamespaceSpec{}, corev1.NamespaceStatus{}
		return errs
	case *corev1.ConfigMap:
		return append(checkMeta(ctx, &o.ObjectMeta, namespace, apivalidation.NameIsDNSSubdomain), checkConfigMap(o)...)
	case *rbacv1.Role:
		return append(checkMeta(ctx, &o.ObjectMeta, namespace, pathSegmentName), checkRules(o.Rules, true)...)
	case *rbacv1.ClusterRole:
		return append(checkMeta(ctx, &o.ObjectMeta, "", pathSegmentName), checkRules(o.Rules, false)...)
	case *rbacv1.RoleBinding:
		return append(checkMeta(ctx, &o.ObjectMeta, namespace, pathSegmentName),
			checkBinding(&o.RoleRef, o.Subjects, true)...)
	case *rbacv1.ClusterRoleBinding:
		return append(checkMeta(ctx, &o.ObjectMeta, "", pathSegmentName),
			checkBinding(&o.RoleRef, o.Subjects, false)...)
	}
	return field.ErrorList{field.InternalError(nil, errors.New("this kind has no rules"))}
}

// checkMeta validates metadata. namespace is the one of objects that name none, and ""
// for a kind that is in none.
func checkMeta(ctx context.Context, meta *metav1.ObjectMeta, namespace string, name apivalidation.ValidateNameFunc) field.ErrorList {
	if meta.Namespace == "" {
		meta.Namespace = namespace
	}
	return validateMetadata(ctx, meta, namespace != "", name)
}

func validateMetadata(ctx context.Context, meta *metav1.ObjectMeta, namespaced bool, name apivalidation.ValidateNameFunc) field.ErrorList {
	path := field.NewPath("metadata")
	if meta.Name == "" && meta.GenerateName != "" {
		return field.ErrorList{field.Required(path.Child("name"), "a generated name would be another one at every reading: name the object")}
	}
	errs := apivalidation.ValidateObjectMetaDeclaratively(ctx, operation.Create, meta, nil, namespaced, name, path, true)
	if namespaced {
		// Nothing else validates a namespace here: in a cluster it would not exist.
		for _, msg := range apivalidation.ValidateNamespaceName(meta.Namespace, false) {
			errs = append(errs, field.Invalid(path.Child("namespace"), meta.Namespace, msg))
		}
	}
	return errs
}

// notText finds a value among the fields of an object that is no string.
func notText(in map[string]any, path string, names ...string) (f fault, found bool) {
	for _, name := range names {
		values, _ := in[name].(map[string]any)
		for _, key := range sortedKeys(values) {
			if _, ok := values[key].(string); !ok && values[key] != nil {
				return fault{RuleWrongType, strings.TrimPrefix(path+"."+name, ".") + "[" + key + "]", "must be a string: quote it"}, true
			}
		}
	}
	return fault{}, false
}
