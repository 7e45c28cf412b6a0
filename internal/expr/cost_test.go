package expr

import (
	"slices"
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// cheap are the functions of the environment whose work does not grow with their
// operands. A new version of the library may add functions; each has to be looked
// at before it is added here, or to the costs.
var cheap = []string{
	"!_", "-_", "@not_strictly_false", "_%_", "_&&_", "_*_", "_-_", "_/_", "_?._", "_?_:_", "_[?_]", "_[_]",
	"__not_strictly_false__", "_||_", "dyn", "type",
	// Optionals.
	"hasValue", "optional.none", "optional.of", "optional.ofNonZeroValue", "optional.unwrap", "or", "orValue", "unwrapOpt", "value",
	// Of numbers, addresses, networks, versions: all made of bounded texts.
	"add", "sub", "sign", "asApproximateFloat", "asInteger", "isInteger", "compareTo", "isGreaterThan", "isLessThan",
	"family", "isGlobalUnicast", "isLinkLocalMulticast", "isLinkLocalUnicast", "isLoopback", "isUnspecified", "masked", "prefixLength",
	"major", "minor", "patch",
	// Named formats are constants.
	"format.byte", "format.date", "format.datetime", "format.dns1035Label", "format.dns1035LabelPrefix", "format.dns1123Label",
	"format.dns1123LabelPrefix", "format.dns1123Subdomain", "format.dns1123SubdomainPrefix", "format.labelValue", "format.named",
	"format.qualifiedName", "format.uri", "format.uuid",
	// Of an authorizer, which no expression can get hold of.
	"allowed", "check", "error", "errored", "fieldSelector", "group", "labelSelector", "name", "namespace", "path", "reason",
	"resource", "serviceAccount", "subresource",
}

func TestEveryFunctionHasACost(t *testing.T) {
	envs, err := newEnvironments()
	if err != nil {
		t.Fatal(err)
	}
	for name := range envs.dyn.Functions() {
		if (costs[name] != nil) == slices.Contains(cheap, name) {
			t.Errorf("%s must be either in costs or cheap", name)
		}
	}
	for name := range costs {
		if !envs.dyn.HasFunction(name) {
			t.Errorf("there is no function %s", name)
		}
	}
}

// TestCostsTakeAnyOperand has operands of every kind and number: which overload is
// meant is not known when the cost is.
func TestCostsTakeAnyOperand(t *testing.T) {
	args := NewArgs([]byte(`{"l": [1, "a", {}], "m": {"a": null}}`))
	m := &meter{limit: PerEvaluationLimit}
	root, ok := args.value(m).(*dict)
	if !ok {
		t.Fatal("no object")
	}
	operands := []ref.Val{
		root, root.child(0), root.child(1), types.Int(-1), types.Double(1.5), types.String("1e5"), types.String(""), types.Bytes("a"),
		types.NullValue, types.True, types.OptionalNone, types.OptionalOf(types.String("a")), unread(),
		types.NewStringList(types.DefaultTypeAdapter, []string{"a"}), types.NewStringStringMap(types.DefaultTypeAdapter, map[string]string{"a": "b"}),
	}
	for name, cost := range costs {
		for _, a := range operands {
			for _, b := range operands {
				for _, v := range [][]ref.Val{{a}, {a, b}, {a, b, a}} {
					if c := cost(v); c > PerEvaluationLimit && c != unaffordable {
						t.Errorf("%s of %v costs %d", name, v, c)
					}
				}
			}
		}
	}
}

func TestSaturation(t *testing.T) {
	if plus(unaffordable, 1) != unaffordable || times(1<<40, 1<<40) != unaffordable || plus(1, 2) != 3 || times(2, 3) != 6 {
		t.Error("arithmetic does not saturate")
	}
}
