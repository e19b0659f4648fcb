// Package pieces is what pages are sent as: HTML in which parts that seldom change were drawn and compressed
// once, and stand as they are in every page that shows them.
package pieces

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/a-h/templ"
	templruntime "github.com/a-h/templ/runtime"
	"github.com/klauspost/compress/flate"
)

// Piece is a part of pages, drawn. Requests share it. The nil Piece is empty.
type Piece struct {
	html     []byte
	deflated []byte // refers to nothing before it, and ends with a whole byte
}

// Draw draws a component as a piece. It must be the same for all who will see it.
func Draw(ctx context.Context, c templ.Component) (*Piece, error) {
	var html, deflated bytes.Buffer
	if err := c.Render(ctx, &html); err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	z, err := flate.NewWriter(&deflated, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(html.Bytes()); err != nil {
		return nil, err
	}
	if err := z.Flush(); err != nil {
		return nil, err
	}
	return &Piece{html.Bytes(), deflated.Bytes()}, nil
}

// Empty says whether nothing was drawn.
func (p *Piece) Empty() bool { return p == nil || len(p.html) == 0 }

// Render puts the piece into a Page as it is, and writes its HTML to anything else.
func (p *Piece) Render(_ context.Context, w io.Writer) error {
	if p.Empty() {
		return nil
	}
	if buffer, is := w.(*templruntime.Buffer); is {
		if page, is := buffer.Underlying.(*Page); is {
			if err := buffer.Flush(); err != nil { // what stands before it
				return err
			}
			page.pieces = append(page.pieces, placed{p, page.loose.Len()})
			return nil
		}
	}
	_, err := w.Write(p.html)
	return err
}

// Kept are pieces that are drawn when first shown, one for each key. The keys must be few.
type Kept[K comparable] struct{ drawn sync.Map }

// For is the piece of a key, drawn from the component unless it has been before.
func (all *Kept[K]) For(key K, c templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		piece, known := all.drawn.Load(key)
		if !known {
			made, err := Draw(ctx, c)
			if err != nil {
				return err
			}
			piece, _ = all.drawn.LoadOrStore(key, made)
		}
		return piece.(*Piece).Render(ctx, w) //nolint:forcetypeassert // nothing else is stored
	})
}
