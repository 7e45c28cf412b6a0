package jsonschema

import (
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The lengths that RFC 1035 and RFC 5321 allow, in bytes.
const (
	maxHost  = 253
	maxLabel = 63
	maxLocal = 64
)

// isIPv4 is a dotted quad in decimal without leading zeros, which some readers
// take for octal.
func isIPv4(text string) bool {
	if len(text) > len("255.255.255.255") {
		return false
	}
	a, err := netip.ParseAddr(text)
	return err == nil && a.Is4()
}

// isIPv6 is a text form of RFC 4291. A zone is no part of it.
func isIPv6(text string) bool {
	if len(text) > len("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255") {
		return false
	}
	a, err := netip.ParseAddr(text)
	return err == nil && a.Is6() && a.Zone() == ""
}

// isHostname is a host name of RFC 1123.
func isHostname(text string) bool { return labels(text, isLabel) }

// labels says that a text is a host name whose labels are all as wanted.
func labels(text string, wanted func(string) bool) bool {
	if len(text) > maxHost {
		return false
	}
	for more := true; more; {
		var label string
		label, text, more = strings.Cut(text, ".")
		if !wanted(label) {
			return false
		}
	}
	return true
}

func isLabel(label string) bool {
	return len(label) <= maxLabel && all(label, alphanumeric|hyphens) &&
		label[0] != '-' && label[len(label)-1] != '-'
}

// isIDNLabel takes letters, marks and digits of any script beside a plain label.
// Which of them a registry would accept is not looked up.
func isIDNLabel(label string) bool {
	for _, r := range label {
		if r < utf8.RuneSelf && !in(byte(r&0x7F), alphanumeric|hyphens) || r >= utf8.RuneSelf && !unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
			return false
		}
	}
	return label != "" && label[0] != '-' && label[len(label)-1] != '-'
}

// isEmail is Mailbox of RFC 5321.
func isEmail(text string) bool { return isMailbox(text, false) }

// isIDNEmail is Mailbox as RFC 6531 extends it.
func isIDNEmail(text string) bool { return isMailbox(text, true) }

// isMailbox judges a mailbox. The last @ splits it, because a quoted local part
// may have one and a domain may not.
func isMailbox(text string, idn bool) bool {
	at := strings.LastIndexByte(text, '@')
	if at < 1 || at > maxLocal || idn && !utf8.ValidString(text) {
		return false
	}
	local, domain := text[:at], text[at+1:]
	if local[0] == '"' {
		if !isQuoted(local, idn) {
			return false
		}
	} else if !isDotString(local, idn) {
		return false
	}
	if literal, ok := strings.CutPrefix(domain, "["); ok {
		return isAddressLiteral(literal)
	}
	if idn {
		return labels(domain, isIDNLabel)
	}
	return isHostname(domain)
}

// isDotString is Dot-string: atoms between dots.
func isDotString(text string, idn bool) bool {
	dot := true // none may come first, last or twice
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '.' && dot:
			return false
		case c != '.' && !in(c, alphanumeric|atomMarks) && (!idn || c < utf8.RuneSelf):
			return false
		}
		dot = c == '.'
	}
	return !dot
}

// isQuoted is Quoted-string.
func isQuoted(text string, idn bool) bool {
	if len(text) < 2 || text[len(text)-1] != '"' {
		return false
	}
	escaped := false
	for i := 1; i < len(text)-1; i++ {
		c := text[i]
		switch {
		case c < ' ', c == 0x7F, c >= utf8.RuneSelf && (!idn || escaped), c == '"' && !escaped:
			return false
		}
		escaped = c == '\\' && !escaped
	}
	return !escaped
}

// isAddressLiteral is what follows the [ of address-literal. The tags that are
// registered are IPv6 only.
func isAddressLiteral(text string) bool {
	text, ok := strings.CutSuffix(text, "]")
	if !ok {
		return false
	}
	const tag = "IPv6:"
	if len(text) > len(tag) && strings.EqualFold(text[:len(tag)], tag) {
		return isIPv6(text[len(tag):])
	}
	return isIPv4(text)
}
