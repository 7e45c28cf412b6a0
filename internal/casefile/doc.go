// Package casefile reads cases, such as people keep beside their policies, and holds an
// answer against what a case expects of it.
//
// It is pure: who runs a case gets the review that a client would send, and gives the
// answer that the client would get.
package casefile
