package identity

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/internal/review"
)

func newAuthorizer(t *testing.T, s *apiServer, change ...func(*AccessOptions)) *Authorizer {
	t.Helper()
	opts := DefaultAccessOptions()
	for _, f := range change {
		f(&opts)
	}
	a, err := NewAuthorizerFromReviewer(opts, fakeAccess{s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

func mayCall(name string) review.Access {
	return review.Access{Namespace: "support", ServiceAccount: "assistant", Verb: "call", Group: "callgate.dev", Resource: "toolschemas", In: "support", Name: name}
}

func ask(t *testing.T, a *Authorizer, q review.Access) review.AccessAnswer {
	t.Helper()
	return a.Ask(t.Context(), []review.Access{q})[q]
}

func TestAccessQuestionIsOfTheAccount(t *testing.T) {
	s := &apiServer{}
	a := newAuthorizer(t, s)
	if got := ask(t, a, mayCall("weather")); got != review.Granted {
		t.Fatalf("answer %d", got)
	}
	spec := s.lastAccess.Load()
	r := spec.ResourceAttributes
	if spec.User != "system:serviceaccount:support:assistant" ||
		!slices.Equal(spec.Groups, []string{"system:serviceaccounts", "system:serviceaccounts:support", "system:authenticated"}) ||
		r.Verb != "call" || r.Group != "callgate.dev" || r.Resource != "toolschemas" || r.Namespace != "support" || r.Name != "weather" {
		t.Errorf("asked %+v of %+v", spec, r)
	}
}

func TestAccessLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{}
		a := newAuthorizer(t, s)
		q := mayCall("weather")
		ask(t, a, q)
		s.set(func(s *apiServer) { s.denied = true })
		time.Sleep(38 * time.Second)
		if answers, all := a.Known([]review.Access{q}); !all || answers[q] != review.Granted || s.access.Load() != 1 {
			t.Fatalf("within its life a yes is not remembered: %v", answers)
		}
		time.Sleep(22 * time.Second)
		if got := ask(t, a, q); got != review.Refused {
			t.Fatalf("a permission that was taken away is still used after 60 s: %d", got)
		}
		s.set(func(s *apiServer) { s.denied = false })
		if got := ask(t, a, q); got != review.Refused {
			t.Errorf("a no is not remembered: %d", got)
		}
		time.Sleep(5 * time.Second)
		if got := ask(t, a, q); got != review.Granted || s.access.Load() != 3 {
			t.Errorf("a new grant is not seen after 5 s: %d, %d look-ups", got, s.access.Load())
		}
	})
}

func TestAccessIsRefreshedBeforeItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{}
		a := newAuthorizer(t, s)
		q := mayCall("weather")
		ask(t, a, q)
		time.Sleep(52 * time.Second)
		if _, all := a.Known([]review.Access{q}); !all {
			t.Fatal("a known yes waits")
		}
		synctest.Wait()
		time.Sleep(20 * time.Second)
		if answers, all := a.Known([]review.Access{q}); !all || answers[q] != review.Granted || s.access.Load() != 2 {
			t.Errorf("the refresh did not renew it: %v, %d look-ups", answers, s.access.Load())
		}
	})
}

func TestUnreachableAuthorizer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{}
		a := newAuthorizer(t, s)
		q, unknown := mayCall("weather"), mayCall("mail")
		ask(t, a, q)
		s.set(func(s *apiServer) { s.hang = true })
		began := time.Now()
		if got := ask(t, a, unknown); got != review.Unanswered {
			t.Fatalf("an unreachable API server says %d", got)
		}
		if took := time.Since(began); took > 2200*time.Millisecond {
			t.Errorf("it took %s", took)
		}
		// Now nobody waits.
		began = time.Now()
		if answers, all := a.Known([]review.Access{mayCall("other")}); !all || answers[mayCall("other")] != review.Unanswered || time.Since(began) != 0 {
			t.Errorf("in a known outage: %v %v", answers, all)
		}
		time.Sleep(90 * time.Second)
		if got := ask(t, a, q); got != review.Granted {
			t.Errorf("a yes does not outlive the outage: %d", got)
		}
		time.Sleep(4 * time.Minute)
		if got := ask(t, a, q); got != review.Unanswered {
			t.Errorf("a yes outlives its hard life: %d", got)
		}
		s.set(func(s *apiServer) { s.hang = false })
		time.Sleep(6 * time.Second)
		if got := ask(t, a, unknown); got != review.Granted {
			t.Errorf("after the outage: %d", got)
		}
	})
}

func TestAccessErrorsAreNeitherYesNorNo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{err: errors.New("forbidden: may not ask")}
		a := newAuthorizer(t, s)
		if got := ask(t, a, mayCall("weather")); got != review.Unanswered {
			t.Errorf("an error counts as %d", got)
		}
		if a.yes.len()+a.no.len() != 0 {
			t.Error("an error is remembered")
		}
	})
}

func TestEqualQuestionsAreAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{delay: 100 * time.Millisecond}
		a := newAuthorizer(t, s)
		var work sync.WaitGroup
		for range 50 {
			work.Go(func() { ask(t, a, mayCall("weather")) })
		}
		work.Wait()
		if n := s.access.Load(); n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
}

// One review of as many different tools as it may have is answered within the deadline,
// and an account cannot take more of the lane than that.
func TestOneReviewsQuestionsFit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{delay: 5 * time.Millisecond}
		a := newAuthorizer(t, s)
		var questions []review.Access
		for i := range 129 {
			questions = append(questions, mayCall(fmt.Sprint("tool-", i)))
		}
		for q, answer := range a.Ask(t.Context(), questions) {
			if answer != review.Granted {
				t.Fatalf("%s: %d", q.Name, answer)
			}
		}
		if most := s.most.Load(); most > 16 {
			t.Errorf("%d at once", most)
		}
		s.set(func(s *apiServer) { s.hang = true })
		for i := range 400 {
			questions = append(questions, mayCall(fmt.Sprint("more-", i)))
		}
		refused := 0
		for _, answer := range a.Ask(t.Context(), questions) {
			if answer == review.Unanswered {
				refused++
			}
		}
		if refused != 400 || len(a.asking) != 0 || len(a.flights) != 0 {
			t.Errorf("%d unanswered, %d accounts, %d flights left", refused, len(a.asking), len(a.flights))
		}
	})
}

func TestKeysOfQuestionsAreDistinct(t *testing.T) {
	a := newAuthorizer(t, &apiServer{})
	if a.keyOf(review.Access{Namespace: "a", ServiceAccount: "bc"}) == a.keyOf(review.Access{Namespace: "ab", ServiceAccount: "c"}) {
		t.Error("two questions share a key")
	}
}
