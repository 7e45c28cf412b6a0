package main

import (
	"context"
	"os"
	"path/filepath"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"
)

// registerAdmission points the shipped webhook configuration at this machine: the
// API server cannot reach a Service here.
func (s *stage) registerAdmission(address string, caBundle []byte) {
	var config admissionregistrationv1.ValidatingWebhookConfiguration
	text := must(os.ReadFile(filepath.Join(s.root, "config", "webhook", "manifests.yaml")))
	if err := yaml.UnmarshalStrict(text, &config); err != nil {
		s.fail("reading the webhook configuration: %v", err)
	}
	for i := range config.Webhooks {
		client := &config.Webhooks[i].ClientConfig
		url := "https://" + address + *client.Service.Path
		client.URL, client.Service, client.CABundle = &url, nil, caBundle
	}
	if err := s.env.Client.Create(context.Background(), &config); err != nil {
		s.fail("creating the webhook configuration: %v", err)
	}
	s.say("The admission webhook is registered; it refuses nothing, and warns on apply.")
}
