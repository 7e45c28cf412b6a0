// Package fileset makes of the objects in files what a cluster makes of those that it
// holds: the compiled policy set, the permissions, the records, and what status would say
// of each object.
package fileset
