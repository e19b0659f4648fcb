package sandbox

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"airtill/internal/sandbox/catalogue"
)

// entry is a line of the journal; one of its fields is set, and Clock beside
// Config.
type entry struct {
	Opening  *opening           `json:"opening,omitempty"`
	Config   *Config            `json:"config,omitempty"`
	Clock    *clockState        `json:"clock,omitempty"`
	Transfer *transfer          `json:"transfer,omitempty"`
	Topup    *topup             `json:"topup,omitempty"`
	Drift    *catalogue.Decimal `json:"drift,omitempty"`
	Request  *request           `json:"request,omitempty"`
	Delivery *delivery          `json:"delivery,omitempty"`
}

// opening is what a book begins with.
type opening struct {
	Balance catalogue.Decimal `json:"balance"`
	First   int64             `json:"first"` // TransferRef
}

// request is the arrival of a SendTransfer.
type request struct {
	Ref string    `json:"ref"`
	At  time.Time `json:"at"`
}

// journal is the append-only file everything can be rebuilt from. Without a
// file it keeps nothing.
type journal struct {
	path string
	file *os.File
}

// openJournal replays the journal of a directory and opens it for more. A last
// line cut off by a crash is dropped; any other broken line is an error.
func openJournal(data string, replay func(entry)) (*journal, error) {
	if data == Memory || data == "" {
		return &journal{}, nil
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, fmt.Errorf("make data directory: %w", err)
	}
	path := filepath.Join(data, "journal.jsonl")
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	if err := lock(file); err != nil {
		return nil, errors.Join(fmt.Errorf("lock journal: %w", err), file.Close())
	}
	good, err := replayLines(file, replay)
	if err == nil {
		err = file.Truncate(good)
	}
	if err == nil {
		_, err = file.Seek(good, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("replay journal: %w", err), file.Close())
	}
	return &journal{path: path, file: file}, nil
}

// replayLines replays whole lines and returns where they end.
func replayLines(r io.Reader, replay func(entry)) (good int64, err error) {
	reader := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return good, nil // what is left has no end: it was being written
		}
		if err != nil {
			return good, err
		}
		var e entry
		if err := json.Unmarshal(bytes.TrimSpace(line), &e); err != nil {
			return good, fmt.Errorf("line at byte %d: %w", good, err)
		}
		replay(e)
		good += int64(len(line))
	}
}

// write appends entries in one write, so that they are kept together or not at
// all.
func (j *journal) write(entries ...entry) error {
	if j.file == nil {
		return nil
	}
	var b []byte
	for _, e := range entries {
		line, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("encode journal: %w", err)
		}
		b = append(append(b, line...), '\n')
	}
	if _, err := j.file.Write(b); err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	return nil
}

// restart begins anew with some entries. Until they are all written the old
// journal stands.
func (j *journal) restart(entries ...entry) error {
	if j.file == nil {
		return nil
	}
	file, err := os.OpenFile(j.path+".new", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("begin journal: %w", err)
	}
	next := &journal{path: j.path, file: file}
	if err = lock(file); err == nil {
		err = next.write(entries...)
	}
	if err == nil {
		err = os.Rename(file.Name(), j.path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("begin journal: %w", err), file.Close())
	}
	old := j.file
	*j = *next
	return old.Close()
}

func (j *journal) close() error {
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}

// replay applies an entry to the state, as it was done when it was written.
func (s *Service) replay(e entry) {
	switch {
	case e.Opening != nil:
		s.book.open(*e.Opening)
	case e.Config != nil:
		s.config = *e.Config
		if e.Clock != nil {
			s.clock.clockState = *e.Clock
		}
		s.clock.speed, s.clock.offset = s.config.ClockSpeed, time.Duration(s.config.ClockOffset)
	case e.Transfer != nil:
		s.book.put(*e.Transfer)
	case e.Topup != nil:
		s.book.topup(*e.Topup)
	case e.Drift != nil:
		s.book.addDrift(*e.Drift)
	case e.Request != nil:
		s.book.request(e.Request.Ref, e.Request.At)
	case e.Delivery != nil:
		s.hooks.put(*e.Delivery)
	}
}

// begin opens a fresh book with the configured balance, after writing so. Its
// TransferRefs go on from those of the last.
func (s *Service) begin(write func(...entry) error) error {
	balance, err := catalogue.ParseDecimal(s.config.OpeningBalance)
	if err != nil {
		return fmt.Errorf("opening balance: %w", err)
	}
	o := opening{Balance: balance, First: max(firstRef(s.deps.Now()), s.book.nextRef)}
	if err := write(entry{Config: &s.config, Clock: &s.clock.clockState}, entry{Opening: &o}); err != nil {
		return err
	}
	s.book = newBook()
	s.book.open(o)
	return nil
}

// record writes a transfer's new version down and then books it.
func (s *Service) record(next transfer, with ...entry) (*transfer, error) {
	if err := s.journal.write(append(with, entry{Transfer: &next})...); err != nil {
		return nil, err
	}
	return s.book.put(next), nil
}
