package customer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/customer"
	"airtill/internal/fault"
)

// TestANameHasALetterAndAtMostSixtySigns, counted as characters once its spaces are single; what is wrong is said
// of its field.
func TestANameHasALetterAndAtMostSixtySigns(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		for name, code := range map[string]string{
			strings.Repeat("é", 60): "", strings.Repeat("é", 61): "customer.name-too-long",
			"a" + strings.Repeat(" ", 80) + "b": "", "Ж": "", "小": "", "7up": "",
			"": "customer.name-missing", " \t\n": "customer.name-missing", "12-4": "customer.name-missing",
			"a\x7fb": "customer.name-signs", "Ama\x1b[0m": "customer.name-signs", "Am\xe9": "customer.name-signs",
		} {
			err := b.Write(t.Context(), b.here, name, "353871234567")
			if code == "" {
				require.NoError(t, err, "%q", name)
				continue
			}
			requireOnField(t, err, "name", code)
			requireOnField(t, b.Rename(t.Context(), b.here, "any", name), "name", code)
		}
	})
}

// TestANumberHasFiveToTwentyFourSigns with a digit among them: letters and hyphens of meters too, no others.
func TestANumberHasFiveToTwentyFourSigns(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		for _, right := range []string{"12345", strings.Repeat("9", 24), "GB-1234-5678", "abcd1", "ABCDZ-0"} {
			require.NoError(t, b.Write(t.Context(), b.here, "Ama", right), right)
			entry, err := b.Of(t.Context(), b.here, right)
			require.NoError(t, err)
			require.Equal(t, "Ama", entry.Name, right)
		}
		for _, wrong := range []string{"", "1234", strings.Repeat("9", 25), "ABCDE", "-----", "12 345", "12345\n", "٠٨٧١٢٣٤", "1234%", "+12345"} {
			requireOnField(t, b.Write(t.Context(), b.here, "Kofi", wrong), "number", "customer.number")
		}
		require.Empty(t, b.found(b.here, "kofi"), "nobody is written down without a number")
	})
}

func requireOnField(t *testing.T, err error, field, code string) {
	t.Helper()
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, []string{string(fault.Invalid), field, code}, []string{string(f.Kind), f.Field, f.Code})
}

// TestANumberIsForgottenPastItsLastMoment: at the moment itself it is still known, and a sale to it begins the time anew.
func TestANumberIsForgottenPastItsLastMoment(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		ctx := t.Context()
		require.NoError(t, b.Write(ctx, b.here, "Ama", "233200000001"))
		require.NoError(t, b.sold(ctx, b.here, "233200000002", "sale-1"))
		b.pass(b.Retention())
		require.NoError(t, b.Sweep(ctx))
		require.Equal(t, []string{"233200000001"}, b.found(b.here, "0001"))
		require.Equal(t, []string{"233200000002"}, b.found(b.here, "0002"))
		require.NoError(t, b.sold(ctx, b.here, "233200000002", "sale-2"))
		b.pass(time.Microsecond)

		require.Empty(t, b.found(b.here, "0001"))
		listed, err := b.List(ctx, b.here, "", 9)
		require.NoError(t, err)
		require.Empty(t, listed)
		gone, err := b.Of(ctx, b.here, "233200000001")
		require.NoError(t, err)
		require.Equal(t, customer.Entry{AccountNumber: "233200000001"}, gone, "what is over is not known, swept or not")
		require.NoError(t, b.Sweep(ctx))
		still, err := b.Of(ctx, b.here, "233200000002")
		require.NoError(t, err)
		require.Equal(t, "sale-2", still.SaleID)
		var names int64
		require.NoError(t, b.db.Read(ctx).Table("customers").Count(&names).Error)
		require.Zero(t, names)
	})
}

// TestABookIsKeptFourHundredDays where nothing else is set.
func TestABookIsKeptFourHundredDays(t *testing.T) {
	t.Parallel()
	require.Equal(t, 400*24*time.Hour, customer.New(customer.Deps{}).Retention())
	require.Equal(t, time.Hour, customer.New(customer.Deps{Retention: time.Hour}).Retention())
}

// TestAListIsOfNamedNumbersByName, narrowed by the words of a name or the end of a number, however it is grouped.
func TestAListIsOfNamedNumbersByName(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		ctx := t.Context()
		for name, number := range map[string]string{"Zoë": "353871111222", "Élan": "353873333222", "bob": "353875555666"} {
			require.NoError(t, b.Write(ctx, b.here, name, number))
		}
		require.NoError(t, b.sold(ctx, b.here, "353877777222", "sale-1"))
		require.NoError(t, b.Write(ctx, b.there, "Ann", "353871111222"))
		for search, want := range map[string][]string{
			"": {"bob", "Élan", "Zoë"}, " elan ": {"Élan"}, "222": {"Élan", "Zoë"}, "111-1 222": {"Zoë"}, "2": {"Élan", "Zoë"},
			"353875555666": {"bob"}, "5555": {}, "O": {"bob", "Zoë"}, "zoe b": {},
		} {
			listed, err := b.List(ctx, b.here, search, 9)
			require.NoError(t, err)
			names := []string{}
			for _, e := range listed {
				names = append(names, e.Name)
			}
			require.Equal(t, want, names, "%q", search)
		}
		first, err := b.List(ctx, b.here, "", 2)
		require.NoError(t, err)
		require.Len(t, first, 2)
	})
}

// TestANameIsItsOwnInEachShop: renaming changes how it is found, to what it already is changes nothing, and a name is
// free again once nobody bears it.
func TestANameIsItsOwnInEachShop(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		ctx := t.Context()
		require.NoError(t, b.Write(ctx, b.here, "Ama", "233200000001"))
		require.NoError(t, b.Write(ctx, b.there, "Ama", "233200000001"))
		ours, err := b.Of(ctx, b.here, "233200000001")
		require.NoError(t, err)
		require.NoError(t, b.Rename(ctx, b.here, ours.CustomerID, "Ama"), "her own name is not taken")
		require.NoError(t, b.Rename(ctx, b.here, ours.CustomerID, " AMÁ  K. "))
		require.Equal(t, []string{"233200000001"}, b.found(b.here, "ama k"))
		renamed, err := b.Of(ctx, b.here, "233200000001")
		require.NoError(t, err)
		require.Equal(t, "AMÁ K.", renamed.Name)
		require.Empty(t, b.found(b.there, "ama k"))

		require.NoError(t, b.Write(ctx, b.here, "Kofi", "233200000001"))
		require.NoError(t, b.Write(ctx, b.here, "Esi", "233200000002"))
		esi, err := b.Of(ctx, b.here, "233200000002")
		require.NoError(t, err)
		require.NoError(t, b.Rename(ctx, b.here, esi.CustomerID, "ama k."), "nobody bears it any more")
		var f *fault.Error
		require.ErrorAs(t, b.Rename(ctx, b.here, esi.CustomerID, "KOFI"), &f)
		require.Equal(t, "customer.name-taken", f.Code)
	})
}

// TestAShortNumberEndsInAllOfItself: one sold before numbers had a least length is kept, and found by no ending.
func TestAShortNumberEndsInAllOfItself(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		require.NoError(t, b.sold(t.Context(), b.here, "567", "sale-1"))
		require.NoError(t, b.sold(t.Context(), b.here, "4567", "sale-2"))
		require.Equal(t, []string{"4567"}, b.found(b.here, "4567"))
		require.Empty(t, b.found(b.here, "567"))
		short, err := b.Of(t.Context(), b.here, "567")
		require.NoError(t, err)
		require.Equal(t, "sale-1", short.SaleID)
	})
}

// A number that is past its time, and still there until the sweep, gets a name as one that never was.
func TestANameForANumberPastItsTimeIsStored(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		require.NoError(t, b.sold(t.Context(), b.here, "353871234567", "sale-1"))
		b.pass(b.Retention() + time.Hour)
		require.NoError(t, b.Write(t.Context(), b.here, "Nora", "353871234567"))
		require.Equal(t, []string{"353871234567"}, b.found(b.here, "nora"))
		require.NoError(t, b.Sweep(t.Context()))
		require.Equal(t, []string{"353871234567"}, b.found(b.here, "nora"))
		of, err := b.Of(t.Context(), b.here, "353871234567")
		require.NoError(t, err)
		require.Empty(t, of.SaleID, "what was bought before is forgotten")
	})
}

// A sale to a number that is past its time, and still there until the sweep, does not bring its name back.
func TestANameForgottenIsNotBroughtBackByASale(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		require.NoError(t, b.Write(t.Context(), b.here, "Nora", "353871234567"))
		b.pass(b.Retention())
		require.NoError(t, b.sold(t.Context(), b.here, "353871234567", "sale-1"))
		require.Equal(t, []string{"353871234567"}, b.found(b.here, "nora"), "to the last moment she is known")
		b.pass(b.Retention() + time.Hour)
		require.NoError(t, b.sold(t.Context(), b.here, "353871234567", "sale-2"))
		of, err := b.Of(t.Context(), b.here, "353871234567")
		require.NoError(t, err)
		require.Equal(t, []string{"", "sale-2"}, []string{of.Name, of.SaleID})
	})
}

// TestSignsAloneFindNobody: a search without a digit or a letter is not one for everybody.
func TestSignsAloneFindNobody(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		require.NoError(t, b.Write(t.Context(), b.here, "Ama", "353871234567"))
		for search, want := range map[string]int{"+": 0, "%%%": 0, "- .": 0, "": 1, "  ": 1, "4567": 1} {
			listed, err := b.List(t.Context(), b.here, search, 9)
			require.NoError(t, err)
			require.Len(t, listed, want, "%q", search)
		}
	})
}
