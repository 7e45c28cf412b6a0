package toolcall

// KindExecution is what an execution says it is.
const KindExecution = "ToolCallExecution"

// DecodeExecution decodes the body of a ToolCallExecution request, which is that of a
// ToolCallReview but for its call:
//
//	{"apiVersion": "review.callgate.dev/v1alpha1", "kind": "ToolCallExecution",
//	 "request": {"uid": "…", "call": {…} | "message": {"format": "…", "body": …},
//	  "context": {…}, "onBehalfOf": {…}}}
//
// The review has exactly one call; a message with several is an error, because which of
// them is to be run would be a guess. Errors are as DecodeReview has them.
func DecodeExecution(body []byte) (Review, error) {
	if err := check(body); err != nil {
		return Review{}, err
	}
	request, err := decodeTop(body, KindExecution)
	if err != nil {
		return Review{}, err
	}
	fields, err := strictObject(request, "request", "uid", "call", "message", "context", "onBehalfOf")
	if err != nil {
		return Review{}, err
	}
	r, err := decodeOne(fields[1], fields[2])
	if err != nil {
		return Review{}, err
	}
	return r, r.decodeRest(fields[0], fields[3], fields[4])
}

func decodeOne(call, message []byte) (Review, error) {
	switch {
	case call != nil && message != nil:
		return Review{}, badRequest("request has both call and message; exactly one is wanted")
	case call != nil:
		c, err := nativeCall(call, theCall)
		return Review{Format: Native, Calls: []Call{c}}, err
	case message == nil:
		return Review{}, badRequest("request has neither call nor message")
	}
	r, err := decodeEnvelopedMessage(message)
	if err == nil && len(r.Calls) != 1 {
		return Review{}, badRequest("the message holds %d calls, and an execution is of exactly one: send each by itself as request.call", len(r.Calls))
	}
	return r, err
}

// decodeRest decodes what is beside the calls, nil where it is absent.
func (r *Review) decodeRest(uid, context, onBehalfOf []byte) (err error) {
	if uid != nil {
		if r.UID, err = decodeUID(uid); err != nil {
			return err
		}
	}
	if context != nil {
		if r.Context, err = decodeContext(context); err != nil {
			return err
		}
	}
	if onBehalfOf != nil {
		r.OnBehalfOf, err = decodeOnBehalfOf(onBehalfOf)
	}
	return err
}
