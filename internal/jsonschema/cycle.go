package jsonschema

// checkCycles refuses schemas that apply themselves, through references and
// combinations, to the very value that they are applied to, and chains of
// subschemas at one location that are too long to follow.
func (d *document) checkCycles(l *lowering) {
	c := &cycleCheck{lowering: l, state: make([]int, len(l.list)), chain: make([]int, len(l.list))}
	for _, s := range l.list {
		c.visit(s)
	}
}

type cycleCheck struct {
	*lowering
	state []int // 0 new, 1 on the way, 2 done
	chain []int // the longest chain from here, by schema.id
	told  bool
}

// visit returns the length of the longest chain of subschemas that start at s
// and stay at its location. Recursion is as deep as the document has
// subschemas at most.
func (c *cycleCheck) visit(s *schema) int {
	switch c.state[s.id] {
	case 1:
		path := c.paths[s.id]
		c.doc.problems.add(path, "$ref",
			"this schema leads back to itself without a step into a property or an item; break the cycle")
		return 0
	case 2:
		return c.chain[s.id]
	}
	c.state[s.id] = 1
	longest := 0
	for _, next := range s.here() {
		longest = max(longest, c.visit(next))
	}
	c.state[s.id] = 2
	c.chain[s.id] = longest + 1
	if longest+1 > maxChain && !c.told {
		c.told = true
		c.doc.problems.add(c.paths[s.id], "$ref",
			"more than %d subschemas apply to one value in a chain; shorten the chain of references", maxChain)
	}
	return longest + 1
}

// here lists the subschemas that apply at the location of s itself.
func (s *schema) here() []*schema {
	var list []*schema
	for _, one := range [...]*schema{s.ref, s.recursive, s.not, s.ifS, s.thenS, s.elseS} {
		if one != nil {
			list = append(list, one)
		}
	}
	if s.dynamic != nil {
		list = append(list, s.dynamic.target)
	}
	for _, some := range [...][]*schema{s.allOf, s.anyOf, s.oneOf} {
		list = append(list, some...)
	}
	if s.obj != nil {
		for _, d := range s.obj.dependentSchemas {
			list = append(list, d.schema)
		}
	}
	return list
}
