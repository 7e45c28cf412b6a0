package adapter

import (
	"container/list"
	"context"
	"sync"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/rawjson"
	"github.com/callgate/callgate/internal/shown"
)

// RecordsLabel with the value "true" is how a ConfigMap's owner consents that adapters
// of its namespace read it.
const RecordsLabel = "callgate.dev/records"

const (
	// maxRecordsBytes is what the API server takes as a ConfigMap.
	maxRecordsBytes = 1 << 20
	// maxRecords bounds the records of a ConfigMap: with 20 bytes each it is full.
	maxRecords = 50_000
	// rowBytes is what a record takes beside its text: its key's header, its own, and
	// a cell of the map.
	rowBytes = 128
)

// ConfigMap is what is read of one. Its maps are not changed.
type ConfigMap struct {
	Labels, Data map[string]string
}

// ConfigMaps reads ConfigMaps, from a cache if it can. It must heed ctx. found is false
// where there is none; an error is that nobody can tell.
type ConfigMaps interface {
	ConfigMap(ctx context.Context, namespace, name string) (cm ConfigMap, found bool, err error)
}

// row is one record of a table.
type row struct {
	raw []byte
	// twice: the key occurs again.
	twice bool
}

// table is the records of one text.
type table struct {
	text string
	once sync.Once
	rows map[string]row
	bad  bool
}

// parse indexes the records. Whether a record is sound is asked when it is read, so that
// one that is not stands in nobody else's way.
func (t *table) parse() {
	t.bad = true
	if len(t.text) > maxRecordsBytes {
		return
	}
	text := []byte(t.text)
	if _, err := rawjson.Check(text, maxRecordDepth+1); err != nil {
		return
	}
	members, err := rawjson.Members(text, maxRecords)
	if err != nil {
		return
	}
	t.bad, t.rows = false, make(map[string]row, len(members))
	for _, m := range members {
		_, twice := t.rows[m.Key]
		// A key with half a surrogate pair decodes to the same text as others do.
		t.rows[m.Key] = row{raw: m.Value, twice: twice || m.BadKey}
	}
}

// size is what the table holds in memory, once it is parsed.
func (t *table) size() int { return 2*len(t.text) + len(t.rows)*rowBytes }

// get finds a record by its exact key.
func (t *table) get(key string) ([]byte, Cause) {
	if t.bad {
		return nil, CauseBadRecords
	}
	r, ok := t.rows[key]
	switch {
	case !ok:
		return nil, CauseNoRecord
	case r.twice:
		return nil, CauseAmbiguous
	}
	return r.raw, ""
}

type tableKey struct{ namespace, name, key string }

// tables keeps parsed texts, so that each version of a ConfigMap is parsed once. A text
// is known by itself: a cache gives the same string again, which is compared at a
// glance.
type tables struct {
	maxEntries, maxBytes int

	mu    sync.Mutex
	bytes int
	order *list.List
	items map[tableKey]*list.Element
}

type tableEntry struct {
	key   tableKey
	table *table
	size  int
}

func newTables(maxEntries, maxBytes int) *tables {
	return &tables{maxEntries: maxEntries, maxBytes: maxBytes, order: list.New(), items: map[tableKey]*list.Element{}}
}

func (s *tables) of(key tableKey, text string) *table {
	t := s.place(key, text)
	t.once.Do(func() {
		t.parse()
		s.weigh(key, t)
	})
	return t
}

func (s *tables) place(key tableKey, text string) *table {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, ok := s.items[key]; ok {
		if e := at.Value.(*tableEntry); e.table.text == text {
			s.order.MoveToFront(at)
			return e.table
		}
		s.remove(at)
	}
	t := &table{text: text}
	s.items[key] = s.order.PushFront(&tableEntry{key: key, table: t})
	return t
}

// weigh notes what a table takes, and forgets those that were not used for longest.
func (s *tables) weigh(key tableKey, t *table) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, ok := s.items[key]; ok && at.Value.(*tableEntry).table == t {
		e := at.Value.(*tableEntry)
		e.size = t.size()
		s.bytes += e.size
	}
	for s.order.Len() > s.maxEntries || s.bytes > s.maxBytes {
		s.remove(s.order.Back())
	}
}

func (s *tables) remove(at *list.Element) {
	e := at.Value.(*tableEntry)
	s.order.Remove(at)
	delete(s.items, e.key)
	s.bytes -= e.size
}

// CheckConfigMap says what is wrong with the ConfigMap that the adapter refers to, for
// its status: reasons RefNotFound, RefNotPermitted, InvalidRef. found is as in
// ConfigMaps.
func (a *Adapter) CheckConfigMap(cm ConfigMap, found bool) []Problem {
	const path = "/spec/records/configMapKeyRef"
	name, key := shown.Name(a.ref.Name), shown.Name(a.ref.Key)
	one := func(at, reason, message string) []Problem {
		return []Problem{{Path: at, Reason: reason, Message: cut(message)}}
	}
	text, has := cm.Data[a.ref.Key]
	switch {
	case !found:
		return one(path+"/name", callgatev1alpha1.ReasonRefNotFound, "there is no ConfigMap "+name+" in the adapter's namespace")
	case cm.Labels[RecordsLabel] != "true":
		return one(path+"/name", callgatev1alpha1.ReasonRefNotPermitted, "the ConfigMap "+name+" lacks the label "+RecordsLabel+`: "true", by which its owner consents`)
	case !has:
		return one(path+"/key", callgatev1alpha1.ReasonRefNotFound, "the ConfigMap "+name+" has no key "+key+" in its data")
	}
	t := &table{text: text}
	if t.parse(); t.bad {
		return one(path+"/key", callgatev1alpha1.ReasonInvalidRef, "the text of "+key+" is no JSON object from key to record, of at most 1 MiB, 50000 records and 64 levels each")
	}
	for _, r := range t.rows {
		if r.twice {
			return one(path+"/key", callgatev1alpha1.ReasonInvalidRef, "the text of "+key+" has a key of a record twice, or one with half a surrogate pair; such records are not given out")
		}
	}
	return nil
}

// lookUp finds a record in its ConfigMap.
func (e *Executor) lookUp(ctx context.Context, a *Adapter, key string) ([]byte, Outcome) {
	cm, found, err := e.opts.ConfigMaps.ConfigMap(ctx, a.namespace, a.ref.Name)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ended(ctx)
	case err != nil:
		return nil, fail(CauseNoConfigMap, "the ConfigMap cannot be read")
	case !found:
		return nil, fail(CauseNoConfigMap, "there is no such ConfigMap")
	case cm.Labels[RecordsLabel] != "true":
		return nil, fail(CauseNotLabelled, "the ConfigMap lacks the label "+RecordsLabel+`: "true"`)
	}
	text, has := cm.Data[a.ref.Key]
	if !has {
		return nil, fail(CauseNoConfigMap, "the ConfigMap has no such key")
	}
	raw, cause := e.tables.of(tableKey{a.namespace, a.ref.Name, a.ref.Key}, text).get(key)
	if cause != "" {
		return nil, fail(cause, "")
	}
	return raw, Outcome{}
}
