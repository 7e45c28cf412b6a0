package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// nodeRunner runs JSON.parse and Ajv in a process of its own, over the same
// calls, told by lines what to measure: see node/measure.mjs.
type nodeRunner struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	files   string // the directory of the calls
	names   map[*set]string
	about   string
}

// answer is what the process says to any command.
type answer struct {
	Verdicts string  `json:"verdicts"`
	NS       float64 `json:"ns"`
	Node     string  `json:"node"`
	Ajv      string  `json:"ajv"`
}

// newNodeRunner gives no runner, and why, where Node or Ajv is missing.
func newNodeRunner(ctx context.Context, dir string, sets []*set) (n *nodeRunner, skipped string, err error) {
	if dir == "" {
		return nil, "not asked for", nil
	}
	program, err := exec.LookPath("node")
	if err != nil {
		return nil, "there is no node", nil //nolint:nilerr // that is the finding
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "ajv", "package.json")); err != nil {
		return nil, "Ajv is not installed", nil //nolint:nilerr // that is the finding
	}
	n = &nodeRunner{names: map[*set]string{}}
	if err := n.start(ctx, program, dir); err != nil {
		n.close()
		return nil, "", fmt.Errorf("starting node: %w", err)
	}
	if err := n.load(sets); err != nil {
		n.close()
		return nil, "", fmt.Errorf("handing the calls to node: %w", err)
	}
	return n, "", nil
}

func (n *nodeRunner) start(ctx context.Context, program, dir string) (err error) {
	n.process = exec.CommandContext(ctx, program, filepath.Join(dir, "measure.mjs"))
	n.process.Stderr = os.Stderr
	if n.in, err = n.process.StdinPipe(); err != nil {
		return err
	}
	out, err := n.process.StdoutPipe()
	if err != nil {
		return err
	}
	n.out = bufio.NewReader(out)
	if n.files, err = os.MkdirTemp("", "bench"); err != nil {
		return err
	}
	return n.process.Start()
}

// load writes every set to files and has them read.
func (n *nodeRunner) load(sets []*set) error {
	for i, s := range sets {
		name := "set" + strconv.Itoa(i)
		n.names[s] = name
		var all []byte
		lengths := make([]int, len(s.calls))
		for j, call := range s.calls {
			all = append(all, call...)
			lengths[j] = len(call)
		}
		about, err := json.Marshal(map[string]any{
			"schema": json.RawMessage(s.schema), "text": s.form == asText, "lengths": lengths,
		})
		if err != nil {
			return err
		}
		for suffix, data := range map[string][]byte{".bin": all, ".json": about} {
			if err := os.WriteFile(filepath.Join(n.files, name+suffix), data, 0o600); err != nil {
				return err
			}
		}
		if _, err := n.ask("load", n.files, name); err != nil {
			return err
		}
	}
	a, err := n.ask("versions")
	n.about = "Node " + a.Node + ", Ajv v" + a.Ajv
	return err
}

// ask sends one command and reads its answer.
func (n *nodeRunner) ask(words ...string) (answer, error) {
	var a answer
	if _, err := io.WriteString(n.in, strings.Join(words, "\t")+"\n"); err != nil {
		return a, fmt.Errorf("node takes no command: %w", err)
	}
	line, err := n.out.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("node gave no answer: %w", err)
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return a, fmt.Errorf("node's answer is no JSON: %w", err)
	}
	return a, nil
}

func (n *nodeRunner) name() string               { return armNode }
func (n *nodeRunner) role() role                 { return judges }
func (n *nodeRunner) version() string            { return n.about }
func (n *nodeRunner) takes(*set) bool            { return true }
func (n *nodeRunner) memory(*set) (memory, bool) { return memory{}, false }

func (n *nodeRunner) verdicts(s *set) ([]bool, error) {
	a, err := n.ask("verdicts", n.names[s])
	if err != nil {
		return nil, err
	}
	if len(a.Verdicts) != len(s.calls) {
		return nil, errors.New("node did not judge every call")
	}
	out := make([]bool, len(s.calls))
	for i := range out {
		out[i] = a.Verdicts[i] == '1'
	}
	return out, nil
}

func (n *nodeRunner) measure(s *set, d time.Duration) (float64, error) {
	a, err := n.ask("measure", n.names[s], strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', -1, 64))
	if err == nil && a.NS <= 0 {
		err = errors.New("node measured nothing")
	}
	return a.NS, err
}

// close ends the process, which stops at the end of its input.
func (n *nodeRunner) close() {
	if n.in != nil {
		_ = n.in.Close()
	}
	if n.process != nil && n.process.Process != nil {
		_ = n.process.Wait()
	}
	if n.files != "" {
		_ = os.RemoveAll(n.files)
	}
}
