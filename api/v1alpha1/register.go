package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of the kinds in this package.
var GroupVersion = schema.GroupVersion{Group: "callgate.dev", Version: "v1alpha1"}

// SchemeGroupVersion is GroupVersion under the name that generated clients use.
var SchemeGroupVersion = GroupVersion

// AddToScheme registers the kinds of this package.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &ToolSchema{}, &ToolSchemaList{}, &ToolPolicy{}, &ToolPolicyList{}, &ToolAdapter{}, &ToolAdapterList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
