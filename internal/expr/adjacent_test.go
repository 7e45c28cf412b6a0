package expr

import "testing"

func TestJoinsTenant(t *testing.T) {
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
		`args.all == true ? tenant + ":all" : args.id`:         false,
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
		`tenant + ":" + args.id + tenant`:                      true,
	} {
		p, issues := Compile(source, Options{Result: Text, Variables: KeyVariables})
		if p == nil {
			t.Errorf("%s does not compile: %v", source, issues)
			continue
		}
		if got := p.JoinsTenant(); got != want {
			t.Errorf("%s: joins %v, want %v", source, got, want)
		}
	}
}
