package customer

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/phone"
	"airtill/internal/store"
)

// Asks says whether the text typed at the counter searches for a known customer: exactly the last four digits
// of a number, or anything with a letter in it.
func Asks(typed string) bool {
	return isEnding(strings.TrimSpace(typed)) || strings.ContainsFunc(typed, unicode.IsLetter)
}

func isEnding(typed string) bool {
	return utf8.RuneCountInString(typed) == endingDigits && len(phone.Digits(typed)) == endingDigits
}

// Find returns up to limit numbers of a shop that match the typed text, the latest first: by their last four
// digits, or by words of the customer's name in any order, ignoring case and accents. Any other text finds
// none.
func (b *Book) Find(ctx context.Context, shopID, typed string, limit int) ([]Entry, error) {
	typed = strings.TrimSpace(typed)
	query := b.entries(ctx, shopID)
	switch {
	case isEnding(typed):
		query = query.Where("n.ending = ?", phone.Digits(typed))
	case strings.ContainsFunc(typed, unicode.IsLetter):
		query = named(query, typed)
	default:
		return nil, nil
	}
	return list(query.Order("n.seen_at DESC").Limit(limit))
}

// List returns up to limit named entries of a shop, by name; search narrows them to names with its words or
// numbers that end in its digits, or are among those it means as it is dialled.
func (b *Book) List(
	ctx context.Context, shopID, search string, limit int, dialled ...string,
) ([]Entry, error) {
	query := b.entries(ctx, shopID).Where("n.customer_id IS NOT NULL")
	switch search = strings.TrimSpace(search); {
	case search == "":
	case strings.ContainsFunc(search, unicode.IsLetter):
		query = named(query, search)
	case phone.Digits(search) == "": // every number ends in no digits
		return nil, nil
	default:
		query = query.Where(
			"n.account_number LIKE ? OR n.account_number IN ?", "%"+phone.Digits(search), append(dialled, ""),
		)
	}
	return list(query.Order("c.folded, n.seen_at DESC").Limit(limit))
}

// Of returns what a shop's book knows of a number: an Entry without a name if nothing.
func (b *Book) Of(ctx context.Context, shopID, account string) (Entry, error) {
	entry := Entry{AccountNumber: account}
	err := b.d.DB.Answer(ctx, b.asksOf(shopID, account, &entry))
	return entry, fault.Doing("find customer", err)
}

// Names returns the names that a shop's book has for some numbers, by number.
func (b *Book) Names(ctx context.Context, shopID string, accounts []string) (map[string]string, error) {
	found, err := list(b.entries(ctx, shopID).Where("n.account_number IN ? AND c.name <> ''", accounts))
	names := map[string]string{}
	for _, entry := range found {
		names[entry.AccountNumber] = entry.Name
	}
	return names, err
}

// AskOf asks ahead of Of.
func (b *Book) AskOf(shopID, account string) store.Asked {
	return b.asksOf(shopID, account, &Entry{AccountNumber: account})
}

type entryOf struct{ Shop, Account string }

func (b *Book) asksOf(shopID, account string, into *Entry) store.Asked {
	return store.Asking[Entry]{
		Key: entryOf{shopID, account}, Into: into,
		SQL: "SELECT " + entryColumns + " FROM " + entryTables +
			" WHERE n.shop_id = ? AND n.account_number = ? AND n.seen_at >= ?",
		Args: []any{shopID, account, store.Moment(b.d.Now().Add(-b.d.Retention))},
		Row:  func(scan store.Scanner) error { return scan(store.Fields(into)...) },
	}
}

const (
	entryTables  = "customer_numbers n LEFT JOIN customers c ON c.id = n.customer_id"
	entryColumns = "n.account_number, COALESCE(n.customer_id, '') AS customer_id, COALESCE(c.name, '') AS name, " +
		"n.sale_id, n.seen_at"
)

func (b *Book) entries(ctx context.Context, shopID string) *gorm.DB {
	return b.d.DB.Read(ctx).Table(entryTables).Select(entryColumns).
		Where("n.shop_id = ? AND n.seen_at >= ?", shopID, store.Moment(b.d.Now().Add(-b.d.Retention)))
}

func named(query *gorm.DB, typed string) *gorm.DB {
	for word := range strings.FieldsSeq(store.Fold(strings.ToValidUTF8(strings.ReplaceAll(typed, "\x00", ""), ""))) {
		query = query.Where(`c.folded LIKE ? ESCAPE '\'`, store.Containing(word))
	}
	return query
}

func list(query *gorm.DB) ([]Entry, error) {
	found, err := store.All[Entry](query)
	return found, fault.Doing("find customers", err)
}
