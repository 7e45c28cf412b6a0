// Package verdictan reads the configuration of the Verdictan gateway's tool-validation
// policy and says it as a ToolPolicy and ToolSchemas.
//
// It is pure, and knows the configuration as JSON text. What it makes are objects as a
// file would have them, each with the places in the configuration that its fields come
// from, so that whoever admits and compiles them can say what is wrong at the right line.
package verdictan
