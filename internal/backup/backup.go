// Package backup writes a whole database into one encrypted stream, and restores such a stream into an empty
// one.
//
// Inside encryption (age) and compression (zstd) come a line of JSON, the Header, then a part for each piece
// of the database, then the Summary, which proves to a restore that everything arrived. The vault's keys are
// not in it.
package backup

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"mime/multipart"
	"net/textproto"
	"strings"
	"time"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// Header begins a backup.
type Header struct {
	Format   int           `json:"format"`
	Program  string        `json:"program"` // the build that made it
	Database store.Dialect `json:"database"`
	Schema   int64         `json:"schema"`
	MadeAt   time.Time     `json:"made_at"`
	Boundary string        `json:"boundary"` // between the parts
}

// Summary ends a backup: how many rows there are, and the hash of each piece.
type Summary struct {
	store.Tally

	SHA256 map[string]string `json:"sha256"`
}

// Count returns all rows of all tables.
func (s Summary) Count() (rows int64) {
	for _, n := range s.Rows {
		rows += n
	}
	return rows
}

const (
	format       = 1
	pieceHeader  = "Piece"
	columnHeader = "Columns"
	summaryPart  = "summary"
	longestLine  = 64 << 10 // of the header
)

// Write backs up the database at a URL, while the till goes on selling, for the holders of the recipients'
// keys.
func Write(
	ctx context.Context, url string, to io.Writer, program string, now time.Time, recipients ...age.Recipient,
) (Header, Summary, error) {
	source, err := store.OpenSource(ctx, url)
	if err != nil {
		return Header{}, Summary{}, err
	}
	header := Header{
		Format: format, Program: program, Database: source.Dialect, Schema: source.Schema, MadeAt: store.Moment(now),
	}
	summary, err := header.write(ctx, source, to, recipients)
	return header, summary, errors.Join(fault.Doing("back up", err), source.Close())
}

func (h Header) write(
	ctx context.Context, source *store.Source, to io.Writer, recipients []age.Recipient,
) (summary Summary, err error) {
	sealed, err := age.Encrypt(to, recipients...)
	if err != nil {
		return summary, err
	}
	packed, err := zstd.NewWriter(sealed, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return summary, err
	}
	parts := multipart.NewWriter(packed)
	h.Boundary = parts.Boundary()
	if err := json.NewEncoder(packed).Encode(h); err != nil {
		return summary, err
	}
	hashes := map[string]hash.Hash{}
	summary.Tally, err = source.Dump(ctx, func(piece store.Piece) (io.Writer, error) {
		part, err := parts.CreatePart(textproto.MIMEHeader{
			pieceHeader: {piece.Name}, columnHeader: {strings.Join(piece.Columns, ",")},
		})
		hashes[piece.Name] = sha256.New()
		return io.MultiWriter(part, hashes[piece.Name]), err
	})
	if err != nil {
		return summary, err
	}
	summary.SHA256 = hexOf(hashes)
	last, err := parts.CreatePart(textproto.MIMEHeader{pieceHeader: {summaryPart}})
	if err == nil {
		err = json.NewEncoder(last).Encode(summary)
	}
	return summary, errors.Join(err, parts.Close(), packed.Close(), sealed.Close())
}

func hexOf(hashes map[string]hash.Hash) map[string]string {
	all := map[string]string{}
	for name, sum := range hashes {
		all[name] = hex.EncodeToString(sum.Sum(nil))
	}
	return all
}

// Restore restores a backup into the empty database at a URL, whole or not at all. One of SQLite may go into
// PostgreSQL, one of PostgreSQL not into SQLite.
func Restore(
	ctx context.Context, url string, from io.Reader, now time.Time, identities ...age.Identity,
) (Header, Summary, error) {
	r := &reading{hashes: map[string]hash.Hash{}}
	err := r.open(from, identities)
	if err == nil {
		err = r.fits(url)
	}
	if err == nil {
		defer r.unpacked.Close()
		loading := store.Loading{
			Dialect: r.header.Database, Schema: r.header.Schema, MadeAt: r.header.MadeAt, Now: now,
			Next: r.next, Check: r.check,
		}
		err = loading.Load(ctx, url)
	}
	return r.header, r.summary, fault.Doing("restore", err)
}

// reading is a backup being read.
type reading struct {
	header   Header
	summary  Summary
	unpacked *zstd.Decoder
	plain    *bufio.Reader
	parts    *multipart.Reader
	hashes   map[string]hash.Hash
}

func (r *reading) open(from io.Reader, identities []age.Identity) error {
	opened, err := age.Decrypt(from, identities...)
	if err != nil {
		return fmt.Errorf("decrypt: %w", err)
	}
	if r.unpacked, err = zstd.NewReader(opened, zstd.WithDecoderConcurrency(1)); err != nil {
		return err
	}
	r.plain = bufio.NewReaderSize(r.unpacked, longestLine)
	line, err := r.plain.ReadSlice('\n')
	if err == nil {
		err = json.Unmarshal(line, &r.header)
	}
	switch {
	case err != nil:
		return fmt.Errorf("this is no backup of airtill: %w", err)
	case r.header.Format != format:
		return fmt.Errorf("the backup has format %d, and this program reads %d; restore it with the program that "+
			"made it, %s", r.header.Format, format, r.header.Program)
	}
	r.parts = multipart.NewReader(r.plain, r.header.Boundary)
	return nil
}

func (r *reading) fits(url string) error {
	if strings.HasPrefix(url, "sqlite:") && r.header.Database != store.SQLite {
		return fmt.Errorf("the backup is of a %s database, and can only be restored into one", r.header.Database)
	}
	return nil
}

// next is the next piece. At the summary it reads on to the very end, where the encryption vouches for
// everything before.
func (r *reading) next() (store.Piece, io.Reader, error) {
	part, err := r.parts.NextRawPart()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // without a summary it is cut short
	}
	if err != nil {
		return store.Piece{}, nil, fmt.Errorf("the backup is cut off or damaged: %w", err)
	}
	name := part.Header.Get(pieceHeader)
	if name == summaryPart {
		if err := json.NewDecoder(part).Decode(&r.summary); err != nil {
			return store.Piece{}, nil, fmt.Errorf("the backup's summary cannot be read: %w", err)
		}
		if _, err := io.Copy(io.Discard, r.plain); err != nil {
			return store.Piece{}, nil, fmt.Errorf("the backup is cut off or damaged: %w", err)
		}
		return store.Piece{}, nil, io.EOF
	}
	r.hashes[name] = sha256.New()
	piece := store.Piece{Name: name, Columns: strings.Split(part.Header.Get(columnHeader), ",")}
	return piece, io.TeeReader(part, r.hashes[name]), nil
}

// check compares what arrived with the backup's summary.
func (r *reading) check(rows map[string]int64) (store.Tally, error) {
	if hashes := hexOf(r.hashes); !maps.Equal(hashes, r.summary.SHA256) {
		return store.Tally{}, errors.New("the backup's pieces are not those that its summary names")
	}
	if !maps.Equal(rows, r.summary.Rows) {
		return store.Tally{}, fmt.Errorf("%d rows came, and the backup's summary says %d", Summary{
			Tally: store.Tally{Rows: rows},
		}.Count(), r.summary.Count())
	}
	return r.summary.Tally, nil
}
