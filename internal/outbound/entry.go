package outbound

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// The ports that a URL without one means.
const (
	httpsPort = 443
	httpPort  = 80
)

// ports is one port, or every one.
type ports struct {
	any bool
	one uint16
}

func (p ports) has(port uint16) bool { return p.any || p.one == port }

// hostEntry allows a name, or every name below it.
type hostEntry struct {
	name  string
	below bool
	ports ports
}

func (e hostEntry) has(name string, port uint16) bool {
	if !e.ports.has(port) {
		return false
	}
	if e.below {
		return strings.HasSuffix(name, "."+e.name)
	}
	return name == e.name
}

// networkEntry allows addresses.
type networkEntry struct {
	prefix netip.Prefix
	ports  ports
}

// parseEntry reads one value of --allowed-upstream into the policy.
func (p *Policy) parseEntry(text string) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("--allowed-upstream=%s: %w", quoted(text), fmt.Errorf(format, args...))
	}
	if text == "" || text == "*" || strings.HasPrefix(text, "*:") {
		return fail(`write a host such as judge.example.org, "*." before one for the names below it, or a network such as 192.0.2.0/24`)
	}
	if _, rest, ok := strings.Cut(text, "://"); ok {
		authority, _, _ := strings.Cut(rest, "/")
		return fail("write the host alone, %s", quoted(authority))
	}
	body, port, err := splitPort(text)
	if err != nil {
		return fail("%w", err)
	}
	if prefix, ok, err := parsePrefix(body); err != nil {
		return fail("%w", err)
	} else if ok {
		if c := p.closed(prefix); c != ordinary {
			return fail("every address of it is %s: pass --allowed-upstream-special=%s as well, or leave it out", c, c)
		}
		p.networks = append(p.networks, networkEntry{prefix: prefix, ports: port})
		return nil
	}
	name, below := strings.CutPrefix(body, "*.")
	if strings.Contains(name, "*") {
		return fail(`write "*." once, at the beginning, for the names below a host`)
	}
	if name, err = parseName(name); err != nil {
		return fail("%w", err)
	}
	p.hosts = append(p.hosts, hostEntry{name: long(name, p.clusterDomain()), below: below, ports: port})
	return nil
}

// splitPort takes the port off an entry: "host", "host:8443", "host:*", and with
// brackets around what holds colons itself.
func splitPort(text string) (body string, p ports, err error) {
	rest := ""
	if inside, ok := strings.CutPrefix(text, "["); ok {
		if body, rest, ok = strings.Cut(inside, "]"); !ok {
			return "", p, fmt.Errorf(`close the bracket, as in "[2001:db8::/32]:8443"`)
		}
	} else if strings.Count(text, ":") > 1 {
		body = text
	} else if at := strings.IndexByte(text, ':'); at >= 0 {
		body, rest = text[:at], text[at:]
	} else {
		body = text
	}
	if rest == "" {
		return body, ports{one: httpsPort}, nil
	}
	if rest == ":*" {
		return body, ports{any: true}, nil
	}
	number, ok := strings.CutPrefix(rest, ":")
	port, ok2 := parsePort(number)
	if !ok || !ok2 {
		return "", p, fmt.Errorf(`write a port of 1 to 65535 behind the colon, or "*" for every port; without one it is 443`)
	}
	return body, ports{one: port}, nil
}

func parsePort(text string) (uint16, bool) {
	n, err := strconv.ParseUint(text, 10, 16)
	return uint16(n), err == nil && n > 0
}

// parsePrefix reads an address or a network; ok is false for what is neither.
func parsePrefix(text string) (_ netip.Prefix, ok bool, _ error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		if addr.Zone() != "" {
			return netip.Prefix{}, false, errZone
		}
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), true, nil
	}
	if !strings.Contains(text, "/") {
		return netip.Prefix{}, false, nil
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, false, fmt.Errorf("write a network as address/bits, such as 192.0.2.0/24, or a host without a path")
	}
	if prefix.Addr().Is4In6() {
		return netip.Prefix{}, false, fmt.Errorf("write an IPv4 network in IPv4's own form")
	}
	if whole := prefix.Masked(); whole != prefix {
		return netip.Prefix{}, false, fmt.Errorf("the address has bits beyond the network's: write %s", whole)
	}
	return prefix, true, nil
}

// closed is the special class that holds the whole network and is not open, so that
// the entry would allow nothing.
func (p *Policy) closed(prefix netip.Prefix) Class {
	class := classOf(prefix.Addr())
	if class != ordinary && class == classOf(last(prefix)) && !p.open(class) {
		return class
	}
	return ordinary
}

// last is the last address of a network.
func last(prefix netip.Prefix) netip.Addr {
	b := prefix.Addr().AsSlice()
	for bit := prefix.Bits(); bit < len(b)*8; bit++ {
		b[bit/8] |= 0x80 >> (bit % 8)
	}
	addr, _ := netip.AddrFromSlice(b)
	return addr
}
