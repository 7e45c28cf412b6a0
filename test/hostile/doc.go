// Package hostile holds the arguments and schemas that are made to be expensive or to
// be read in two ways, each with its documented answer. Its test checks the answers and
// shows what each takes; its benchmark shows the same more exactly.
//
//	go test ./test/hostile -v
//	go test ./test/hostile -bench Hostile -run - -benchtime 5x
package hostile
