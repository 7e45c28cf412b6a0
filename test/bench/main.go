// Bench measures the JSON Schema engine beside its peers and writes what it
// found as a document. It is a module of its own, so that the peers are no
// requirement of the product.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"
)

// config is what one run does.
type config struct {
	// out is the document to write.
	out string
	// command is what the document says that it was made by.
	command string
	// node is the directory of measure.mjs and its node_modules; "": Node is
	// left out.
	node string
	// rounds is how often everything is measured; slice how long one arm is
	// measured on one set in one round, warm how long it runs before.
	rounds      int
	slice, warm time.Duration
	// calls is the size of the varied corpus.
	calls int
	// quick says that the figures mean nothing.
	quick bool
}

// The sizes of a quick run, which shows that the harness works and whose
// figures mean nothing.
const (
	quickRounds = 2
	quickSlice  = 10 * time.Millisecond
	quickWarm   = time.Millisecond
	quickCalls  = 100
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c, err := parse(os.Args[1:], os.Stderr)
	if err == nil {
		err = run(ctx, c, os.Stderr)
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		stop()
		os.Exit(1)
	}
}

func parse(args []string, w io.Writer) (config, error) {
	c := config{command: strings.Join(append([]string{"go run ."}, args...), " ")}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(w)
	f.StringVar(&c.out, "out", "", "the `file` to write the document to (required)")
	f.StringVar(&c.node, "node", "", "the `directory` of measure.mjs and its node_modules; empty: without Node")
	f.StringVar(&c.command, "command", c.command, "what the document says that it was made by")
	f.IntVar(&c.rounds, "rounds", 7, "how often everything is measured")
	f.DurationVar(&c.slice, "time", 60*time.Millisecond, "how long an arm is measured on a set in a round")
	f.DurationVar(&c.warm, "warm", 200*time.Millisecond, "how long an arm runs on a set before it is measured")
	f.IntVar(&c.calls, "calls", 2000, "the size of the varied corpus")
	f.BoolVar(&c.quick, "quick", false, "a run of seconds that shows that the harness works: its figures mean nothing")
	if err := f.Parse(args); err != nil {
		return config{}, err
	}
	if c.quick {
		c.rounds, c.slice, c.warm, c.calls = quickRounds, quickSlice, quickWarm, quickCalls
	}
	switch {
	case f.NArg() > 0:
		return config{}, fmt.Errorf("unexpected argument %q; see -help", f.Arg(0))
	case c.out == "":
		return config{}, errors.New("no file to write to; name it by -out")
	case c.rounds < 1 || c.calls < 1 || c.slice <= 0 || c.warm <= 0:
		return config{}, errors.New("-rounds, -calls, -time and -warm must be positive")
	}
	return c, nil
}

// run measures and writes the document. An engine that judges otherwise than
// its oracle is an error, and nothing is written; a bound that does not hold is
// a finding, which the document and w tell.
func run(ctx context.Context, c config, w io.Writer) error {
	sets, err := loadSets(c.calls)
	if err != nil {
		return err
	}
	runners, skipped, err := newRunners(ctx, c.node, sets)
	if err != nil {
		return err
	}
	defer closeAll(runners)
	differences, err := compare(runners, sets)
	if err != nil {
		return err
	}
	for _, d := range differences {
		fmt.Fprintf(w, "bench: %s\n", d)
	}
	if err := oracle(differences); err != nil {
		return err
	}
	t, err := measure(ctx, c, runners, sets, w)
	if err != nil {
		return err
	}
	r := &report{
		config: c, sets: sets, table: t, differences: differences, skipped: skipped,
		versions: versions(runners), machine: machine(),
	}
	for _, b := range r.bounds() {
		for _, cell := range b.cells {
			if cell.state == fails {
				fmt.Fprintf(w, "bench: does not hold: %s, %s: %s\n", b.text, cell.workload, cell.figure)
			}
		}
	}
	return os.WriteFile(c.out, r.markdown(), 0o644)
}
