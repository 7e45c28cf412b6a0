package cases_test

import (
	"testing"
	"time"

	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
	"github.com/callgate/callgate/test/cases"
)

// The engine alone, without any front end.
func TestEngine(t *testing.T) {
	all, err := cases.Load()
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range all {
		if !c.Callable() {
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) {
			schemas, policy := c.Objects("team")
			out := compile.Compile(compile.Input{Schemas: schemas, Policies: one(policy)}, nil)
			if c.Kind == "schema" {
				for key, o := range out.Schemas {
					if o.Accepted() || len(o.Problems) == 0 {
						t.Errorf("%s: accepted=%v with %d problems, want a problem: %s", key, o.Accepted(), len(o.Problems), c.About)
					}
				}
			}
			body, err := c.Body()
			if err != nil {
				t.Fatal(err)
			}
			in, err := toolcall.DecodeReview(body)
			if err != nil {
				t.Fatalf("%s: %v", c.About, err)
			}
			caller := review.Caller{Kind: review.ServiceAccount, Namespace: "team", Name: cases.ServiceAccount}
			start := time.Now()
			decision := review.Calls(snapshot.New(out), caller, in, nil)
			took := time.Since(start)
			if diff := c.Check(&decision.Response); diff != "" {
				t.Errorf("%s: %s", c.About, diff)
			}
			// Not a measurement: a case marked heavy stands for work that takes many
			// seconds where its bound is missing, and milliseconds where it is not.
			if c.Heavy && took > time.Second {
				t.Errorf("took %v: the work is not bounded", took)
			}
		})
	}
	if ran < 185 {
		t.Errorf("ran %d cases, want at least 185: the table shrank", ran)
	}
}

func one[T any](item T) []T { return []T{item} }
