package outbound

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// DefaultClusterDomain is the DNS domain of a cluster unless it was set up otherwise.
const DefaultClusterDomain = "cluster.local"

// Policy says where outbound calls may go. It is a value: copies are independent, and
// it is safe for concurrent use. The zero value allows nothing.
//
// A host entry allows a name whatever ordinary address it has. A network entry allows
// the addresses in it, by whatever name; a name that no host entry allows is therefore
// judged at dial, where its addresses are known. Special addresses (Class) are refused
// under both until their class is opened.
type Policy struct {
	hosts     []hostEntry
	networks  []networkEntry
	special   []Class
	domain    string
	namespace string
}

// ParsePolicy reads the values of --allowed-upstream, --allowed-upstream-special and
// --cluster-domain. The error has a line for each value that cannot be read, and says
// what to write. An entry is
//
//	judge.example.org      that host
//	*.example.org          every name below it, however deep, but not it itself
//	192.0.2.0/24, 2001:db8::1
//	                       the addresses of a network, or one
//
// each for port 443, unless followed by ":8443" or, for every port, ":*"; what holds
// colons is put in brackets then: "[2001:db8::/32]:8443". An empty clusterDomain is
// cluster.local.
func ParsePolicy(allowed, special []string, clusterDomain string) (Policy, error) {
	var errs []error
	p := Policy{}
	if clusterDomain != "" {
		domain, err := parseName(clusterDomain)
		if err != nil {
			errs = append(errs, errors.New("--cluster-domain="+quoted(clusterDomain)+": write the cluster's DNS domain, such as cluster.local"))
		}
		p.domain = domain
	}
	for _, word := range special {
		class, err := parseClass(word)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.special = append(p.special, class)
	}
	for _, text := range allowed {
		errs = append(errs, p.parseEntry(text))
	}
	if err := errors.Join(errs...); err != nil {
		return Policy{}, err
	}
	return p, nil
}

// WithServices is p and, beyond it, the Services of one namespace, name.namespace.svc
// in its short and its long form, by https or http, on every port. It is the adapters'
// default (design section 6). An empty namespace adds nothing.
func (p Policy) WithServices(namespace string) Policy {
	p.namespace = namespace
	return p
}

// CheckURL reports whether calls to u may be tried: an *Error with CauseNotAllowed
// whose detail says what to change, or nil. It asks no name server, so a nil for a name
// does not promise that its addresses are allowed.
func (p Policy) CheckURL(u *url.URL) error {
	if u == nil || u.Host == "" || u.Opaque != "" {
		return notAllowed("write an absolute URL, such as https://judge.example.org/v1/chat/completions")
	}
	if u.Scheme != "https" && u.Scheme != "http" {
		return notAllowed("write a URL that begins with https://")
	}
	if u.User != nil {
		return notAllowed("take the user information out of the URL; credentials belong in a Secret")
	}
	t, err := p.target(u.Scheme == "http", u.Hostname(), u.Port())
	if err != nil {
		return err
	}
	_, err = p.judge(t)
	return err
}

// target is where one call wants to go.
type target struct {
	plain bool
	host  host
	port  uint16
}

func (p Policy) target(plain bool, hostname, port string) (target, error) {
	h, err := parseHost(hostname, p.clusterDomain())
	if err != nil {
		return target{}, notAllowed("host " + quoted(hostname) + ": " + err.Error())
	}
	t := target{plain: plain, host: h, port: httpsPort}
	if plain {
		t.port = httpPort
	}
	if port != "" {
		n, ok := parsePort(port)
		if !ok {
			return target{}, notAllowed("host " + h.String() + ": write a port of 1 to 65535")
		}
		t.port = n
	}
	return t, nil
}

// grant is what allows a target.
type grant uint8

const (
	refused grant = iota
	// byNetwork: as far as its address is in a network that is allowed.
	byNetwork
	// byHost: by name, so that every ordinary address will do.
	byHost
)

// judge allows a target or says why not. For an address it judges the address too.
func (p Policy) judge(t target) (grant, error) {
	g := p.grant(t)
	if g == refused {
		return refused, p.refusal(t)
	}
	if t.host.addr.IsValid() {
		return g, p.judgeAddress(t, g, t.host.addr)
	}
	return g, nil
}

func (p Policy) grant(t target) grant {
	if p.service(t.host.name) {
		return byHost
	}
	if t.plain {
		return refused
	}
	if t.host.name != "" && slices.ContainsFunc(p.hosts, func(e hostEntry) bool { return e.has(t.host.name, t.port) }) {
		return byHost
	}
	if slices.ContainsFunc(p.networks, func(e networkEntry) bool { return e.ports.has(t.port) }) {
		return byNetwork
	}
	return refused
}

// service reports whether name is a Service of the policy's own namespace: one label
// before it, so that no other namespace and no pod is meant.
func (p Policy) service(name string) bool {
	if p.namespace == "" {
		return false
	}
	label, ok := strings.CutSuffix(name, "."+p.namespace+".svc."+p.clusterDomain())
	return ok && label != "" && !strings.Contains(label, ".")
}

// judgeAddress judges one address that a granted target has.
func (p Policy) judgeAddress(t target, g grant, addr netip.Addr) error {
	addr = addr.Unmap()
	at := t.host.String()
	if !t.host.addr.IsValid() {
		at += " has the address " + addr.String() + ", which"
	}
	if class := classOf(addr); class != ordinary && !p.open(class) {
		return notAllowed(at + " is " + string(class) + ": only --allowed-upstream-special opens such addresses")
	}
	if g == byHost {
		return nil
	}
	for _, e := range p.networks {
		if e.prefix.Contains(addr) && e.ports.has(t.port) {
			return nil
		}
	}
	return notAllowed(at + " is in no network that --allowed-upstream has for port " + strconv.Itoa(int(t.port)))
}

func (p Policy) refusal(t target) error {
	if t.plain {
		return notAllowed(t.host.String() + ": http is only for Services of the object's own namespace; write https://")
	}
	entry := t.host.String()
	if t.port != httpsPort {
		if t.host.addr.Is6() {
			entry = "[" + entry + "]"
		}
		entry += ":" + strconv.Itoa(int(t.port))
	}
	return notAllowed("the operator has not allowed it; that takes --allowed-upstream=" + entry)
}

func (p Policy) open(c Class) bool { return slices.Contains(p.special, c) }

func (p Policy) clusterDomain() string {
	if p.domain == "" {
		return DefaultClusterDomain
	}
	return p.domain
}

func notAllowed(detail string) error { return &Error{Cause: CauseNotAllowed, Detail: detail} }
