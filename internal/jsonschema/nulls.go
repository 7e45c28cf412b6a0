package jsonschema

// dropNulls removes absent nulls.
func (r *reference) dropNulls(root *node) {}
