package audit

import (
	"context"
	"time"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// Offence is a place where the chain is broken.
type Offence struct {
	Seq     int64  // the changed record
	Problem string // what is wrong with it, a word that pages have a sentence for (health.offence.entry)
}

// Verify walks the whole chain and returns every place where it is broken, of a gap its first records. It streams,
// so length costs time but no memory, and writers go on meanwhile.
func (l *Log) Verify(ctx context.Context) ([]Offence, error) {
	offences, err := l.verify(ctx)
	return offences, fault.Doing("verify audit chain", err)
}

func (l *Log) verify(ctx context.Context) ([]Offence, error) {
	// Writers go on meanwhile, so the end is looked up before and after: what the first look saw must be
	// there, and nothing may lie beyond the second.
	before, err := l.head(ctx)
	if err != nil {
		return nil, err
	}
	walk := walk{head: before, signed: signatures{keys: l.d.Keys}}
	if err := store.Each(l.d.DB.Read(ctx).Model(&Record{}).Order("seq"), walk.step); err != nil {
		return nil, err
	}
	after, err := l.head(ctx)
	if err != nil {
		return nil, err
	}
	return walk.end(after, l.d.Now()), nil
}

func (l *Log) head(ctx context.Context) (head Record, err error) {
	return store.Value[Record](l.d.DB.Read(ctx).Raw("SELECT seq, hash FROM audit_head"))
}

// walk is the state of one pass over the chain.
type walk struct {
	head     Record // the end of the chain when the pass began
	last     Record
	offences []Offence
	signed   signatures
}

func (w *walk) step(r Record) {
	w.miss(r.Seq - w.last.Seq - 1)
	switch {
	case r.digest() != r.Hash:
		w.blame(r.Seq, "changed")
	case r.Seq == w.last.Seq+1 && r.Previous != w.last.Hash:
		w.blame(w.last.Seq, "notBefore")
	case r.Seq == w.head.Seq && r.Hash != w.head.Hash:
		w.blame(r.Seq, "notLast")
	}
	if problem := w.signed.step(r); problem != "" {
		w.blame(r.Seq, problem)
	}
	w.last = r
}

func (w *walk) end(head Record, now time.Time) []Offence {
	w.miss(w.head.Seq - w.last.Seq)
	if w.last.Seq > head.Seq {
		w.blame(w.last.Seq, "beyondEnd")
	}
	// Nothing after the newest entry vouches for it.
	if w.signed.tail != "" && (w.signed.first.IsZero() || w.signed.late(now)) {
		w.blame(w.last.Seq, w.signed.tail)
	}
	return w.offences
}

// mostMissing is how many records of one gap are named: a forged number may be any number.
const mostMissing = 1000

// miss names records that are missing after the last one.
func (w *walk) miss(many int64) {
	for i := range min(many, mostMissing) {
		w.blame(w.last.Seq+1+i, "missing")
	}
}

func (w *walk) blame(seq int64, problem string) {
	w.offences = append(w.offences, Offence{Seq: seq, Problem: problem})
}
