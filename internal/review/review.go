package review

import (
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// Calls judges the calls of one review for one caller. snap must not be nil: not
// ready is the server's answer to give, not a verdict.
func Calls(snap *snapshot.Snapshot, caller Caller, in toolcall.Review) Decision {
	_, _, _ = snap, caller, in
	return Decision{}
}
