// Package rawjson reads JSON as it was written: spans of the original bytes,
// duplicate keys kept, number literals untouched.
//
// encoding/json decides too much for a gate: it keeps the last of two equal
// keys, folds the case of field names, replaces bad UTF-8 and turns numbers
// into floats. Whoever runs the call may decide otherwise, so everything that
// Callgate judges goes through this package instead.
package rawjson
