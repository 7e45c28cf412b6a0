package jsonschema

import "github.com/callgate/callgate/internal/rawjson"

// warn tells of what compiles and yet can hardly be meant.
func (d *document) warn(root *schema, l *lowering) {
	if !d.opts.AnnotateFormats {
		d.warnFormats()
	}
	if d.opts.Undeclared != FollowSchema {
		d.warnUndeclared(root, l)
	}
}

func (d *document) warnFormats() {
	for _, pl := range d.places {
		f := pl.value.Get("format")
		if f != nil && f.Kind == rawjson.String && !knownFormat(f.Text, d.dialect) {
			d.warnings.add(pl.path+"/format", "format", "the format %q is not known and is ignored", cutBytes(f.Text, 128))
		}
	}
}

// warnUndeclared tells of arguments that the closed world never lets through.
func (d *document) warnUndeclared(root *schema, l *lowering) {
	reach := root.reachable()
	if !declaresAny(reach) && (root.obj == nil || !root.obj.lists) {
		d.warnings.add("", "properties", "nothing declares a property, so no argument is ever accepted; list the arguments in properties")
	}
	declared := declarable(reach)
	if declared == nil {
		return
	}
	for _, s := range reach {
		if s.obj == nil {
			continue
		}
		for _, key := range s.obj.required {
			if !declared[key] {
				d.warnings.add(l.paths[s.id]+"/required", "required",
					"%q is required, but nothing declares it, so no call can be accepted; add it to properties", cutBytes(key, 128))
			}
		}
	}
}

// reachable lists the schemas that may be in place at the root, whatever the
// value: the most that can declare.
func (s *schema) reachable() []*schema {
	seen := map[*schema]bool{}
	var list []*schema
	var walk func(*schema)
	walk = func(s *schema) {
		if seen[s] {
			return
		}
		seen[s] = true
		list = append(list, s)
		for _, next := range s.here() {
			if next != s.not {
				walk(next)
			}
		}
	}
	walk(s)
	return list
}

func declaresAny(list []*schema) bool {
	for _, s := range list {
		if s.obj != nil && (len(s.obj.properties) > 0 || len(s.obj.patterns) > 0 ||
			opens(s.obj.additional) || opens(s.obj.unevaluated)) {
			return true
		}
	}
	return false
}

// declarable gives the keys that some properties names; nil where more than
// names may declare.
func declarable(list []*schema) map[string]bool {
	keys := map[string]bool{}
	for _, s := range list {
		if s.obj == nil {
			continue
		}
		if opens(s.obj.additional) || opens(s.obj.unevaluated) || len(s.obj.patterns) > 0 {
			return nil
		}
		for key := range s.obj.properties {
			keys[key] = true
		}
	}
	return keys
}
