// Command demo shows Callgate at work against a real kube-apiserver, and fails
// where anything is not as it tells.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "\ndemo: FAILED: %v\n", err)
		os.Exit(1)
	}
}

func run() (err error) {
	s := newStage(os.Stdout)
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(failure)
			if !ok {
				panic(r)
			}
			err = f
		}
		if closeErr := s.close(); err == nil {
			err = closeErr
		}
	}()
	s.say("Callgate stands between the tool calls that a model emits and the code that runs them.")
	for _, scene := range []func(*stage){
		startControlPlane, install, startManager, showObjects,
		goodCall, sampleCall, providerMessages, brokenSchema, tickets, strangers, finish,
	} {
		scene(s)
	}
	return nil
}
