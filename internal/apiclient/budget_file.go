package apiclient

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"airtill/internal/fault"
)

// FileBudget is the Budget of a single process that may be killed: what it
// counts it also stores in a file, so that the next process knows what the one
// before has asked. The file is not forced to the disk: it outlives the process,
// and a machine takes longer to come back than it would matter.
type FileBudget struct {
	*MemoryBudget
	file *os.File
}

// OpenFileBudget returns a budget that goes on where the one before in the same
// file ended. Only one process at a time may have it.
func OpenFileBudget(path string, now func() time.Time) (*FileBudget, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the budget: %w", err)
	}
	b := &FileBudget{MemoryBudget: NewMemoryBudget(now), file: file}
	if err := b.read(); err != nil {
		return nil, errors.Join(fmt.Errorf("open the budget: %w", err), file.Close())
	}
	return b, nil
}

// read takes in lines of "method milliseconds", and remembers what still counts. A
// last line that was cut by a crash is none. A call of the future was made while
// the clock was wrong: taken at its word it would outlast every reset.
func (b *FileBudget) read() error {
	now := b.now()
	for lines := bufio.NewScanner(b.file); lines.Scan(); {
		method, ms, _ := strings.Cut(lines.Text(), " ")
		unix, err := strconv.ParseInt(ms, 10, 64)
		if err != nil {
			continue
		}
		at := time.UnixMilli(unix)
		if at.After(now) {
			at = now
		}
		b.calls[method] = append(b.calls[method], madeCall{at: at})
	}
	for _, calls := range b.calls {
		slices.SortFunc(calls, func(x, y madeCall) int { return x.at.Compare(y.at) })
	}
	return b.rewrite()
}

// rewrite leaves in the file what counts now. b.mu is held, or nobody else is
// there yet.
func (b *FileBudget) rewrite() error {
	var text strings.Builder
	for method := range b.calls {
		for _, call := range b.drop(method, b.now().Add(-budgetWindow)) {
			text.WriteString(line(method, call.at))
		}
	}
	if err := b.file.Truncate(0); err != nil {
		return err
	}
	if _, err := b.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := b.file.WriteString(text.String())
	return err
}

func line(word string, at time.Time) string { return fmt.Sprintf("%s %d\n", word, at.UnixMilli()) }

// Take implements Budget. A call that cannot be written down is not made.
func (b *FileBudget) Take(ctx context.Context, method string, p Priority) (time.Duration, error) {
	wait, err := b.MemoryBudget.Take(ctx, method, p)
	if _, limited := budgetLimits[method]; err != nil || wait > 0 || !limited {
		return wait, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	_, err = b.file.WriteString(line(method, b.now()))
	return 0, fault.Doing("write down the budget", err)
}

// Reset implements Budget. What is left is written anew: that is little, and
// the file does not grow.
func (b *FileBudget) Reset(ctx context.Context, age time.Duration) error {
	_ = b.MemoryBudget.Reset(ctx, age) // never fails
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rewrite()
}

// Close closes the file.
func (b *FileBudget) Close() error { return b.file.Close() }
