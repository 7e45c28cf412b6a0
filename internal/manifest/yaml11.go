package manifest

import (
	"cmp"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"sync"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// plainKeys remembers how plain YAML keys read in JSON.
type plainKeys struct {
	mu    sync.Mutex
	known map[string]string
}

// read gives the JSON key of a plain YAML key. The converter itself is asked, but for
// what begins with a letter and is no word that YAML knows.
func (keys *plainKeys) read(text string) string {
	if isLetter(text) && !special[strings.ToLower(text)] {
		return text
	}
	keys.mu.Lock()
	defer keys.mu.Unlock()
	if known, ok := keys.known[text]; ok {
		return known
	}
	key := converted(text)
	keys.known[text] = key
	return key
}

func isLetter(text string) bool {
	if text == "" {
		return false
	}
	first := text[0]
	return first == '$' || first == '_' || 'a' <= first && first <= 'z' || 'A' <= first && first <= 'Z'
}

// special are the words that YAML takes for something else than text.
var special = map[string]bool{
	"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true, "true": true, "false": true, "null": true,
}

// converted asks the converter how a plain key reads.
func converted(text string) string {
	key := text
	if out, err := yaml.YAMLToJSON([]byte("? " + text + "\n")); err == nil {
		found := findings{}
		if p := readJSON(out, 0, len(out), newLines(out), &found); len(p.fields) == 1 {
			key = p.fields[0].key
		}
	}
	return key
}

// odd warns of a key that is another text in JSON than in the file.
func (r *yamlReader) odd(k *yamlv3.Node, key string, line int, ptr string) {
	if k.Kind == yamlv3.ScalarNode && key != k.Value {
		r.found.warn(RuleYAMLKey, line, k.Column, ptr,
			"YAML 1.1, which Kubernetes reads, makes the key "+strconv.Quote(key)+" of "+k.Value+": quote it if the text is meant")
	}
}

var notFinite = regexp.MustCompile(`^[-+]?\.(inf|Inf|INF|nan|NaN|NAN)$`)

// scalar looks at what the conversion to JSON makes of a plain value.
func (r *yamlReader) scalar(n *yamlv3.Node, line, column int, ptr string) {
	if n.Style != 0 || n.Value == "" {
		return
	}
	switch first := n.Value[0]; {
	case first == '.' || first == '+' || first == '-' || '0' <= first && first <= '9':
		r.number(n.Value, line, column, ptr)
	case strings.IndexByte("yYnNoO", first) >= 0:
		if meaning, ok := words[strings.ToLower(n.Value)]; ok {
			r.found.warn(RuleYAMLValue, line, column, ptr,
				"YAML 1.1, which Kubernetes reads, makes "+meaning+" of "+n.Value+": write "+meaning+", or quote it if the text is meant")
		}
	}
}

// words are the booleans of YAML 1.1 that are none in YAML 1.2.
var words = map[string]string{"y": "true", "yes": "true", "on": "true", "n": "false", "no": "false", "off": "false"}

var (
	octal     = regexp.MustCompile(`^[-+]?0[0-7_]+$`)
	decimal   = regexp.MustCompile(`^[-+]?[0-9]+$`)
	withUnder = regexp.MustCompile(`^[-+]?[0-9][0-9_]*_[0-9_]*(\.[0-9_]*)?$`)
	floating  = regexp.MustCompile(`^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$`)
)

func (r *yamlReader) number(text string, line, column int, ptr string) {
	switch {
	case notFinite.MatchString(text):
		r.found.add(RuleNotANumber, line, column, ptr, "JSON has no such number: quote it if it is meant as text")
	case octal.MatchString(text):
		r.found.warn(RuleYAMLValue, line, column, ptr, "YAML 1.1, which Kubernetes reads, takes "+text+" for an octal number: write it without the leading 0, or quote it")
	case withUnder.MatchString(text):
		r.found.warn(RuleYAMLValue, line, column, ptr, "YAML 1.1, which Kubernetes reads, takes "+text+" for a number: write it without _, or quote it")
	case mayRound(text) && (decimal.MatchString(text) || floating.MatchString(text)):
		if told := rounded(text); told != "" {
			r.found.warn(RuleRoundedNumber, line, column, ptr, told)
		}
	}
}

const (
	// minRounded is the shortest literal without an exponent that no double may hold: 15
	// digits always fit.
	minRounded = 16
	// maxExact bounds the literals that are compared exactly, and their exponents: a
	// double has 309 digits before the point, and what is longer is rounded in any case.
	maxExact = 400
)

func mayRound(literal string) bool {
	return len(literal) >= minRounded || strings.ContainsAny(literal, "eE")
}

// rounded says what becomes of a number that is stored, or applied, as another one, or
// "" where it stays what it is.
func rounded(literal string) string {
	if !mayRound(literal) {
		return ""
	}
	const keep = "; write a smaller number, or the schema as text in spec.parametersJSON"
	double, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return "" // no number, or one that is refused
	}
	format := byte('g')
	if math.Abs(double) < 1e21 && math.Trunc(double) == double {
		format = 'f'
	}
	shortest := strconv.FormatFloat(double, format, -1, 64)
	if sameNumber(literal, shortest) {
		return ""
	}
	if _, err := strconv.ParseInt(strings.TrimPrefix(literal, "+"), 10, 64); err == nil {
		return "kubectl apply without --server-side rounds this number to " + shortest + " when it changes the object" + keep
	}
	return "the API server stores this number as " + shortest + keep
}

// sameNumber compares exactly what costs little to compare, and takes the rest for
// rounded.
func sameNumber(a, b string) bool {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(a), "e")
	if strings.Trim(mantissa, "+-0.") == "" {
		return true // zero, whatever its exponent
	}
	if n, err := strconv.Atoi(cmp.Or(exponent, "0")); err != nil || max(n, -n, len(a)) > maxExact {
		return false
	}
	x, ok := new(big.Rat).SetString(a)
	y, ok2 := new(big.Rat).SetString(b)
	return ok && ok2 && x.Cmp(y) == 0
}
