// Package metrics counts what Callgate does, as Prometheus metrics whose names begin with
// callgate_.
//
// Every label has a bounded set of values: words of this project, HTTP statuses, and
// namespaces up to a bound. Nothing that a model or a caller chose is a label: no tool, no
// argument, no account.
package metrics
