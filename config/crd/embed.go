// Package crd holds the CustomResourceDefinitions of callgate.dev, as generated
// from the API types. The command line applies their defaults, bounds and rules to
// files, and tests install them, from the same bytes that a cluster gets.
package crd

import (
	"embed"
	"io/fs"
)

//go:embed bases/*.yaml
var bases embed.FS

// FS holds one YAML file a CustomResourceDefinition, at its root.
func FS() fs.FS {
	root, err := fs.Sub(bases, "bases")
	if err != nil {
		panic(err) // "bases" is a constant and valid
	}
	return root
}
