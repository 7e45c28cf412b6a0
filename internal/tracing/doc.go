// Package tracing sends spans of reviews to an OTLP receiver that the operator named,
// through OpenTelemetry's SDK.
//
// Spans wait in a bounded queue for one goroutine that sends them; what finds no room
// there is dropped. Nothing here ever holds up a verdict.
package tracing
