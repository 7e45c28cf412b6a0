package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/callgate/callgate/internal/toolcall"
)

// maxLine is the longest line that is read: a record, with what a collector of logs may
// have put before it.
const maxLine = 2 * MaxBytes

// Line is one line of a log. Exactly one of Record, Gap and Fault is set.
type Line struct {
	// Number counts from 1.
	Number int
	Record *Record
	Gap    *Gap
	// Fault says why the line is no record. It holds nothing of the line.
	Fault string
}

// Reader reads a log line by line. It holds one line at a time, however long the log is.
type Reader struct {
	in     *bufio.Reader
	number int
	buf    []byte
}

// NewReader reads from in.
func NewReader(in io.Reader) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, 64<<10)}
}

// Next gives the next line that is not empty. The error is io.EOF at the end, or that of
// the log's reader; what is wrong with one line is that line's Fault.
func (r *Reader) Next() (Line, error) {
	for {
		text, long, err := r.line()
		switch {
		case errors.Is(err, io.EOF) && len(text) == 0 && !long:
			return Line{}, io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return Line{}, err
		}
		r.number++
		if long {
			return Line{Number: r.number, Fault: fmt.Sprintf("the line has more than %d MiB", maxLine>>20)}, nil
		}
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		l := parse(text)
		l.Number = r.number
		return l, nil
	}
}

// line gives the next line. One that is too long is read to its end and not kept.
func (r *Reader) line() (text []byte, long bool, err error) {
	r.buf = r.buf[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		if len(r.buf)+len(part) > maxLine {
			long, r.buf = true, r.buf[:0]
		}
		if !long {
			r.buf = append(r.buf, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return r.buf, long, err
		}
	}
}

// parse reads one line. A member that it does not know is passed over: a later version
// may have added it.
func parse(text []byte) Line {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       Kind   `json:"kind"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return Line{Fault: "the line is no JSON object; was it cut short, or wrapped by a collector of logs?"}
	}
	if head.APIVersion != APIVersion {
		return Line{Fault: "the line is no audit record: its apiVersion is not " + APIVersion}
	}
	switch head.Kind {
	case KindVerdict:
		return parseRecord(text)
	case KindGap:
		var g Gap
		if err := json.Unmarshal(text, &g); err != nil {
			return Line{Fault: "the gap has a member of the wrong type"}
		}
		return Line{Gap: &g}
	}
	return Line{Fault: "the line is of a kind that this version does not know"}
}

func parseRecord(text []byte) Line {
	var r Record
	if err := json.Unmarshal(text, &r); err != nil {
		return Line{Fault: "the record has a member of the wrong type"}
	}
	if fault := r.fault(); fault != "" {
		return Line{Fault: fault}
	}
	return Line{Record: &r}
}

// fault says what a record lacks that every record has.
func (r *Record) fault() string {
	switch {
	case r.Caller.Namespace == "" || r.Caller.ServiceAccountName == "":
		return "the record names no caller"
	case r.OnBehalfOf != nil && (r.OnBehalfOf.Namespace == "" || r.OnBehalfOf.ServiceAccountName == ""):
		return "the record names no account in onBehalfOf"
	}
	switch r.Phase {
	case PhaseCall:
		return r.callsFault(toolcall.MaxCalls)
	case PhaseExecution:
		if r.Execution == nil {
			return "the record of an execution does not say whether it runs"
		}
		return r.callsFault(1)
	case PhaseOffer:
		return r.offerFault()
	}
	return "the record is of a phase that this version does not know"
}

func (r *Record) callsFault(most int) string {
	if n := len(r.Calls); n == 0 || n > most {
		return fmt.Sprintf("the record has %d calls, and may have 1 to %d", n, most)
	}
	return ""
}

func (r *Record) offerFault() string {
	switch {
	case r.Offer == nil:
		return "the record of an offer has no offer"
	case len(r.Offer.Entries) > toolcall.MaxOffered:
		return fmt.Sprintf("the record has %d entries, and an offer has %d at most", len(r.Offer.Entries), toolcall.MaxOffered)
	}
	return ""
}
