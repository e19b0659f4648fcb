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

// FileBudget is the Budget of a single process that may be killed: it stores its counts in a file for the next
// process. The file is not synced: it outlives the process, and a machine takes so long to restart that the
// counts no longer matter.
type FileBudget struct {
	*MemoryBudget
	file *os.File
}

// OpenFileBudget returns a budget that continues the one in the file. Only one process at a time may use it.
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

// refusal begins the line of a refusal, before the method and its end.
const refusal = "refused "

// read reads lines of "method milliseconds", and remembers what still counts. A last line cut by a crash is
// ignored, and so is a call in the future, made while the clock was wrong: it would outlast every reset.
func (b *FileBudget) read() error {
	now := b.now()
	for lines := bufio.NewScanner(b.file); lines.Scan(); {
		text, refused := strings.CutPrefix(lines.Text(), refusal)
		method, ms, _ := strings.Cut(text, " ")
		unix, err := strconv.ParseInt(ms, 10, 64)
		if err != nil {
			continue
		}
		at := time.UnixMilli(unix)
		if refused {
			if latest := now.Add(maxRetryAfter); at.After(latest) { // the clock was wrong
				at = latest
			}
			b.refused[method] = at
			continue
		}
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

// rewrite leaves only what counts in the file. b.mu is held, or nobody else has b yet.
func (b *FileBudget) rewrite() error {
	var text strings.Builder
	for method := range b.calls {
		for _, call := range b.drop(method, b.now().Add(-budgetWindow)) {
			text.WriteString(line(method, call.at))
		}
	}
	for method, until := range b.refused {
		if until.After(b.now()) {
			text.WriteString(line(refusal+method, until))
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

// Take implements Budget. A call that cannot be recorded is not made.
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

// Reset implements Budget. It rewrites the file, which so stays small.
func (b *FileBudget) Reset(ctx context.Context, age time.Duration) error {
	_ = b.MemoryBudget.Reset(ctx, age) // never fails
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rewrite()
}

// Refuse implements Budget.
func (b *FileBudget) Refuse(ctx context.Context, method string, wait time.Duration) error {
	_ = b.MemoryBudget.Refuse(ctx, method, wait) // never fails
	b.mu.Lock()
	defer b.mu.Unlock()
	_, err := b.file.WriteString(line(refusal+method, b.refused[method]))
	return fault.Doing("write down the refusal", err)
}

// Close closes the file.
func (b *FileBudget) Close() error { return b.file.Close() }
