package expr

import "testing"

func TestConfusesTenants(t *testing.T) {
	for source, want := range map[string]bool{
		`tenant + ":" + args.id`:                               false,
		`tenant + ":" + string(args.id)`:                       false,
		`"/" + tenant + "/" + args.id`:                         false,
		`args.id + "/" + tenant`:                               false,
		`tenant`:                                               false,
		`args.id`:                                              false,
		`tenant + ":" + caller.namespace + args.id`:            false,
		`tenant + (args.eu == true ? ":" : "/") + args.id`:     true,
		`tenant + (caller.via == "cli" ? ":" : "/") + args.id`: true,
		`[tenant, string(args.id)].join(":")`:                  false,
		`args.all == true ? tenant + ":all" : args.id`:         true, // the second has no tenant
		`args.all == true ? tenant + ":all" : "public"`:        false,
		`args.id == "x" ? tenant : tenant + "/" + args.id`:     false,
		`tenant + args.id`:                                     true,
		`(tenant) + args.id`:                                   true,
		`tenant + "" + args.id`:                                true,
		`tenant + "-" + args.id`:                               true,
		`tenant + "_v1." + string(args.id)`:                    true,
		`args.id + tenant`:                                     true,
		`tenant + caller.namespace + args.id`:                  true,
		`":" + tenant + args.id`:                               true,
		`tenant + args["a:b"]`:                                 true,
		`[tenant, string(args.id)].join("")`:                   true,
		`[tenant, string(args.id)].join()`:                     true,
		`args.id == "x" ? tenant + ":x" : tenant + args.id`:    true,
		`tenant + ":" + args.id + tenant`:                      false, // it begins with no other tenant
		`args.a + ":" + tenant + ":" + args.b`:                 true,  // x:beta:alpha:y is alpha's and beta's
		`args.a + ":" + tenant + ":" + args.b + "/" + tenant`:  false,
		`tenant + caller.namespace + ":" + args.id`:            true,
		`caller.namespace + "/" + tenant + "/" + args.id`:      false,
		`tenant + "-" + ":" + args.id`:                         false,
		`"%s%s".format([tenant, args.id])`:                     true,
		`"%s:%s".format([tenant, args.id])`:                    false,
		`"t=%s/%d".format([tenant, args.n])`:                   false,
		`"%s-%s".format([tenant, args.id])`:                    true,
		`"100%%:%s:%s".format([tenant, args.id])`:              true, // not taken apart
		`"%s:%.2f".format([tenant, args.n])`:                   true, // nor this
		`args.f.format([tenant, args.id])`:                     true,
		`(tenant + ":" + args.id).replace(":", "")`:            true,
		`(tenant + ":" + args.id).lowerAscii()`:                true,
		`tenant.lowerAscii() + ":" + args.id`:                  true,
		`tenant + ":" + args.id.lowerAscii()`:                  false,
		`(" " + tenant + " " + args.id).trim()`:                true,
		`tenant.replace("-", "") + ":" + args.id`:              true,
		`[tenant + ":", string(args.id)].join()`:               false,
		`[tenant, string(args.id)].join(caller.via)`:           true,
		`[tenant, string(args.id)].join(args.by)`:              true,
		`[tenant, "x", string(args.id)].join("/")`:             false,
		`["x", tenant].join("/") + args.id`:                    true,
		`args.ids.map(i, tenant + i).join(",")`:                true,
		`string(tenant) + ":" + args.id`:                       false,
		`caller.namespace + ":" + args.id`:                     false, // reads no tenant
	} {
		p, issues := Compile(source, Options{Result: Text, Variables: KeyVariables})
		if p == nil {
			t.Errorf("%s does not compile: %v", source, issues)
			continue
		}
		if got := p.ConfusesTenants(); got != want {
			t.Errorf("%s: confuses %v, want %v", source, got, want)
		}
	}
}
