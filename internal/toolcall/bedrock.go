package toolcall

const bedrockShapes = "a response with output.message, a message with a content list, one content block, or one toolUse"

// bedrockBlock is what a content block may be.
var bedrockBlock = union{
	plain: []string{
		"text", "image", "document", "video", "audio", "toolResult", "guardContent", "cachePoint", "reasoningContent",
		"citationsContent", "searchResult",
	},
	call: []string{"toolUse"},
}

// bedrockPlaces are the places for calls that a Bedrock body has itself.
var bedrockPlaces = []string{"output", "content", "tool_use", "toolUseId"}

var bedrockKeys = append([]string{"type", "toolUseId", "name", "toolUse"}, argumentKeys...)

// bedrockReader collects the calls of a response.
type bedrockReader struct {
	callList
}

// decodeBedrock reads the family of Bedrock's Converse: a response
// ({output: {message}}), a message ({role, content}), one content block
// ({toolUse}), or what is in it ({toolUseId, name, input}).
func decodeBedrock(body []byte) (callList, error) {
	var r bedrockReader
	o, err := readObject(body, "output", "message", "role", "content", "toolUse", "toolUseId", "stopReason", "type", "name")
	if err != nil {
		return r.callList, notAMessage(Bedrock, bedrockShapes)
	}
	r.own = o.spelt("toolUse", "toolUseId")
	shapes := 0
	for _, shape := range []struct {
		is   bool
		read func() error
	}{
		{o.has("output"), func() error { return r.response(o) }},
		{isBedrockMessage(o), func() error { return r.message(body) }},
		{o.has("toolUse"), func() error { return r.block(body) }},
		{o.has("toolUseId") && !o.has("toolUse"), func() error { return r.use(body) }},
	} {
		if shape.is {
			shapes++
			if err := shape.read(); err != nil {
				return r.callList, err
			}
		}
	}
	switch {
	case shapes == 0:
		err = notAMessage(Bedrock, bedrockShapes)
	case shapes > 1 || o.badKey || o.set("message") || holdsCalls(body, bedrockPlaces...):
		err = r.malform(0)
	}
	return r.callList, err
}

// isBedrockMessage says whether an object is a message that a model wrote. Its
// blocks have no type, and neither has it.
func isBedrockMessage(o object) bool {
	role, _ := plainText(o.value("role"))
	return o.has("content") && role == "assistant" && !o.has("type")
}

// response reads output.message, and how it ended.
func (r *bedrockReader) response(o object) error {
	r.own = r.own || o.spelt("stopReason")
	for _, m := range o.found {
		if m.key != "output" {
			continue
		}
		if err := r.output(m.value); err != nil {
			return err
		}
	}
	return r.settle(0, o, o.ambiguous("output", "stopReason") || o.set("content", "toolUse", "toolUseId"))
}

func (r *bedrockReader) output(raw []byte) error {
	o, err := readObject(raw, "message", "toolUse", "content")
	if err != nil || !o.has("message") {
		return wrongKind(Bedrock, "output", "an object with a message")
	}
	r.own = r.own || o.spelt("message")
	start := len(r.calls)
	for _, m := range o.found {
		if m.key != "message" {
			continue
		}
		if err := r.message(m.value); err != nil {
			return err
		}
	}
	return r.settle(start, o, o.ambiguous() || o.set("toolUse", "content") || holdsCalls(raw, "message"))
}

func (r *bedrockReader) message(raw []byte) error {
	o, err := readObject(raw, "content", "role", "stopReason", "toolUse", "tool_calls")
	if err != nil || !o.has("content") {
		return wrongKind(Bedrock, "message", "an object with a content list")
	}
	if role, _ := plainText(o.value("role")); o.has("role") && role != "assistant" {
		return badRequest("the %s message's role must be assistant", Bedrock)
	}
	start := len(r.calls)
	for _, m := range o.found {
		if m.key != "content" {
			continue
		}
		if err := r.blocks(m.value); err != nil {
			return err
		}
	}
	hidden := holdsCalls(raw, "content", "tool_use", "toolUseId") || o.set("toolUse", "tool_calls")
	return r.settle(start, o, hidden || o.ambiguous("content", "role", "stopReason"))
}

// settle gives the calls found since start what the object around them says of
// them all.
func (r *bedrockReader) settle(start int, o object, ambiguous bool) error {
	if ambiguous {
		return r.malform(start)
	}
	if o.saysOneOf(cutReasons, "stopReason") {
		r.truncate(start)
	}
	return nil
}

func (r *bedrockReader) blocks(content []byte) error {
	blocks, err := parts(Bedrock, "content", content)
	if err != nil {
		return err
	}
	for _, block := range blocks {
		if err := r.block(block); err != nil {
			return err
		}
	}
	return nil
}

func (r *bedrockReader) block(raw []byte) error {
	kind, _ := bedrockBlock.kindOf(raw)
	switch {
	case kind == kindUnknown, holdsCalls(raw, "tool_use", "toolUseId"):
		return r.addMalformed("")
	case kind == kindPlain:
		return nil
	}
	o, err := readObject(raw, "toolUse")
	if err != nil {
		return r.addMalformed("")
	}
	if !o.ambiguous() && isNull(o.value("toolUse")) {
		return nil
	}
	r.own = true
	start := len(r.calls)
	if err := r.use(o.value("toolUse")); err != nil {
		return err
	}
	if o.ambiguous() {
		return r.malform(start)
	}
	return nil
}

// use reads one toolUse. The service has run those of type server_tool_use.
func (r *bedrockReader) use(raw []byte) error {
	o, err := readObject(raw, bedrockKeys...)
	if err != nil || o.set("toolUse") || holdsCalls(raw, "toolUseId", "type") {
		return r.addMalformed("")
	}
	c := toolUse(o, "toolUseId")
	word, plain := plainText(o.value("type"))
	switch {
	case !o.set("type"):
	case plain && word == "server_tool_use" && !o.ambiguous():
		r.ran(word, "", c.Name)
		return nil
	default:
		c.Fault = Malformed
	}
	return r.add(c)
}
