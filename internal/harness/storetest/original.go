package storetest

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/store"
)

// Original is a database that is filled once for each dialect and copied for each test
// that wants it: to fill it anew costs more than many a test.
type Original struct {
	// Fill fills the fresh database at a URL. What it leaves to t.Cleanup is done before
	// the first copy is made.
	Fill func(t testing.TB, dialect store.Dialect, url string)

	mu   sync.Mutex
	made map[store.Dialect]string
}

// Copy is the Place of its copies.
func (o *Original) Copy(t testing.TB, dialect store.Dialect) string {
	t.Helper()
	return Copy(t, o.url(t, dialect))
}

func (o *Original) url(t testing.TB, dialect store.Dialect) string {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if made, ok := o.made[dialect]; ok {
		return made
	}
	address, remove, err := Make(dialect)
	require.NoError(t, err)
	originals.add(remove)
	filling := &brief{TB: t}
	defer filling.end()
	o.Fill(filling, dialect, address)
	if o.made == nil {
		o.made = map[store.Dialect]string{}
	}
	o.made[dialect] = address
	return address
}

// originals are those of this program of tests.
var originals removals

type removals struct {
	mu  sync.Mutex
	all []func() error
}

func (r *removals) add(remove func() error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, remove)
}

// RemoveOriginals is for a TestMain, after its tests.
func RemoveOriginals() {
	for _, remove := range originals.all {
		_ = remove() // a database that stays is in nobody's way
	}
}

// brief is a test that ends before the one it stands for.
type brief struct {
	testing.TB
	ends []func()
}

func (b *brief) Cleanup(end func()) { b.ends = append(b.ends, end) }

func (b *brief) end() {
	for _, end := range slices.Backward(b.ends) {
		end()
	}
}
