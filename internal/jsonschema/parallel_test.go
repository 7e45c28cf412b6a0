package jsonschema

import (
	"reflect"
	"sync"
	"testing"
)

// A judge is shared by all requests at once; run with -race.
func TestJudgeInParallel(t *testing.T) {
	for _, doc := range fuzzSchemas {
		c := mustCompile(t, doc, Options{NullsAbsent: true})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for _, args := range nasty {
					first, second := c.Judge(Input{Raw: []byte(args)}), c.Judge(Input{Raw: []byte(args)})
					if !reflect.DeepEqual(first, second) {
						t.Errorf("%s on %s: %v, then %v", doc, args, first, second)
					}
				}
			})
		}
		wg.Wait()
	}
}
