// Package webhooks is Callgate's front over HTTPS: the decision endpoint that judges
// reviews, its server, certificates, drain and health, and the admission webhook
// that previews what a stored object's status will say.
//
// A request passes the cheapest refusal first: path, method, headers, identity, not
// ready, arriving limits, body, in-flight limit, envelope; and only then is judged.
// Whoever is not identified learns nothing of this replica's state: 401 comes before
// 503. No answer is ever a 500, and nothing that goes wrong is an allow.
package webhooks
