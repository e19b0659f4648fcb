package store

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// inPlace is a codec that writes texts and numbers from where they are, and reads and writes times so. pgx's own
// makes a copy of what a pointer leads to, and wraps each time: half of what it allocated for a row.
type inPlace struct{ pgtype.Codec }

// encodeInPlace makes a connection encode and decode in place.
func encodeInPlace(types *pgtype.Map) {
	for _, oid := range []uint32{pgtype.TextOID, pgtype.Int8OID, pgtype.TimestampOID} {
		kind, _ := types.TypeForOID(oid)
		types.RegisterType(&pgtype.Type{Name: kind.Name, OID: oid, Codec: inPlace{kind.Codec}})
	}
}

// PlanEncode is pgx's.
func (c inPlace) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	switch value.(type) {
	case *string:
		if oid == pgtype.TextOID { // the same in both formats
			return encoded[*string](func(s *string, to []byte) []byte { return append(to, *s...) })
		}
	case *int64:
		if oid == pgtype.Int8OID && format == pgtype.BinaryFormatCode {
			return encoded[*int64](func(n *int64, to []byte) []byte {
				return binary.BigEndian.AppendUint64(to, uint64(*n))
			})
		}
	case time.Time:
		if oid == pgtype.TimestampOID && format == pgtype.BinaryFormatCode {
			return encoded[time.Time](appendTime)
		}
	case *time.Time:
		if oid == pgtype.TimestampOID && format == pgtype.BinaryFormatCode {
			return encoded[*time.Time](func(t *time.Time, to []byte) []byte {
				if t == nil {
					return nil
				}
				return appendTime(*t, to)
			})
		}
	}
	return c.Codec.PlanEncode(m, oid, format, value)
}

// PlanScan is pgx's.
func (c inPlace) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if oid == pgtype.TimestampOID && format == pgtype.BinaryFormatCode {
		switch target.(type) {
		case *time.Time:
			return scanned[*time.Time](readTime)
		case **time.Time:
			return scanned[**time.Time](func(from []byte, into **time.Time) error {
				if *into = nil; from == nil {
					return nil
				}
				*into = new(time.Time)
				return readTime(from, *into)
			})
		}
	}
	return c.Codec.PlanScan(m, oid, format, target)
}

type encoded[T any] func(value T, to []byte) []byte

// Encode is pgx's.
func (e encoded[T]) Encode(value any, to []byte) ([]byte, error) { return e(value.(T), to), nil }

type scanned[T any] func(from []byte, into T) error

// Scan is pgx's.
func (s scanned[T]) Scan(from []byte, into any) error { return s(from, into.(T)) }

// year2000 is where PostgreSQL counts microseconds from.
var year2000 = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

func appendTime(t time.Time, to []byte) []byte {
	return binary.BigEndian.AppendUint64(to, uint64(t.UnixMicro()-year2000))
}

func readTime(from []byte, into *time.Time) error {
	if len(from) != 8 {
		return fmt.Errorf("a time of %d bytes", len(from))
	}
	*into = time.UnixMicro(int64(binary.BigEndian.Uint64(from)) + year2000).UTC()
	return nil
}
