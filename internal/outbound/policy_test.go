package outbound

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func mustPolicy(t testing.TB, allowed []string, special ...string) Policy {
	t.Helper()
	p, err := ParsePolicy(allowed, special, "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestParsePolicySaysWhatToWrite(t *testing.T) {
	for entry, want := range map[string]string{
		"":                           "write a host such as",
		"*":                          "write a host such as",
		"*:443":                      "write a host such as",
		"https://judge.example.org/": `write the host alone, "judge.example.org"`,
		"judge.example.org/v1":       "a host without a path",
		"judge.*.org":                `write "*." once`,
		"*.*.org":                    `write "*." once`,
		"*judge.org":                 `write "*." once`,
		"*.":                         "write a DNS name",
		"jüdge.example.org":          "xn--",
		"judge..org":                 "write a DNS name",
		"judge.example.org:0":        "write a port",
		"judge.example.org:https":    "write a port",
		"judge.example.org:":         "write a port",
		"judge.example.org:65536":    "write a port",
		"[2001:db8::/32":             "close the bracket",
		"[2001:db8::1]8443":          "write a port",
		"10.1.2.3/8":                 "write 10.0.0.0/8",
		"10.0.0.0/33":                "address/bits",
		"::ffff:10.0.0.0/104":        "IPv4's own form",
		"fe80::1%eth0":               "without a zone",
		"010.0.0.1":                  "without leading zeros",
		"127.1":                      "four decimal numbers",
		"0x7f000001":                 "four decimal numbers",
		"127.0.0.0/8":                "pass --allowed-upstream-special=loopback as well",
		"169.254.169.254":            "pass --allowed-upstream-special=metadata as well",
		"::ffff:127.0.0.1":           "pass --allowed-upstream-special=loopback as well",
	} {
		_, err := ParsePolicy([]string{"good.example.org", entry}, nil, "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", entry, err, want)
		}
	}
	if _, err := ParsePolicy(nil, []string{"localhost"}, ""); err == nil || !strings.Contains(err.Error(), "write one of loopback, link-local") {
		t.Errorf("an unknown class: %v", err)
	}
	if _, err := ParsePolicy(nil, nil, "cluster local"); err == nil || !strings.Contains(err.Error(), "such as cluster.local") {
		t.Errorf("a bad cluster domain: %v", err)
	}
	if p, err := ParsePolicy([]string{"good.example.org", "*"}, nil, ""); err == nil || len(p.hosts) != 0 {
		t.Errorf("half a policy was returned: %v", p)
	}
}

func TestCheckURL(t *testing.T) {
	names := []string{"judge.example.org", "*.models.example.org", "lab.example.org:8443", "any.example.org:*", "JUDGE.Tools.svc:9443"}
	networks := []string{"192.0.2.0/24", "[2001:db8::/32]:8443", "10.0.0.0/8"}
	for _, tc := range []struct {
		name    string
		policy  Policy
		url     string
		allowed bool
	}{
		{"the zero policy allows nothing", Policy{}, "https://judge.example.org/", false},
		{"nor an address", Policy{}, "https://192.0.2.1/", false},
		{"exact host", mustPolicy(t, names), "https://judge.example.org/v1?x=y", true},
		{"case does not matter", mustPolicy(t, names), "HTTPS://Judge.Example.ORG/", true},
		{"nor does the dot at the end", mustPolicy(t, names), "https://judge.example.org./", true},
		{"the default port written out", mustPolicy(t, names), "https://judge.example.org:443/", true},
		{"another port", mustPolicy(t, names), "https://judge.example.org:8443/", false},
		{"a port of its own", mustPolicy(t, names), "https://lab.example.org:8443/", true},
		{"and not the default one", mustPolicy(t, names), "https://lab.example.org/", false},
		{"every port", mustPolicy(t, names), "https://any.example.org:1/", true},
		{"a name below", mustPolicy(t, names), "https://x.judge.example.org/", false},
		{"a name before", mustPolicy(t, names), "https://evil-judge.example.org/", false},
		{"a name around", mustPolicy(t, names), "https://judge.example.org.evil.test/", false},
		{"wildcard, one label", mustPolicy(t, names), "https://a.models.example.org/", true},
		{"wildcard, more labels", mustPolicy(t, names), "https://b.a.models.example.org/", true},
		{"wildcard, not itself", mustPolicy(t, names), "https://models.example.org/", false},
		{"wildcard, not a suffix of a label", mustPolicy(t, names), "https://amodels.example.org/", false},
		{"a Service in its long form", mustPolicy(t, names), "https://judge.tools.svc.cluster.local:9443/", true},
		{"http", mustPolicy(t, names), "http://judge.example.org/", false},
		{"http on the port of https", mustPolicy(t, names), "http://judge.example.org:443/", false},
		{"another scheme", mustPolicy(t, names), "ftp://judge.example.org/", false},
		{"user information", mustPolicy(t, names), "https://user@judge.example.org/", false},
		{"the host as user information", mustPolicy(t, names), "https://judge.example.org@evil.test/", false},
		{"no host", mustPolicy(t, names), "https:///v1", false},
		{"opaque", mustPolicy(t, names), "https:judge.example.org", false},
		{"relative", mustPolicy(t, names), "//judge.example.org/", false},
		{"port zero", mustPolicy(t, names), "https://any.example.org:0/", false},
		{"an address in a network", mustPolicy(t, networks), "https://192.0.2.7/", true},
		{"its mapped form", mustPolicy(t, networks), "https://[::ffff:192.0.2.7]/", true},
		{"an address in none", mustPolicy(t, networks), "https://198.51.100.1/", false},
		{"a network's port", mustPolicy(t, networks), "https://[2001:db8::1]:8443/", true},
		{"not the default one", mustPolicy(t, networks), "https://[2001:db8::1]/", false},
		{"an address is no name", mustPolicy(t, names), "https://192.0.2.7/", false},
		{"a zone", mustPolicy(t, networks), "https://[2001:db8::1%25eth0]:8443/", false},
		{"a name, judged at dial", mustPolicy(t, networks), "https://unknown.example.org/", true},
		{"an address by its number", mustPolicy(t, networks), "https://3221225985/", false},
		{"hexadecimal", mustPolicy(t, networks), "https://0xc0000201/", false},
		{"special in an open network", mustPolicy(t, []string{"0.0.0.0/0:*", "[::/0]:*"}), "https://127.0.0.1/", false},
		{"metadata in an open network", mustPolicy(t, []string{"0.0.0.0/0:*", "[::/0]:*"}, "link-local"), "https://169.254.169.254/", false},
		{"IPv4-translated in an open network", mustPolicy(t, []string{"0.0.0.0/0:*", "[::/0]:*"}), "https://[::ffff:0:127.0.0.1]/", false},
		{"ISATAP in an open network", mustPolicy(t, []string{"0.0.0.0/0:*", "[::/0]:*"}), "https://[2001:db8::5efe:7f00:1]/", false},
		{"the class alone", mustPolicy(t, names, "loopback"), "https://127.0.0.1/", false},
		{"the class and the network", mustPolicy(t, []string{"127.0.0.0/8"}, "loopback"), "https://127.0.0.1/", true},
		{"another class", mustPolicy(t, []string{"0.0.0.0/0"}, "multicast"), "https://127.0.0.1/", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			u, err := url.Parse(tc.url)
			if err != nil {
				t.Fatal(err)
			}
			err = tc.policy.CheckURL(u)
			if (err == nil) != tc.allowed {
				t.Errorf("%s: %v", tc.url, err)
			}
			if err != nil && CauseOf(err) != CauseNotAllowed {
				t.Errorf("cause %s", CauseOf(err))
			}
		})
	}
	if err := mustPolicy(t, names).CheckURL(nil); err == nil {
		t.Error("a nil URL is allowed")
	}
}

func TestRefusalSaysWhatTheOperatorMustAllow(t *testing.T) {
	for text, want := range map[string]string{
		"https://judge.example.org/secret-path?secret=query": "--allowed-upstream=judge.example.org",
		"https://judge.example.org:8443/":                    "--allowed-upstream=judge.example.org:8443",
		"https://[2001:db8::1]:8443/":                        "--allowed-upstream=[2001:db8::1]:8443",
	} {
		u, _ := url.Parse(text)
		err := Policy{}.CheckURL(u)
		if err == nil || !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", text, err)
			continue
		}
		entry := want[strings.Index(want, "=")+1:]
		if err := mustPolicy(t, []string{entry}).CheckURL(u); err != nil {
			t.Errorf("%s: the advice does not help: %v", text, err)
		}
	}
}

func TestServicesOfTheOwnNamespace(t *testing.T) {
	inDomain, err := ParsePolicy(nil, nil, "k8s.example.org")
	if err != nil {
		t.Fatal(err)
	}
	support := Policy{}.WithServices("support")
	for _, tc := range []struct {
		policy  Policy
		url     string
		allowed bool
	}{
		{support, "http://tickets.support.svc/", true},
		{support, "http://tickets.support.svc:8080/", true},
		{support, "https://tickets.support.svc.cluster.local:8443/", true},
		{support, "http://tickets.support.svc.cluster.local./", true},
		{support, "http://tickets.support/", false},
		{support, "http://tickets/", false},
		{support, "http://tickets.sales.svc/", false},
		{support, "http://pod-0.tickets.support.svc/", false},
		{support, "http://support.svc/", false},
		{support, "http://tickets.support.svc.evil.test/", false},
		{support, "http://tickets.support.svc.k8s.example.org/", false},
		{support, "http://10.0.0.1/", false},
		{Policy{}.WithServices(""), "http://tickets..svc/", false},
		{Policy{}, "http://tickets.support.svc/", false},
		{inDomain.WithServices("support"), "http://tickets.support.svc.k8s.example.org/", true},
		{inDomain.WithServices("support"), "http://tickets.support.svc/", true},
		{inDomain.WithServices("support"), "http://tickets.support.svc.cluster.local/", false},
	} {
		u, err := url.Parse(tc.url)
		if err != nil {
			t.Fatal(err)
		}
		if err := tc.policy.CheckURL(u); (err == nil) != tc.allowed {
			t.Errorf("%s: %v", tc.url, err)
		}
	}
}

func TestClasses(t *testing.T) {
	for text, want := range map[string]Class{
		"127.0.0.1": ClassLoopback, "127.255.255.255": ClassLoopback, "::1": ClassLoopback,
		"::ffff:127.0.0.1": ClassLoopback, "64:ff9b::7f00:1": ClassLoopback, "2002:7f00:1::": ClassLoopback,
		"169.254.1.1": ClassLinkLocal, "fe80::1": ClassLinkLocal, "fe80::1%eth0": ClassLinkLocal, "febf::1": ClassLinkLocal,
		"64:ff9b::a9fe:101": ClassLinkLocal, "2002:a9fe:101::1": ClassLinkLocal,
		"169.254.169.254": ClassMetadata, "::ffff:169.254.169.254": ClassMetadata, "64:ff9b::a9fe:a9fe": ClassMetadata,
		"fd00:ec2::254": ClassMetadata, "100.100.100.200": ClassMetadata,
		"224.0.0.1": ClassMulticast, "239.255.255.255": ClassMulticast, "ff02::1": ClassMulticast,
		"0.0.0.0": ClassUnspecified, "0.1.2.3": ClassUnspecified, "::": ClassUnspecified, "::ffff:0.0.0.0": ClassUnspecified,
		"240.0.0.1": ClassReserved, "255.255.255.255": ClassReserved,
		"64:ff9b:1::7f00:1": ClassTranslated, "2001::1": ClassTranslated, "::7f00:1": ClassTranslated, "::2": ClassTranslated,
		"::ffff:0:127.0.0.1": ClassTranslated, "::ffff:0:808:808": ClassTranslated,
		"2001:db8::5efe:7f00:1": ClassLoopback, "2001:db8::200:5efe:a9fe:101": ClassLinkLocal, "2001:db8::5efe:a9fe:a9fe": ClassMetadata,
		"fd00::5efe:0.0.0.0": ClassUnspecified, "fe80::5efe:8.8.8.8": ClassLinkLocal, "2002:808:808::5efe:7f00:1": ClassLoopback,
		"2001:db8::5efe:10.0.0.1": ordinary, "2001:db8::100:5efe:7f00:1": ordinary, "2001:db8:0:0:5efe:7f00:1:1": ordinary,
		"10.0.0.1": ordinary, "192.168.0.1": ordinary, "100.64.0.1": ordinary, "8.8.8.8": ordinary, "fd00::1": ordinary,
		"2001:db8::1": ordinary, "64:ff9b::808:808": ordinary, "2002:808:808::": ordinary, "fec0::1": ordinary,
	} {
		if got := classOf(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
	if classOf(netip.Addr{}) != invalid {
		t.Error("no address is of a class that can be opened")
	}
}

// FuzzPolicy holds that no entry panics, and that whatever was allowed is https to a
// host that is special in no way.
func FuzzPolicy(f *testing.F) {
	f.Add("judge.example.org", "https://judge.example.org/")
	f.Add("*.example.org:*", "https://a.example.org.:99/")
	f.Add("[::/0]:*", "https://[::ffff:7f00:1]:80/")
	f.Add("0.0.0.0/0", "https://127.0.0.1/")
	f.Add("::/0", "https://[2001:db8::5efe:7f00:1]/")
	f.Add("2001:db8::/32", "https://[2001:db8::1]/")
	f.Fuzz(func(t *testing.T, entry, text string) {
		p, err := ParsePolicy([]string{entry}, nil, "")
		u, err2 := url.Parse(text)
		if err != nil || err2 != nil || p.CheckURL(u) != nil {
			return
		}
		if u.Scheme != "https" || u.User != nil {
			t.Errorf("%q allows %q", entry, text)
		}
		if addr, err := netip.ParseAddr(u.Hostname()); err == nil && classOf(addr) != ordinary {
			t.Errorf("%q allows %q, which is %s", entry, text, classOf(addr))
		}
	})
}
