package objectname

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

func TestNames(t *testing.T) {
	var n Names
	for _, c := range []struct{ text, want, other string }{
		{"get_ticket", "get-ticket", ""},
		{"get-ticket", "get-ticket-8cf3c5f1", "get_ticket"},
		{"srv/Tool.v1", "srv-tool-v1", ""},
		{"", "tool", ""},
		{"工具", "tool-", ""},
		{"__x__", "x", ""},
		{strings.Repeat("a", 80), strings.Repeat("a", 54) + "-", ""},
	} {
		got, other := n.For(c.text, "tool")
		if !strings.HasPrefix(got, strings.TrimSuffix(c.want, "8cf3c5f1")) || (other != c.other && c.text != "工具") {
			t.Errorf("%q: %q, instead of %q's; want %q", c.text, got, other, c.want)
		}
		if wrong := validation.IsDNS1123Label(got); wrong != nil {
			t.Errorf("%q is no name: %v", got, wrong)
		}
	}
}

func FuzzNames(f *testing.F) {
	f.Add("get_ticket", "get-ticket")
	f.Add("", "İ")
	f.Fuzz(func(t *testing.T, a, b string) {
		var n Names
		x, _ := n.For(a, "tool")
		y, _ := n.For(b, "tool")
		if a != b && x == y {
			t.Errorf("%q and %q are both %q", a, b, x)
		}
		for _, name := range []string{x, y} {
			if wrong := validation.IsDNS1123Label(name); wrong != nil {
				t.Errorf("%q is no name: %v", name, wrong)
			}
		}
	})
}
