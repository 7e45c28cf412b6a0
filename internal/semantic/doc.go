// Package semantic asks an external validator model for a second opinion on the tools
// that a client offers to a model (design section 6).
//
// The validator can only block. Whatever keeps its answer from coming, or from being
// one and unambiguous, is an Answer that is not valid, with a fixed word for the cause:
// there is no fail-open.
package semantic
