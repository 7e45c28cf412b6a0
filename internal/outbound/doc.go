// Package outbound guards the calls that Callgate makes on behalf of objects that
// tenants write: the semantic validator's endpoint and the adapters' backends (design
// section 6, "Outbound calls").
//
// A Policy says where calls may go. It is asked twice: about the URL, when an object is
// read and again before each call, and about the very address, at dial. A Client puts a
// bound on everything that the far side can make large or slow.
package outbound
