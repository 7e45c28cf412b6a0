package outbound

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Class is a kind of special address: one that no host entry and no network entry
// opens, because what listens there trusts whoever can reach it. The flag
// --allowed-upstream-special takes these words. Opening a class allows no upstream; it
// lets entries match inside the class.
type Class string

const (
	// ClassLoopback: 127.0.0.0/8, ::1. The sidecars of this very pod.
	ClassLoopback Class = "loopback"
	// ClassLinkLocal: 169.254.0.0/16, fe80::/10. The node's own services.
	ClassLinkLocal Class = "link-local"
	// ClassMetadata: where clouds give out credentials, link-local or not.
	ClassMetadata Class = "metadata"
	// ClassMulticast: 224.0.0.0/4, ff00::/8.
	ClassMulticast Class = "multicast"
	// ClassUnspecified: 0.0.0.0/8, ::. Linux connects 0.0.0.0 to itself.
	ClassUnspecified Class = "unspecified"
	// ClassReserved: 240.0.0.0/4 with the broadcast address (RFC 1112, 919).
	ClassReserved Class = "reserved"
	// ClassTranslated: IPv6 forms that lead to an IPv4 address which cannot be told, or
	// that nobody uses any more: 64:ff9b:1::/48 (RFC 8215), Teredo (RFC 4380), ::/96
	// (RFC 4291), ::ffff:0:0:0/96 (RFC 2765). Forms whose IPv4 address can be told,
	// ::ffff:0:0/96, 64:ff9b::/96, 2002::/16 and ISATAP in any network (RFC 5214), are of
	// the class of that address.
	ClassTranslated Class = "translated"

	// ordinary is every other address, private ones included: a cluster's Services are
	// private.
	ordinary Class = ""
	// invalid is of no address at all, and cannot be opened.
	invalid Class = "invalid"
)

var classes = []Class{
	ClassLoopback, ClassLinkLocal, ClassMetadata, ClassMulticast, ClassUnspecified, ClassReserved, ClassTranslated,
}

// metadata are the instance metadata and credential services that the clouds document:
// 169.254.169.254 (all), ECS and EKS on AWS, AWS and Google over IPv6, Azure's wire
// server, Alibaba, Oracle.
var metadata = []netip.Addr{
	netip.MustParseAddr("169.254.169.254"),
	netip.MustParseAddr("169.254.170.2"),
	netip.MustParseAddr("169.254.170.23"),
	netip.MustParseAddr("fd00:ec2::254"),
	netip.MustParseAddr("fd00:ec2::23"),
	netip.MustParseAddr("fd20:ce::254"),
	netip.MustParseAddr("168.63.129.16"),
	netip.MustParseAddr("100.100.100.200"),
	netip.MustParseAddr("192.0.0.192"),
}

var ranges = []struct {
	prefix netip.Prefix
	class  Class
}{
	{netip.MustParsePrefix("127.0.0.0/8"), ClassLoopback},
	{netip.MustParsePrefix("::1/128"), ClassLoopback},
	{netip.MustParsePrefix("169.254.0.0/16"), ClassLinkLocal},
	{netip.MustParsePrefix("fe80::/10"), ClassLinkLocal},
	{netip.MustParsePrefix("224.0.0.0/4"), ClassMulticast},
	{netip.MustParsePrefix("ff00::/8"), ClassMulticast},
	{netip.MustParsePrefix("0.0.0.0/8"), ClassUnspecified},
	{netip.MustParsePrefix("::/128"), ClassUnspecified},
	{netip.MustParsePrefix("240.0.0.0/4"), ClassReserved},
	{netip.MustParsePrefix("64:ff9b:1::/48"), ClassTranslated},
	{netip.MustParsePrefix("2001::/32"), ClassTranslated},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), ClassTranslated},
	// Behind :: and ::1, which are in it.
	{netip.MustParsePrefix("::/96"), ClassTranslated},
}

var (
	nat64     = netip.MustParsePrefix("64:ff9b::/96") // RFC 6052
	sixToFour = netip.MustParsePrefix("2002::/16")    // RFC 3056
)

func classOf(a netip.Addr) Class {
	if !a.IsValid() {
		return invalid
	}
	// A zone names an interface of this node, and hides the address from prefixes.
	a = a.WithZone("").Unmap()
	for _, one := range append([]netip.Addr{a}, inner(a)...) {
		if class := listed(one); class != ordinary {
			return class
		}
	}
	return ordinary
}

// listed is the class of an address by itself.
func listed(a netip.Addr) Class {
	if slices.Contains(metadata, a) {
		return ClassMetadata
	}
	for _, r := range ranges {
		if r.prefix.Contains(a) {
			return r.class
		}
	}
	return ordinary
}

// inner is the IPv4 addresses that a translated form leads to, none for every other. An
// ISATAP address in a 6to4 network leads to two.
func inner(a netip.Addr) []netip.Addr {
	var found []netip.Addr
	b := a.As16()
	if sixToFour.Contains(a) {
		found = append(found, netip.AddrFrom4([4]byte(b[2:6])))
	}
	if nat64.Contains(a) || a.Is6() && isISATAP([4]byte(b[8:12])) {
		found = append(found, netip.AddrFrom4([4]byte(b[12:16])))
	}
	return found
}

// isISATAP knows the interface identifiers of RFC 5214, section 6.1, whose IPv4 address
// follows, with the bit for a globally unique one or without.
func isISATAP(id [4]byte) bool {
	return id == [4]byte{0, 0, 0x5e, 0xfe} || id == [4]byte{2, 0, 0x5e, 0xfe}
}

func parseClass(word string) (Class, error) {
	if c := Class(word); slices.Contains(classes, c) {
		return c, nil
	}
	words := make([]string, 0, len(classes))
	for _, c := range classes {
		words = append(words, string(c))
	}
	return invalid, fmt.Errorf("--allowed-upstream-special=%s: write one of %s", quoted(word), strings.Join(words, ", "))
}
