package jsonschema

import "strings"

// monthDays are the days of each month in a leap year.
var monthDays = [...]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// number reads a short text of digits only; -1 is no number.
func number(text string) int {
	if !all(text, digits) {
		return -1
	}
	n := 0
	for i := range len(text) {
		n = n*10 + int(text[i]-'0')
	}
	return n
}

// isDate is full-date of RFC 3339.
func isDate(text string) bool {
	if len(text) != 10 || text[4] != '-' || text[7] != '-' {
		return false
	}
	year, month, day := number(text[:4]), number(text[5:7]), number(text[8:])
	if year < 0 || month < 1 || month > 12 {
		return false
	}
	last := monthDays[month-1]
	if month == 2 && !isLeap(year) {
		last--
	}
	return day >= 1 && day <= last
}

func isLeap(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

// isDateTime is date-time of RFC 3339. A space for the T is what the RFC leaves
// to applications, so it is refused.
func isDateTime(text string) bool {
	return len(text) > 11 && (text[10] == 'T' || text[10] == 't') && isDate(text[:10]) && isTime(text[11:])
}

// clock reads hh:mm as minutes; -1 is no time of day.
func clock(text string) int {
	if len(text) != 5 || text[2] != ':' {
		return -1
	}
	hour, minute := number(text[:2]), number(text[3:])
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 {
		return -1
	}
	return hour*60 + minute
}

// offset reads time-offset of RFC 3339 as minutes.
func offset(text string) (minutes int, ok bool) {
	if text == "Z" || text == "z" {
		return 0, true
	}
	if len(text) != 6 || text[0] != '+' && text[0] != '-' {
		return 0, false
	}
	minutes = clock(text[1:])
	if text[0] == '-' {
		return -minutes, minutes >= 0
	}
	return minutes, minutes >= 0
}

// isTime is full-time of RFC 3339. A leap second is one only in the last minute
// of a day in UTC; on which days there was one is not looked up.
func isTime(text string) bool {
	if len(text) < 9 || text[5] != ':' {
		return false
	}
	minutes, second, rest := clock(text[:5]), number(text[6:8]), text[8:]
	if rest[0] == '.' {
		n := leading(rest[1:], digits)
		if n == 0 {
			return false
		}
		rest = rest[1+n:]
	}
	ahead, ok := offset(rest)
	if !ok || minutes < 0 || second < 0 || second > 60 {
		return false
	}
	const day = 24 * 60
	return second < 60 || (minutes-ahead+day)%day == day-1
}

// isDuration is duration of RFC 3339, appendix A.
func isDuration(text string) bool {
	text, ok := strings.CutPrefix(text, "P")
	if !ok {
		return false
	}
	date, time, timed := strings.Cut(text, "T")
	if timed {
		return consecutive(time, "HMS") && (date == "" || consecutive(date, "YMD"))
	}
	return consecutive(date, "YMD") || consecutive(date, "W")
}

// consecutive says that a text is numbers with units that follow each other in
// the order given: the RFC's grammar has no P1Y2D.
func consecutive(text, units string) bool {
	at := -1
	for text != "" {
		n := leading(text, digits)
		if n == 0 || n == len(text) {
			return false
		}
		unit := strings.IndexByte(units, text[n])
		if unit < 0 || at >= 0 && unit != at+1 {
			return false
		}
		at, text = unit, text[n+1:]
	}
	return at >= 0
}
