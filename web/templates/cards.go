package templates

import (
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"airtill/internal/catalog"
	"airtill/web/locale"
	"airtill/web/pieces"
)

// The texts of a card, one by one. What is "" is left out.
const (
	cardSKU = iota
	cardKey
	cardReceive
	cardReceiveUpTo
	cardName
	cardValidity
	cardPromotion
	cardPromotionEnds
	cardPrice
	cardUpTo
	cardTexts // how many there are
)

// card is an offer as its card says it.
type card struct {
	texts               [cardTexts]string
	nameHidden, trouble bool
}

// cardOf says what stands on the card of an offer, the i-th of its page.
func cardOf(l locale.Locale, k catalog.Kind, o *Offer, i int) (c card) {
	c.trouble = o.Trouble
	c.texts[cardSKU], c.texts[cardName], c.texts[cardValidity] = o.SKU, o.Name, o.Validity
	c.texts[cardPromotion], c.texts[cardPromotionEnds] = o.Promotion, o.PromotionEnds
	c.texts[cardPrice] = l.Amount(o.Price)
	if i < 9 {
		c.texts[cardKey] = strconv.Itoa(i + 1)
	}
	if o.Receive != nil && isSum(k) {
		c.texts[cardReceive] = l.ShortAmount(*o.Receive)
		if o.ReceiveUpTo != nil {
			c.texts[cardReceiveUpTo] = l.ShortAmount(*o.ReceiveUpTo)
		}
	}
	c.nameHidden = c.texts[cardReceive] != "" && o.namesSumOnly()
	if o.UpTo != nil {
		c.texts[cardUpTo] = l.Amount(*o.UpTo)
	}
	return c
}

// DrawGroups is how the groups look below some earlier products, for pages that share it: it is the same for all
// who read the same language in the same zone.
func DrawGroups(ctx context.Context, l locale.Locale, groups []OfferGroup, before int) (*pieces.Piece, error) {
	return pieces.Draw(ctx, offerGroups(l, groups, before))
}

// cut is around what stands for a text in the form of a card; HTML has none.
const cut = "\x00"

// blanks stand for the texts.
var blanks = func() (all [cardTexts]string) {
	for i := range all {
		all[i] = cut + strconv.Itoa(i) + cut
	}
	return all
}()

// form is the card with blanks for its texts, equal for all that only differ in what those
// say.
func (c card) form() card {
	for i, text := range c.texts {
		if text != "" || i == cardName {
			c.texts[i] = blanks[i]
		}
	}
	return c
}

// cards are the offers of a group, the first of them the i-th of its page. There may be
// hundreds, which differ in their texts: a form is rendered once, and filled in for each.
func cards(l locale.Locale, group OfferGroup, i int) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		forms := map[card][]string{} // HTML, number of a text, HTML, …
		for n := range group.Offers {
			c := cardOf(l, group.Kind, &group.Offers[n], i+n)
			parts, known := forms[c.form()]
			if !known {
				var html strings.Builder
				if err := offerCard(l, c.form()).Render(ctx, &html); err != nil {
					return err
				}
				parts = strings.Split(html.String(), cut)
				forms[c.form()] = parts
			}
			if err := c.fill(w, parts); err != nil {
				return err
			}
		}
		return nil
	})
}

// fill writes a form with the card's own texts.
func (c card) fill(w io.Writer, parts []string) error {
	for i, part := range parts {
		if i%2 == 1 {
			n, err := strconv.Atoi(part)
			if err != nil {
				return err
			}
			part = templ.EscapeString(c.texts[n])
		}
		if _, err := io.WriteString(w, part); err != nil {
			return err
		}
	}
	return nil
}
