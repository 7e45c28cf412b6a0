package manifest

// finding is one problem of a document, before its object is known.
type finding struct {
	line, column int
	ptr          string
	text         string
}

// findings collects the problems of one document, up to a bound.
type findings struct {
	list []finding
	more int
}

func (f *findings) add(line, column int, ptr, text string) {
	if len(f.list) >= maxProblems {
		f.more++
		return
	}
	f.list = append(f.list, finding{line: line, column: column, ptr: ptr, text: text})
}

func (f *findings) empty() bool { return len(f.list) == 0 }

func (f *findings) take(other *findings) {
	for _, x := range other.list {
		f.add(x.line, x.column, x.ptr, x.text)
	}
	f.more += other.more
}
