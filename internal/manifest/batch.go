package manifest

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// batchBytes bounds what is read before it is taken over: enough to keep every processor
// busy, and little beside what the objects take.
const batchBytes = 4 << 20

// candidate is an object that is still to be admitted.
type candidate struct {
	document document
	key      Key
	content  map[string]any
	judge    func(context.Context, map[string]any, string) ([]byte, []fault)

	encoded []byte
	faults  []fault
}

// flush reads what is queued, and takes over the objects. Reading and judging is most of
// the work and depends on nothing else, so it is done by all processors at once; what is
// taken over is taken over in the order of the files.
func (l *loader) flush() {
	parts := l.parts
	l.parts, l.queued = nil, 0
	results := make([][]parsed, len(parts))
	inParallel(len(parts), func(i int) { results[i] = parts[i].read() })
	var outer findings
	for i, p := range parts {
		for _, r := range results[i] {
			l.take(p.file, r, &outer)
		}
		if i+1 == len(parts) || parts[i+1].file != p.file {
			l.report(p.file, &outer)
		}
	}
	pending := l.pending
	l.pending = nil
	inParallel(len(pending), func(i int) { pending[i].admit(l.ctx, l.opts.DefaultNamespace) })
	for _, c := range pending {
		l.keep(c)
	}
}

// admit asks what the API server would say.
func (c *candidate) admit(ctx context.Context, namespace string) {
	if text, err := utiljson.Marshal(c.content); err != nil || len(text) > MaxObjectBytes {
		c.faults = []fault{{RuleTooLarge, "", fmt.Sprintf("larger than %d MiB, which the API server refuses", MaxObjectBytes>>20)}}
		return
	}
	c.encoded, c.faults = c.judge(ctx, c.content, namespace)
}

// keep puts an object into the set that nothing is wrong with.
func (l *loader) keep(c *candidate) {
	for i, f := range c.faults {
		if i == maxProblems {
			l.objectProblem(c.document, c.key, fault{RuleMore, "", "there are more problems, which are not shown"})
			break
		}
		l.objectProblem(c.document, c.key, f)
	}
	if len(c.faults) > 0 {
		return
	}
	if _, ok := l.set.objects[c.key]; ok {
		l.objectProblem(c.document, c.key, fault{RuleDuplicateObject, "", "this object was already read at " + l.set.Position(c.key, "").String()})
		return
	}
	o := &entry{file: c.document.file, at: c.document.at, encoded: c.encoded}
	o.inner = sync.OnceValue(o.textPlaces)
	l.set.objects[c.key] = o
	if err := l.set.append(c.key.Kind, c.encoded); err != nil {
		l.objectProblem(c.document, c.key, fault{RuleInvalidValue, "", err.Error()})
	}
}

// inParallel calls do for 0 to n-1, as many at a time as there are processors. A panic
// is the caller's, as it would be without.
func inParallel(n int, do func(i int)) {
	var (
		next    atomic.Int64
		workers sync.WaitGroup
		failed  atomic.Pointer[any]
	)
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			defer func() {
				if cause := recover(); cause != nil {
					failed.CompareAndSwap(nil, &cause)
				}
			}()
			for i := int(next.Add(1)) - 1; i < n && failed.Load() == nil; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	workers.Wait()
	if cause := failed.Load(); cause != nil {
		panic(*cause)
	}
}
