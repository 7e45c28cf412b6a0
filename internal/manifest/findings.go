package manifest

// finding is one problem of a document, before its object is known.
type finding struct {
	rule         string
	line, column int
	ptr          string
	text         string
}

// findings collects the problems of one document, up to a bound.
type findings struct {
	list []finding
	more int
	// warnings are what reads otherwise than it looks, and refuses nothing.
	warnings []finding
}

func (f *findings) add(rule string, line, column int, ptr, text string) {
	if len(f.list) >= maxProblems {
		f.more++
		return
	}
	f.list = append(f.list, finding{rule, line, column, ptr, text})
}

func (f *findings) warn(rule string, line, column int, ptr, text string) {
	if len(f.warnings) < maxProblems {
		f.warnings = append(f.warnings, finding{rule, line, column, ptr, text})
	}
}

func (f *findings) empty() bool { return len(f.list) == 0 }

func (f *findings) take(other *findings) {
	for _, x := range other.list {
		f.add(x.rule, x.line, x.column, x.ptr, x.text)
	}
	f.more += other.more
	f.warnings = append(f.warnings, other.warnings...)
}
