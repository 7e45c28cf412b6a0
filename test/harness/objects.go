package harness

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// ToolSchema makes a ToolSchema.
func ToolSchema(namespace, name, tool, parameters string) *callgatev1alpha1.ToolSchema {
	s := &callgatev1alpha1.ToolSchema{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	s.Spec.ToolName = tool
	s.Spec.Parameters = &apiextensionsv1.JSON{Raw: []byte(parameters)}
	return s
}

// WeatherSchema makes the contract of the tool weather.
func WeatherSchema(namespace string) *callgatev1alpha1.ToolSchema {
	return ToolSchema(namespace, "weather", "weather",
		`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"]}`)
}

// ToolPolicy makes a policy for the ServiceAccount agent.
func ToolPolicy(namespace, name string, tools ...callgatev1alpha1.EffectiveToolName) *callgatev1alpha1.ToolPolicy {
	p := &callgatev1alpha1.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	p.Spec.Subjects.ServiceAccountNames = []callgatev1alpha1.ServiceAccountName{"agent"}
	p.Spec.DeclaredTools = tools
	return p
}

// WeatherPolicy lets agent call weather.
func WeatherPolicy(namespace string) *callgatev1alpha1.ToolPolicy {
	return ToolPolicy(namespace, "policy", "weather")
}
