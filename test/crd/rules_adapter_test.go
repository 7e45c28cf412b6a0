package crd_test

import (
	"maps"
	"slices"
)

const (
	ruleSource   = "set exactly one source: records or http"
	ruleKey      = "set key to the CEL expression that gives the record's key, such as tenant + ':' + args.ticket_id"
	ruleNoKey    = "leave key out with http: its url says what is asked for"
	ruleTenancy  = "write {tenant} into http.url as a path segment or a query value, or set tenancy: None where every tenant may see the same data"
	ruleOneTool  = "name the one tool that the adapter runs: * stands for none here"
	ruleTLS      = "leave caBundle out, or write https:// in url: without TLS no certificate is checked"
	ruleToken    = "leave serviceAccountTokenAudience out, or write https:// in url: a token is only sent over TLS"
	ruleVariable = "write each variable, {tenant} or {args.NAME}, as a whole path segment or the whole value of a query parameter (name=value), and percent-encode every other character that a URL cannot hold"
	ruleDots     = "leave out the path segments . and ..: write the path that is meant"
	ruleAudience = "write callgate.dev/NAMESPACE, or that and more behind a slash: a token for another audience could be used elsewhere in Callgate's name"
)

// adapterRules are those of ToolAdapter.
func adapterRules() []crossRule {
	k := toolAdapterKind
	records := minimalSpec(k)["records"]
	http := func(more map[string]any) map[string]any { return asking(more)["http"].(map[string]any) }
	open := http(map[string]any{"url": "https://h/all"})
	rules := []crossRule{
		{k, "records alone", map[string]any{}, ""},
		{k, "http alone", map[string]any{"spec": asking(nil)}, ""},
		{k, "no source", map[string]any{"spec.records": nil}, ruleSource},
		{k, "no source and no key", map[string]any{"spec.records": nil, "spec.key": nil}, ruleSource},
		{k, "both sources", map[string]any{"spec.http": http(nil)}, ruleSource},
		{k, "records without a key", map[string]any{"spec.key": nil}, ruleKey},
		{k, "http with a key", map[string]any{"spec.records": nil, "spec.http": http(nil)}, ruleNoKey},
		{k, "a URL without a tenant", map[string]any{"spec": map[string]any{"toolName": "t", "http": open}}, ruleTenancy},
		{k, "a URL without a tenant that says so", map[string]any{"spec": map[string]any{"toolName": "t", "http": open, "tenancy": "None"}}, ""},
		{k, "a URL without a tenant that says otherwise", map[string]any{"spec": map[string]any{"toolName": "t", "http": open, "tenancy": "Required"}}, ruleTenancy},
		{k, "records without tenancy", map[string]any{"spec.tenancy": "None", "spec.key": "args.id", "spec.records": records}, ""},
		{k, "a star", map[string]any{"spec.toolName": "*"}, ruleOneTool},
		{k, "certificates over TLS", map[string]any{"spec": asking(map[string]any{"caBundle": "YWFh"})}, ""},
		{k, "certificates without TLS", map[string]any{"spec": asking(map[string]any{"caBundle": "YWFh", "url": "http://h/{tenant}"})}, ruleTLS},
		{k, "a token over TLS", map[string]any{"spec": asking(map[string]any{"serviceAccountTokenAudience": "callgate.dev/ns"})}, ""},
		{k, "a token without TLS", map[string]any{"spec": asking(map[string]any{"serviceAccountTokenAudience": "callgate.dev/ns", "url": "http://h/{tenant}"})}, ruleToken},
	}
	for _, url := range goodURLs {
		rules = append(rules, crossRule{k, url, map[string]any{"spec": asking(map[string]any{"url": url})}, ""})
	}
	for _, url := range slices.Sorted(maps.Keys(badURLs)) {
		rules = append(rules, crossRule{k, url, map[string]any{"spec": asking(map[string]any{"url": url})}, badURLs[url]})
	}
	for _, audience := range []string{"callgate.dev/ns/tickets", "callgate.dev/ns-1/a/B_c.d"} {
		rules = append(rules, crossRule{k, audience, map[string]any{"spec": asking(map[string]any{"serviceAccountTokenAudience": audience})}, ""})
	}
	for _, audience := range []string{
		"callgate.dev", "callgate.dev/", "callgate.dev/NS", "callgate.dev/ns/", "callgateXdev/ns", "https://kubernetes.default.svc", "sts.amazonaws.com", "x/callgate.dev/ns", "callgate.dev/ns\n",
	} {
		rules = append(rules, crossRule{k, "the audience " + shorten(audience), map[string]any{"spec": asking(map[string]any{"serviceAccountTokenAudience": audience})}, ruleAudience})
	}
	return rules
}

var goodURLs = []string{
	"https://h/{tenant}/tickets/{args.ticket_id}",
	"https://h/v1/{tenant}/{args.a.b.c}/x-y.z/",
	"https://h/{tenant}/{args.Ticket-ID}?id={args.id}&view=full&empty=&raw=a=b",
	"https://h?t={tenant}",
	"https://h/?t={tenant}",
	"https://h:8443/a%20b/{tenant}/(x);y,z:@!$&'*+=~",
	"https://h/{tenant}/...",
	"https://h/{tenant}/.x/..y?a=../.",
	"https://h//{tenant}",
	"https://[2001:db8::1]:8443/{tenant}",
	"http://tickets.ns.svc.cluster.local:8080/{tenant}",
}

var badURLs = map[string]string{
	"https://h/x{tenant}":                    ruleVariable,
	"https://h/{tenant}x":                    ruleVariable,
	"https://h/{tenant}{args.a}":             ruleVariable,
	"https://h/{tenant}/{args.a}-{args.b}":   ruleVariable,
	"https://h/{tenant}?q=x{args.a}":         ruleVariable,
	"https://h/{tenant}?{args.a}=x":          ruleVariable,
	"https://h/{tenant}?{args.a}":            ruleVariable,
	"https://h/{tenant}?flag":                ruleVariable,
	"https://h/{tenant}?a=1&&b=2":            ruleVariable,
	"https://h/{tenant}#{args.a}":            ruleVariable,
	"https://h/{tenant}#x":                   ruleVariable,
	"https://h/{tenant}/{args}":              ruleVariable,
	"https://h/{tenant}/{args.}":             ruleVariable,
	"https://h/{tenant}/{args.a b}":          ruleVariable,
	"https://h/{tenant}/{args['a']}":         ruleVariable,
	"https://h/{tenant}/{ args.a }":          ruleVariable,
	"https://h/{tenant}/{Args.a}":            ruleVariable,
	"https://h/{tenant}/{caller.namespace}":  ruleVariable,
	"https://h/{tenant}/${args.a}":           ruleVariable,
	"https://h/{tenant}/{{args.a}}":          ruleVariable,
	"https://h/{tenant}/{args.a":             ruleVariable,
	"https://h/{tenant}/args.a}":             ruleVariable,
	"https://h/{tenant}/a b":                 ruleVariable,
	"https://h/{tenant}/a\\b":                ruleVariable,
	"https://h/{tenant}/%2":                  ruleVariable,
	"https://h/{tenant}/%zz":                 ruleVariable,
	"https://h/{tenant}/é":                   ruleVariable,
	"https://h/{tenant}/\"x":                 ruleVariable,
	"https://h/{tenant}/<x>":                 ruleVariable,
	"https://h/{tenant}/a|b^c`d":             ruleVariable,
	"https://h/{tenant}/../{args.a}":         ruleDots,
	"https://h/{tenant}/.":                   ruleDots,
	"https://h/{tenant}/..":                  ruleDots,
	"https://h/{tenant}/..?a=b":              ruleDots,
	"https://h/./{tenant}":                   ruleDots,
	"https://h/{tenant}/%2e%2E/x":            ruleDots,
	"https://h/{tenant}/.%2e":                ruleDots,
	"https://h/{TENANT}/x":                   ruleTenancy,
	"https://h/x?id={args.id}":               ruleTenancy,
	"https://h/x?tenant=tenant&id={args.id}": ruleTenancy,
}
