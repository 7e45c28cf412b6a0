// Package expr compiles and evaluates the CEL expressions of policies and
// adapters: rules, messages, and keys. The language is that of Kubernetes'
// ValidatingAdmissionPolicy: its environment, its libraries, its cost units.
//
// An expression is written by an operator, its arguments by a model. So whatever
// arguments can make expensive is bounded by a cost that is charged before the
// work is done and depends on no clock, and no error text holds an argument's
// value.
package expr
