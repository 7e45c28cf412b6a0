package outbound

import (
	"errors"
	"net/netip"
	"strings"

	"github.com/callgate/callgate/internal/shown"
)

// The bounds of DNS names (RFC 1035, section 2.3.4).
const (
	maxNameBytes  = 253
	maxLabelBytes = 63
)

var (
	errName    = errors.New("write a DNS name of at most 253 letters, digits, hyphens, underscores and dots; one with other letters in its xn-- form")
	errNumeric = errors.New("write an IPv4 address as four decimal numbers without leading zeros, such as 192.0.2.7")
	errZone    = errors.New("write the address without a zone")
)

// host is either a name or an address.
type host struct {
	// name is in lower case, without the dot at its end; names of Services are in their
	// long form, so that judge.tools.svc and judge.tools.svc.cluster.local are one.
	name string
	addr netip.Addr
}

func (h host) String() string {
	if h.addr.IsValid() {
		return h.addr.String()
	}
	return shown.Name(h.name)
}

// parseHost reads a host as url.URL.Hostname gives it.
func parseHost(text, clusterDomain string) (host, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		if addr.Zone() != "" {
			return host{}, errZone
		}
		return host{addr: addr.Unmap()}, nil
	}
	name, err := parseName(text)
	if err != nil {
		return host{}, err
	}
	return host{name: long(name, clusterDomain)}, nil
}

func parseName(text string) (string, error) {
	name := strings.ToLower(strings.TrimSuffix(text, "."))
	if len(name) > maxNameBytes {
		return "", errName
	}
	last := ""
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > maxLabelBytes || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "", errName
		}
		last = label
	}
	// Resolvers of the C library read 127.1, 0x7f000001 and 2130706433 as addresses.
	if numeric(last) {
		return "", errNumeric
	}
	return name, nil
}

func numeric(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// long writes the name of a Service in full. Names are looked up as absolute ones:
// with a pod's search list, whoever owns a namespace called "com" or "svc" could give
// example.com or judge.tools.svc an address of its own.
func long(name, clusterDomain string) string {
	if name == "svc" || strings.HasSuffix(name, ".svc") {
		return name + "." + clusterDomain
	}
	return name
}

func quoted(s string) string { return `"` + shown.Name(s) + `"` }
