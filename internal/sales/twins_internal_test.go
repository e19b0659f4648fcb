package sales

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/counter"
	"airtill/internal/fault"
	"airtill/internal/limit"
	"airtill/internal/money"
)

// Of what a number bought before, an open sale stops the next one, and a complete one of the same amount and bill is
// asked about; the latest of each is told.
func TestWhatStandsInTheWayOfASale(t *testing.T) {
	t.Parallel()
	like := Sale{Terms: Terms{AccountNumber: "353871234567", SendMicros: 10_000_000, BillRef: "B1"}}
	sold := func(id string, state State, send int64, bill string) Sale {
		return Sale{ID: id, Fulfilment: state, Terms: Terms{SendMicros: send, BillRef: bill}}
	}
	for name, c := range map[string]struct {
		found      []Sale
		open, same string
	}{
		"nothing":               {},
		"the same":              {found: []Sale{sold("1", Complete, 10_000_000, "B1")}, same: "1"},
		"another amount":        {found: []Sale{sold("1", Complete, 10_000_001, "B1")}},
		"another bill":          {found: []Sale{sold("1", Complete, 10_000_000, "B2")}},
		"the same that failed":  {found: []Sale{sold("1", Failed, 10_000_000, "B1"), sold("2", Voided, 10_000_000, "B1")}},
		"any amount, if open":   {found: []Sale{sold("1", Unknown, 5_000_000, "")}, open: "1"},
		"the latest of several": {found: []Sale{sold("3", Sending, 1, ""), sold("2", Recorded, 1, "")}, open: "3"},
		"both": {
			found: []Sale{sold("3", Complete, 10_000_000, "B1"), sold("2", Processing, 1, ""), sold("1", Complete, 10_000_000, "B1")},
			open:  "2", same: "3",
		},
	} {
		open, same, err := twinsOf(t.Context(), nil, &like, c.found)
		require.NoError(t, err, name)
		require.Equal(t, c.open, idOf(open), name)
		require.Equal(t, c.same, idOf(same), name)
	}
}

func idOf(s *Sale) string {
	if s == nil {
		return ""
	}
	return s.ID
}

// A cashier's word passes a sale that was made before, and nothing less than a manager's one that is open.
func TestWhoseWordPassesATwin(t *testing.T) {
	t.Parallel()
	like := &Sale{Terms: Terms{AccountNumber: "353871234567", SendMicros: 1}}
	twin := func(state State) []Sale { return []Sale{{ID: "1", Fulfilment: state, Terms: Terms{SendMicros: 1}}} }
	again := counter.Confirmation{Again: true}
	var manager allowing
	manager.approver.ID = "manager"
	var nobody allowing
	for name, c := range map[string]struct {
		found   []Sale
		said    counter.Confirmation
		allowed *allowing
		stop    any
	}{
		"the same, unasked":      {twin(Complete), counter.Confirmation{}, &nobody, new(*DuplicateError)},
		"the same, again":        {twin(Complete), again, &nobody, nil},
		"open, again":            {twin(Unknown), again, &nobody, new(*UnknownError)},
		"open, manager":          {twin(Unknown), again, &manager, nil},
		"nothing like it, again": {nil, again, &nobody, nil},
	} {
		err := guardSame(t.Context(), nil, c.found, like, c.said, c.allowed.pass)
		if c.stop == nil {
			require.NoError(t, err, name)
		} else {
			require.ErrorAs(t, err, c.stop, name)
		}
	}
	require.Len(t, manager.stops, 1, "what was allowed is on record")
	require.Empty(t, nobody.stops)
}

// What a manager may allow has a name, and what nobody may allow passes for no approver.
func TestOnlyWhatMayBeAllowedPasses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		stop string
	}{
		"nothing":         {nil, ""},
		"an open twin":    {&UnknownError{}, StopOpenTwin},
		"a limit":         {&limit.Error{}, StopLimit},
		"a refund":        {fault.Doing("refund", &ApprovalError{Stop: StopRefundUnknown}), StopRefundUnknown},
		"an early retry":  {&ApprovalError{Stop: StopRetryEarly}, StopRetryEarly},
		"another product": {&DuplicateError{}, ""},
		"a price":         {&ChangedError{Price: money.Of(1, "EUR")}, ""},
		"no float":        {fault.New(fault.Unavailable, "float.gone"), ""},
		"a closed shift":  {fault.New(fault.Conflict, "shift.closed"), ""},
	} {
		require.Equal(t, c.stop, Approvable(c.err), name)
		var nobody, manager allowing
		manager.approver.ID = "manager"
		require.Equal(t, c.err, nobody.pass(c.err), name)
		if c.stop == "" {
			require.Equal(t, c.err, manager.pass(c.err), name)
			require.Empty(t, manager.stops, name)
		} else {
			require.NoError(t, manager.pass(c.err), name)
			require.Len(t, manager.stops, 1, name)
		}
	}
}

// The key of a page stands for what it sells: the price may change under it, nothing else.
func TestAKeyStandsForWhatIsSold(t *testing.T) {
	t.Parallel()
	seller := counter.Seller{ShopID: "shop", CashierID: "cashier", TillID: "till", ShiftID: "shift"}
	plain := paramsHash(seller, testOffer("Instant"))
	for name, c := range map[string]struct {
		change func(*counter.Seller, *counter.Terms)
		same   bool
	}{
		"another price":    {func(_ *counter.Seller, q *counter.Terms) { q.Price = eur("11.00") }, true},
		"another till":     {func(s *counter.Seller, _ *counter.Terms) { s.TillID, s.ShiftID = "other", "other" }, true},
		"another name":     {func(_ *counter.Seller, q *counter.Terms) { q.ProductText = "renamed" }, true},
		"another shop":     {func(s *counter.Seller, _ *counter.Terms) { s.ShopID = "other" }, false},
		"another cashier":  {func(s *counter.Seller, _ *counter.Terms) { s.CashierID = "other" }, false},
		"another product":  {func(_ *counter.Seller, q *counter.Terms) { q.SKUCode = "SKU2" }, false},
		"a cent more":      {func(_ *counter.Seller, q *counter.Terms) { q.Cost.Send = eur("10.01") }, false},
		"another currency": {func(_ *counter.Seller, q *counter.Terms) { q.Cost.Send = money.MustParse("10", "USD") }, false},
		"another number":   {func(_ *counter.Seller, q *counter.Terms) { q.AccountNumber = "353871234568" }, false},
		"another bill":     {func(_ *counter.Seller, q *counter.Terms) { q.BillRef = "B2" }, false},
		"another setting": {func(_ *counter.Seller, q *counter.Terms) {
			q.Settings = []counter.Setting{{Name: "MeterId", Value: "1"}}
		}, false},
	} {
		s, q := seller, testOffer("Instant")
		c.change(&s, &q)
		require.Equal(t, c.same, paramsHash(s, q) == plain, name)
	}
}

// What a key stands for is stored with its sale: after an update of the program an old form must still find its own.
func TestTheHashOfAnOfferStays(t *testing.T) {
	t.Parallel()
	seller := counter.Seller{ShopID: "shop", CashierID: "cashier"}
	for hash, change := range map[string]func(*counter.Terms){
		"300fb04f8b3c2598ce919e74a741e6282590d9dc393623c0964e205059c454e9": func(*counter.Terms) {},
		"a79edc45956c32826cce00cc08f23bc53ff4df9770cc1a159f7b6408cbadd7d1": func(q *counter.Terms) {
			q.Settings, q.BillRef = []counter.Setting{}, "Rent & <heat>"
		},
		"22e8fe3fbfc94531fe8270fa4b04b0c1567226cc465328cedaa3c347dc003701": func(q *counter.Terms) {
			q.Settings = []counter.Setting{{Name: "MeterId", Value: "ä\xff"}, {Name: "Tariff"}}
		},
	} {
		q := testOffer("Instant")
		change(&q)
		require.Equal(t, hash, paramsHash(seller, q))
	}
}
