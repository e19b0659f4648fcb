package apiclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// decodeEnvelope reads one JSON object and nothing after it. Items are decoded as they arrive, so a long list
// is never in memory twice.
func decodeEnvelope(from io.Reader, out reply) error {
	dec := json.NewDecoder(whole{from})
	var err error
	if list, hasItems := out.(itemDecoder); hasItems {
		err = decodeList(dec, list)
	} else {
		err = tolerate(dec.Decode(out))
	}
	if err != nil {
		return unreadable(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return unreadable(err)
	}
	return nil
}

// whole fills what it is given. The decoder looks at blanks anew after every read: an answer of nothing else
// in small pieces would cost the square of its length.
type whole struct{ from io.Reader }

// Read reads on until into is full or the answer ends.
func (w whole) Read(into []byte) (n int, err error) {
	for n < len(into) && err == nil {
		var more int
		more, err = w.from.Read(into[n:])
		n += more
	}
	return n, err
}

type itemDecoder interface {
	decodeItems(dec *json.Decoder) error
}

// decodeList decodes an object's Items as they arrive, then the rest.
func decodeList(dec *json.Decoder, out itemDecoder) error {
	if err := expect(dec, '{'); err != nil {
		return err
	}
	rest := map[string]json.RawMessage{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		if name == "Items" {
			err = out.decodeItems(dec)
		} else {
			var value json.RawMessage
			err = dec.Decode(&value)
			rest[name.(string)] = value // only a text can stand here
		}
		if err != nil {
			return err
		}
	}
	if err := expect(dec, '}'); err != nil {
		return err
	}
	object, err := json.Marshal(rest)
	if err != nil {
		return err
	}
	return tolerate(json.Unmarshal(object, out))
}

// decodeItems reads an array of T, or null. Null items are skipped.
func (l *List[T]) decodeItems(dec *json.Decoder) error {
	switch open, err := dec.Token(); {
	case err != nil:
		return err
	case open == nil:
		return nil
	case open != json.Delim('['):
		return ErrUnreadable
	}
	for dec.More() {
		var item *T
		if err := tolerate(dec.Decode(&item)); err != nil {
			return err
		}
		if item != nil {
			l.Items = append(l.Items, *item)
		}
	}
	return expect(dec, ']')
}

func expect(dec *json.Decoder, want json.Delim) error {
	got, err := dec.Token()
	if err != nil {
		return err
	}
	if got != want {
		return ErrUnreadable
	}
	return nil
}

// tolerate accepts a field of another type than documented: the decoder has read everything else and left that
// field empty.
func tolerate(err error) error {
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil
	}
	return err
}

// storable is a text without zero characters, which PostgreSQL does not store: some programs pad their
// fields with them.
func storable[T ~string](text T) T { return T(strings.ReplaceAll(string(text), "\x00", "")) }

// unreadable drops the decoder's words, which quote what they could not read, but retains whether the time or
// the connection ended.
func unreadable(err error) error {
	if err == nil || errors.Is(err, ErrUnreadable) {
		return ErrUnreadable
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || errors.Is(err, io.EOF) {
		return ErrUnreadable
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w: %w", ErrUnreadable, onTheWay(err))
	}
	return fmt.Errorf("%w: %w", ErrUnreadable, &transportError{class: classBroken, err: err})
}
