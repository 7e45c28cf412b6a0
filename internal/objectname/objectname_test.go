package objectname

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

// The hashes are what sha256sum prints of the texts.
func TestNames(t *testing.T) {
	var n Names
	for _, c := range []struct{ text, want, other string }{
		{"get_ticket", "get-ticket", ""},
		{"get-ticket", "get-ticket-1275c11a", "get_ticket"},
		{"srv/Tool.v1", "srv-tool-v1", ""},
		{"", "tool", ""},
		{"工具", "tool-5ca6730d", ""},
		{"__x__", "x", ""},
		{strings.Repeat("a", 80), strings.Repeat("a", 54) + "-0f45e858", ""},
		{"get-b", "get-b", ""},
		{"get-b-4588e2eb", "get-b-4588e2eb", ""},
		{"get_b", "get-b-4588e2eb0931960e", "get-b"},
	} {
		got, other := n.For(c.text, "tool")
		if got != c.want || other != c.other {
			t.Errorf("%q: %q, instead of %q's; want %q, instead of %q's", c.text, got, other, c.want, c.other)
		}
	}
}

func FuzzNames(f *testing.F) {
	f.Add("get_ticket", "get-ticket", "get-ticket-1275c11a")
	f.Add("get-b", "get-b-4588e2eb", "get_b")
	f.Add("", "İ", "tool")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		var n Names
		whose := map[string]string{}
		for _, text := range []string{a, b, c} {
			name, _ := n.For(text, "tool")
			if wrong := validation.IsDNS1123Label(name); wrong != nil {
				t.Errorf("%q is no name: %v", name, wrong)
			}
			if other, taken := whose[name]; taken && other != text {
				t.Errorf("%q and %q are both %q", other, text, name)
			}
			whose[name] = text
		}
	})
}
