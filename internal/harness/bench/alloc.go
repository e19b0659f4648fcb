package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"airtill/internal/harness/stage"
)

// databaseLayer is what stands between a room and its database.
const databaseLayer = `^(gorm\.io/|database/sql\.|github\.com/jackc/)`

var accounted = regexp.MustCompile(`Showing nodes accounting for (-?\d+),`)

// allocations counts what the database layer allocates for a whole sale, from the heap
// profiles of a till that is built to serve them, before and after some sales.
func (r *run) allocations(ctx context.Context, t *till) (err error) {
	t.binary = filepath.Join(r.o.Dir, "profiled", "web")
	if err := build(ctx, r.o.Root, filepath.Dir(t.binary), "nomsgpack,profile", "./cmd/web"); err != nil {
		return err
	}
	address, err := stage.FreeAddress()
	if err != nil {
		return err
	}
	const often = "GODEBUG=memprofilerate=512" // one in 512 bytes
	if err := errors.Join(t.stop(), t.start(ctx, "AIRTILL_PROFILE_ADDR="+address, often)); err != nil {
		return err
	}
	if _, err := t.sell(ctx, 4, t.people); err != nil { // warm: a first sale reads who sells, and where
		return err
	}
	sleep(ctx, firstJobs) // every scheduled job has run once
	before, after := filepath.Join(t.dir, "before.prof"), filepath.Join(t.dir, "after.prof")
	heap := stage.NewBrowser(func() string { return "http://" + address })
	if err := saveHeap(ctx, heap, before); err != nil {
		return err
	}
	if _, err := t.sell(ctx, 1, r.counted); err != nil {
		return err
	}
	if err := saveHeap(ctx, heap, after); err != nil {
		return err
	}
	top, err := stage.Run(ctx, "", stage.Order{
		Name: "pprof", Path: "go", Dir: t.dir, Env: os.Environ(),
		Args: []string{
			"tool", "pprof", "-top", "-nodecount=100000", "-nodefraction=0", "-sample_index=alloc_objects",
			"-focus=" + databaseLayer, "-ignore=riverqueue", "-base", before, after,
		},
	})
	if err != nil {
		return err
	}
	found := accounted.FindStringSubmatch(top)
	if found == nil {
		return fmt.Errorf("pprof tells no sum: %.500s", top)
	}
	objects, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		return err
	}
	r.value("allocations of the database layer of a whole sale", objects/float64(r.counted), "").of(38).holds(400)
	t.binary = filepath.Join(t.bin, "web")
	return errors.Join(t.stop(), t.start(ctx))
}

// saveHeap leaves a heap profile, as of a collection just now, in a file.
func saveHeap(ctx context.Context, b *stage.Browser, path string) error {
	got, err := b.Ask(ctx, http.MethodGet, "/debug/pprof/heap?gc=1", nil)
	if err != nil {
		return err
	}
	return os.WriteFile(path, got.Body, 0o600)
}
