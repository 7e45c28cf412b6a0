package adapter

import (
	"cmp"
	"slices"
)

// node is a place in the tree of the places that are wanted of a document.
type node struct {
	id int
	// leaf: what is here is wanted itself.
	leaf bool
	// children stand in the order in which they were declared.
	children []child
	byKey    map[string]*node
	// elements are the children whose keys are indices of a list, by index.
	elements []element
}

type child struct {
	key  string
	node *node
}

type element struct {
	index int
	node  *node
}

// tree makes nodes with ids of their own.
type tree struct {
	root  *node
	count int
}

func newTree() *tree { return &tree{root: &node{}, count: 1} }

// add makes the place that path leads to a wanted one, and gives its node. fresh is
// false if it was wanted already.
func (t *tree) add(path []string) (n *node, fresh bool) {
	n = t.root
	for _, key := range path {
		next, ok := n.byKey[key]
		if !ok {
			next = &node{id: t.count}
			t.count++
			n.attach(key, next)
		}
		n = next
	}
	fresh, n.leaf = !n.leaf, true
	return n, fresh
}

func (n *node) attach(key string, next *node) {
	if n.byKey == nil {
		n.byKey = map[string]*node{}
	}
	n.byKey[key] = next
	n.children = append(n.children, child{key, next})
	if i, ok := index(key); ok {
		e := element{i, next}
		at, _ := slices.BinarySearchFunc(n.elements, e, func(a, b element) int { return cmp.Compare(a.index, b.index) })
		n.elements = slices.Insert(n.elements, at, e)
	}
}

// element is the node that is wanted at an index of a list, if any.
func (n *node) element(i int) *node {
	if n == nil || len(n.elements) == 0 {
		return nil
	}
	at, ok := slices.BinarySearchFunc(n.elements, i, func(e element, i int) int { return cmp.Compare(e.index, i) })
	if !ok {
		return nil
	}
	return n.elements[at].node
}

// index reads a list's index as RFC 6901 has it: digits without a leading zero. No list
// has an element beyond maxValues.
func index(key string) (int, bool) {
	if key == "" || len(key) > len("100000") || key[0] == '0' && key != "0" {
		return 0, false
	}
	i := 0
	for _, c := range []byte(key) {
		if c < '0' || c > '9' {
			return 0, false
		}
		i = i*10 + int(c-'0')
	}
	return i, true
}
