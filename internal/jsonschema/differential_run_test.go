package jsonschema

import (
	"cmp"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Two environment variables make a long run of TestDifferential: how long or how many
// executions, and the seed, which a failure prints. A seed with a number is that one
// schema again.
//
//	CALLGATE_DIFFERENTIAL=10m go test ./internal/jsonschema -run TestDifferential -timeout 0 -v
//	CALLGATE_DIFFERENTIAL=10000000 CALLGATE_DIFFERENTIAL_SEED=7 go test …
//	CALLGATE_DIFFERENTIAL_SEED=7:1234 go test ./internal/jsonschema -run TestDifferential/all -v
const (
	differentialVariable = "CALLGATE_DIFFERENTIAL"
	seedVariable         = "CALLGATE_DIFFERENTIAL_SEED"
)

// instancesPerSchema is what a schema is judged on before the next one, in long runs
// and in the usual one, which has too few for many schemas.
const (
	instancesPerSchema      = 200
	usualInstancesPerSchema = 25
)

// usualExecutions is for every test run, a second or two for each mode.
const usualExecutions = 8_000

// extent is how much a run does.
type extent struct {
	executions int
	until      time.Time
	seed       uint64
	only       int // the number of the only schema, or -1
	instances  int
}

func differentialExtent(t testing.TB) extent {
	t.Helper()
	e := extent{executions: usualExecutions, seed: 1, only: -1, instances: usualInstancesPerSchema}
	if how := os.Getenv(differentialVariable); how != "" {
		if n, err := strconv.Atoi(how); err == nil {
			e.executions = n
		} else if span, err := time.ParseDuration(how); err == nil {
			e.executions, e.until = int(1e15), time.Now().Add(span)
		} else {
			t.Fatalf("%s=%q: want a duration or a number", differentialVariable, how)
		}
		e.seed, e.instances = rand.Uint64(), instancesPerSchema
	}
	if seed := os.Getenv(seedVariable); seed != "" {
		first, number, single := strings.Cut(seed, ":")
		n, err := strconv.ParseUint(first, 10, 64)
		only, err2 := strconv.Atoi(cmp.Or(number, "-1"))
		if err != nil || single && err2 != nil {
			t.Fatalf("%s=%q: want a number, or two with a colon", seedVariable, seed)
		}
		e.seed, e.only = n, only
		e.instances = instancesPerSchema
	}
	return e
}

func TestDifferential(t *testing.T) {
	for mode := range generatorModes {
		t.Run(mode.String(), func(t *testing.T) {
			e := differentialExtent(t)
			if !e.until.IsZero() {
				e.until = time.Now().Add(time.Until(e.until) / time.Duration(generatorModes))
			}
			d := &differential{mode: mode, instances: e.instances, explained: map[string]int{}}
			start := time.Now()
			d.run(t, e)
			t.Logf("seed %d: %v; %.0f executions a second", e.seed, d, float64(d.executions)/time.Since(start).Seconds())
			if e.only < 0 && d.executions > usualExecutions/2 && (d.valid*5 < d.executions || d.valid*5 > 4*d.executions) {
				t.Errorf("%d of %d are valid: a generator is to write both kinds", d.valid, d.executions)
			}
		})
	}
}

// maxFound different disagreements end a run.
const maxFound = 20

func (d *differential) run(t *testing.T, e extent) {
	t.Helper()
	number := 0
	alike := map[string]int{} // disagreements found
	defer func() {
		if len(alike) > 0 {
			t.Logf("disagreements: %v", alike)
		}
	}()
	if e.only >= 0 {
		number = e.only
	}
	for ; d.executions < e.executions && len(alike) < maxFound; number++ {
		if !e.until.IsZero() && time.Now().After(e.until) {
			return
		}
		d.Rand = rand.New(rand.NewPCG(e.seed, uint64(number)<<8|uint64(d.mode)))
		if dis := d.schema(); dis != nil {
			dis = dis.shrink()
			if alike[dis.signature()]++; alike[dis.signature()] == 1 {
				t.Errorf("%s=%d:%d\n%v", seedVariable, e.seed, number, dis)
			}
		}
		if number%2_000 == 1_999 {
			t.Logf("after %d schemas: %v", number+1, d)
		}
		if e.only >= 0 {
			return
		}
	}
}
