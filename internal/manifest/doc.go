// Package manifest reads ToolPolicies, ToolSchemas and ToolAdapters from files and
// answers what the API server would: the same defaults, bounds, list rules, CEL rules
// and JSON round trip, taken from the very CustomResourceDefinitions that are installed
// in a cluster. Whoever compiles its objects gets the verdicts that the cluster gives.
//
// Of Kubernetes' own kinds it reads what a verdict may depend on: Namespaces (labels),
// ConfigMaps (records), Roles, ClusterRoles and their bindings. They are decoded as
// strictly as by the API server, and held to those of its rules that decide who may
// what.
//
// # What is read
//
// Files, directories (*.yaml, *.yml and *.json, recursively, in the order of their
// names; what begins with a dot is passed over, so that a mounted ConfigMap is not
// read twice, and so are links to directories, with a note), and "-" for standard input. A file holds YAML documents or JSON
// objects; "kind: List" and lists of one kind, such as ToolSchemaList, are taken
// apart. YAML becomes JSON as kubectl does it, YAML 1.1 words included.
//
// Objects may come straight from "kubectl get -o yaml": status and what the server
// sets in metadata are accepted and ignored. Objects of other groups are passed
// over with a note, because people point at directories of mixed manifests; an
// unknown kind of our own group is an error, and so is a document without apiVersion
// and kind, as it is for kubectl.
//
// # What is refused
//
// What the API server refuses under strict field validation (unknown fields,
// duplicate keys, wrong kinds, values out of bounds), and beyond it what would make
// a file and a cluster differ: two objects of one kind, namespace and name, a
// generated name, text that is no UTF-8, an unpaired surrogate. Every problem is
// reported, each with file, line, column and the rule that it breaks. What is refused by
// nobody and reads otherwise than it looks, such as a key "on" or a number that will be
// rounded, is a warning. A ToolSchema whose document does not
// compile is no problem here: the API server stores it too.
package manifest
