package importer

import (
	"encoding/json"
	"errors"

	"github.com/callgate/callgate/internal/verdictan"
)

// Configuration makes the objects that a gateway's configuration stands for. Its errors
// say where in the configuration something is wrong.
func Configuration(text []byte, opts Options) (Result, error) {
	objects, findings := verdictan.Convert(text, verdictan.Options{APIVersion: opts.APIVersion, ServiceAccounts: opts.ServiceAccounts})
	var r Result
	var wrong []error
	for _, f := range findings {
		line := f.Message
		if f.Pointer != "" {
			line = f.Pointer + ": " + line
		}
		if f.Severity == verdictan.Error {
			wrong = append(wrong, errors.New(line))
			continue
		}
		r.Notes = append(r.Notes, line)
	}
	if len(wrong) > 0 {
		return Result{}, errors.Join(wrong...)
	}
	if len(objects) == 0 {
		return r, ErrNoTools
	}
	for _, o := range objects {
		r.Objects = append(r.Objects, configured(o, opts))
	}
	return r, nil
}

func configured(o verdictan.Object, opts Options) Object {
	metadata, _ := o.Content["metadata"].(map[string]any)
	if opts.Namespace != "" {
		metadata["namespace"] = opts.Namespace
	}
	if o.Kind == "ToolPolicy" && opts.PolicyName != "" {
		metadata["name"] = opts.PolicyName
	}
	if spec, ok := o.Content["spec"].(map[string]any); ok && spec["parameters"] != nil {
		if text, err := json.Marshal(spec["parameters"]); err == nil {
			delete(spec, "parameters")
			keyword, value, _ := parameters(text)
			spec[keyword] = value
		}
	}
	name, _ := metadata["name"].(string)
	return Object{Kind: o.Kind, Name: name, Content: o.Content}
}
