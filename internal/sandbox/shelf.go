package sandbox

import (
	"bytes"
	"encoding/json"
	"net/http"
	"sync"

	"airtill/internal/sandbox/catalogue"
)

// shelf is one version of the catalogue with its JSON, made when first asked
// for and then only copied.
type shelf struct {
	catalogue *catalogue.Catalogue

	countries, currencies, regions, products, productTexts func() encoded
	promotions, promotionTexts, providers                  func() encoded
}

func newShelf(c *catalogue.Catalogue) *shelf {
	return &shelf{
		catalogue:      c,
		countries:      encodeOnce(c.Countries),
		currencies:     encodeOnce(c.Currencies),
		regions:        encodeOnce(c.Regions),
		products:       encodeOnce(c.Products),
		productTexts:   encodeOnce(c.ProductTexts),
		promotions:     encodeOnce(c.Promotions),
		promotionTexts: encodeOnce(c.PromotionTexts),
		providers:      encodeOnce(c.Providers),
	}
}

// encoded is a whole response, and where in it each item lies.
type encoded struct {
	whole []byte
	items [][2]int
}

const (
	listHead = `{"ResultCode":1,"ErrorCodes":[],"Items":[`
	listTail = `]}`
)

func encodeOnce[T any](items []T) func() encoded {
	return sync.OnceValue(func() encoded {
		var b bytes.Buffer
		b.WriteString(listHead)
		at := make([][2]int, len(items))
		for i, item := range items {
			if i > 0 {
				b.WriteByte(',')
			}
			text, err := json.Marshal(item)
			if err != nil {
				panic(err) // plain records always encode
			}
			at[i] = [2]int{b.Len(), b.Len() + len(text)}
			b.Write(text)
		}
		b.WriteString(listTail)
		return encoded{whole: b.Bytes(), items: at}
	})
}

func (e encoded) all() reply { return reply{status: http.StatusOK, parts: [][]byte{e.whole}} }

// where returns the items that are kept, or the ready response if everything is.
func (e encoded) where(everything bool, keep func(i int) bool) reply {
	if everything {
		return e.all()
	}
	parts := [][]byte{[]byte(listHead)}
	for i, at := range e.items {
		if keep(i) {
			if len(parts) > 1 {
				parts = append(parts, []byte{','})
			}
			parts = append(parts, e.whole[at[0]:at[1]])
		}
	}
	return reply{status: http.StatusOK, parts: append(parts, []byte(listTail))}
}

// withLogos makes the logo links lead to the address the request came to.
func withLogos(r reply, request *http.Request) reply {
	scheme := "http://"
	if request.TLS != nil {
		scheme = "https://"
	}
	whole := bytes.Join(r.parts, nil)
	r.parts = [][]byte{bytes.ReplaceAll(whole, []byte(catalogue.LogoBase), []byte(scheme+request.Host))}
	return r
}
