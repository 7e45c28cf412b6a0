package lint

import (
	"strings"
	"unicode"
)

// lookalikes are letters that most fonts draw like a Latin one, by the Latin one: what
// Unicode's list of confusables (UTS #39) has of the scripts that are used to imitate
// names. It is no complete copy of that list: names of tools are compared exactly
// anyhow, and this only warns.
var lookalikes = func() map[rune]rune {
	pairs := map[rune]string{
		'a': "аɑαａ", 'b': "Ьｂ", 'c': "сϲⅽｃ", 'd': "ԁⅾｄ", 'e': "еҽｅ℮", 'f': "ｆẝ", 'g': "ɡցｇ", 'h': "һհｈ",
		'i': "іıιɩｉⅰ", 'j': "јϳｊ", 'k': "κкｋ", 'l': "ӏⅼｌ", 'm': "ⅿｍ", 'n': "пոռｎ", 'o': "оοօｏσ", 'p': "рρｐ",
		'q': "ԛգｑ", 'r': "гｒ", 's': "ѕｓꜱ", 't': "тτｔ", 'u': "υսｕʋ", 'v': "νѵⅴｖ", 'w': "ԝѡաｗ", 'x': "хχⅹｘ",
		'y': "уγүｙ", 'z': "ᴢｚ",
		'A': "АΑＡ", 'B': "ВΒＢ", 'C': "СϹＣ", 'D': "Ｄ", 'E': "ЕΕＥ", 'F': "Ｆ", 'G': "Ｇ", 'H': "НΗＨ", 'I': "ІΙӀＩ",
		'J': "ЈＪ", 'K': "КΚＫ", 'L': "Ｌ", 'M': "МΜＭ", 'N': "ΝＮ", 'O': "ОΟＯ", 'P': "РΡＰ", 'Q': "Ｑ", 'R': "Ｒ",
		'S': "ЅＳ", 'T': "ТΤＴ", 'U': "Ｕ", 'V': "Ｖ", 'W': "Ｗ", 'X': "ХΧＸ", 'Y': "ҮΥＹ", 'Z': "ΖＺ",
		'-': "‐‑‒–—−－﹣", '_': "＿‗", '.': "．․", '/': "／⁄∕",
		'0': "０", '1': "１", '2': "２", '3': "３", '4': "４", '5': "５", '6': "６", '7': "７", '8': "８", '9': "９",
	}
	m := map[rune]rune{}
	for latin, others := range pairs {
		for _, r := range others {
			m[r] = latin
		}
	}
	return m
}()

// latin replaces letters by the Latin ones that they look like, and drops what cannot be
// seen.
func latin(name string) string {
	return strings.Map(func(r rune) rune {
		if to, ok := lookalikes[r]; ok {
			return to
		}
		if hidden(r) {
			return -1
		}
		return r
	}, name)
}

// hidden says that a character has no width: format characters, variation selectors and
// combining marks.
func hidden(r rune) bool { return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Mn) }

// spelling is what names have in common that differ in case and separators only:
// get_ticket, get-ticket, getTicket.
func spelling(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', '.', '/', ':', ' ':
			return -1
		}
		return unicode.ToLower(r)
	}, latin(name))
}

// looks is what names have in common that look alike in many fonts: l, I and 1, O and 0.
func looks(name string) string {
	return strings.NewReplacer("I", "l", "1", "l", "|", "l", "0", "O", "rn", "m").Replace(latin(name))
}

// scripts are those, of the usual ones, that letters of a name are in.
func scripts(name string) (found []string) {
	for _, s := range [...]struct {
		name  string
		table *unicode.RangeTable
	}{
		{"Latin", unicode.Latin}, {"Cyrillic", unicode.Cyrillic}, {"Greek", unicode.Greek}, {"Armenian", unicode.Armenian},
		{"Hebrew", unicode.Hebrew}, {"Arabic", unicode.Arabic}, {"Cherokee", unicode.Cherokee}, {"Georgian", unicode.Georgian},
	} {
		if strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(s.table, r) }) {
			found = append(found, s.name)
		}
	}
	return found
}
