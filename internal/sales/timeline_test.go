package sales_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// TestTimeline_TellsWhatLooksFoundByWhatItMeans: the outcome alone does not say it; whether
// the sale had been given up, and where its cash was, does.
func TestTimeline_TellsWhatLooksFoundByWhatItMeans(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Complete, false)
		before, err := w.Sales.Timeline(t.Context(), sale)
		require.NoError(t, err)
		cases := []struct {
			cause       sales.Cause
			was, became string
			want        sales.Step
		}{
			{sales.Replied, "submitted/taken", "complete/taken", sales.StepTold},
			{sales.Notified, "complete/taken", "complete/taken", sales.StepDetails},
			{sales.Looked, "unknown/taken", "failed/refund_due", sales.StepAbsent},
			{sales.Listed, "failed/refund_due", "complete/taken", sales.StepLate},
			{sales.Listed, "failed/refunded", "complete/refunded", sales.StepLateLoss},
			{sales.Listed, "complete/taken", "failed/refund_due", sales.StepReversed},
			{sales.Listed, "complete/refunded", "failed/refunded", sales.StepRecover},
			{sales.CancelAnswered, "processing/taken", "cancelled/refund_due", sales.StepTold},
			{sales.Decided, "unknown/taken", "failed/refund_due", sales.Step(sales.Decided)},
		}
		for i, c := range cases {
			w.Pass(time.Second)
			happened(t, w, sale, 1+i, c.cause, c.was, c.became)
		}
		moments, err := w.Sales.Timeline(t.Context(), sale)
		require.NoError(t, err)
		require.Len(t, moments, len(before)+len(cases))
		for i, c := range cases {
			got := moments[len(before)+i]
			require.Equal(t, c.want, got.Step, "%s %s → %s", c.cause, c.was, c.became)
			require.Empty(t, got.Reason, "what the program notes is no reason")
		}
	})
}

// happened adds an event to a sale's, this many places on.
func happened(t *testing.T, w *world, sale sales.Sale, place int, cause sales.Cause, was, became string) {
	t.Helper()
	require.NoError(t, w.DB.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec(`INSERT INTO sale_events (sale_id, seq, at, cause, source, ref, was, became, actor, note)
VALUES (?,?,?,?,?,?,?,?,?,?)`,
			sale.ID, sale.Events+place, store.Moment(w.Now()), cause, "test", sale.Ref, was, became, "", "not of a person").Error
	}))
}

// TestTimeline_IsNotFilledByAPINShownOften: what came after still stands in it, and what came before.
func TestTimeline_IsNotFilledByAPINShownOften(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Complete, false)
		before, err := w.Sales.Timeline(t.Context(), sale)
		require.NoError(t, err)
		const shown = 250
		for i := range shown {
			happened(t, w, sale, 1+i, sales.Revealed, "complete/taken", "complete/taken")
		}
		w.Pass(time.Second)
		happened(t, w, sale, 1+shown, sales.Listed, "complete/taken", "failed/refund_due")
		moments, err := w.Sales.Timeline(t.Context(), sale)
		require.NoError(t, err)
		require.Less(t, len(moments), shown)
		require.Equal(t, before, moments[:len(before)])
		require.Equal(t, sales.StepReversed, sales.LastTurn(moments))
	})
}

func TestTimeline_NamesTheDrawerAndWhoAllowedIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}`)
	offer := w.TopUp()
	sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Unknown, false)
	sale, err := w.Sales.Refund(t.Context(), sale.ID, w.Approved("an angry customer"))
	require.NoError(t, err)
	moments, err := w.Sales.Timeline(t.Context(), sale)
	require.NoError(t, err)
	allowed, back := moments[len(moments)-2], moments[len(moments)-1]
	if back.Step == sales.StepAllowed { // at the same moment
		allowed, back = back, allowed
	}
	require.Equal(t, sales.Moment{
		At: allowed.At, Step: sales.StepAllowed, By: "manager", Stop: sales.StopRefundUnknown, Reason: "an angry customer",
	}, allowed)
	require.Equal(t, sales.Step(sales.Refunded), back.Step)
	require.Equal(t, w.Seller.ShiftID, back.ShiftID)
	require.Equal(t, "cashier", back.By)
	require.Equal(t, "an angry customer", back.Reason)
}

func TestLastTurn_IsWhatNothingHasOvertaken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		steps []sales.Step
		want  sales.Step
	}{
		{nil, ""},
		{[]sales.Step{sales.StepTold, sales.StepDetails}, ""},
		{[]sales.Step{sales.StepLate, sales.StepAsked}, sales.StepLate},
		{[]sales.Step{sales.StepLate, sales.StepReversed}, sales.StepReversed},
		{[]sales.Step{sales.StepReversed, sales.Step(sales.Refunded)}, ""},
		{[]sales.Step{sales.StepReversed, sales.Step(sales.TriedAgain), sales.StepTold}, ""},
		{[]sales.Step{sales.Step(sales.Refunded), sales.StepLateLoss}, sales.StepLateLoss},
		{[]sales.Step{sales.StepLateLoss, sales.StepRecover}, sales.StepRecover},
	} {
		var moments []sales.Moment
		for _, step := range c.steps {
			moments = append(moments, sales.Moment{Step: step})
		}
		require.Equal(t, c.want, sales.LastTurn(moments), "%v", c.steps)
	}
}

func TestCorrections_AreOfPeopleWhoSetSomethingRight(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"AccountNumberInvalid","context":"ProviderRefusedRequest"}}`)
		failed := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Failed, false)
		o := apptest.Order("2", offer)
		o.AccountNumber = "353871111111"
		w.Becomes(w.Sell(o, offer).ID, sales.Complete, false)
		act := w.Act()
		act.Reason = "it was refused"
		began := w.Now()
		_, err := w.Sales.Refund(t.Context(), failed.ID, act)
		require.NoError(t, err)

		day := sales.CorrectionFilter{From: began.Add(-time.Hour), To: began.Add(time.Hour), Limit: 10}
		for name, c := range map[string]struct {
			change func(*sales.CorrectionFilter)
			want   int
		}{
			"all":            {func(*sales.CorrectionFilter) {}, 1},
			"the shop":       {func(f *sales.CorrectionFilter) { f.ShopID = "shop" }, 1},
			"another shop":   {func(f *sales.CorrectionFilter) { f.ShopID = "elsewhere" }, 0},
			"the person":     {func(f *sales.CorrectionFilter) { f.UserID = "cashier" }, 1},
			"another person": {func(f *sales.CorrectionFilter) { f.UserID = "manager" }, 0},
			"before":         {func(f *sales.CorrectionFilter) { f.To = began.Add(-time.Second) }, 0},
			"after":          {func(f *sales.CorrectionFilter) { f.From = began.Add(time.Minute) }, 0},
		} {
			f := day
			c.change(&f)
			found, err := w.Sales.Corrections(t.Context(), f)
			require.NoError(t, err)
			require.Len(t, found, c.want, name)
		}
		found, err := w.Sales.Corrections(t.Context(), day)
		require.NoError(t, err)
		require.Equal(t, failed.ID, found[0].Sale.ID)
		require.Equal(t, sales.Moment{
			At: found[0].ActedAt, Step: sales.Step(sales.Refunded), State: sales.Failed, By: "cashier", Reason: "it was refused",
		}, found[0].Moment())
	})
}

// TestTimeline_ReadsApprovalsOfBothForms: those of before there were facts stay on the page.
func TestTimeline_ReadsApprovalsOfBothForms(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Complete, false)
	var last int64
	require.NoError(t, w.DB.Read(t.Context()).Raw("SELECT seq FROM audit_head").Scan(&last).Error)
	require.NoError(t, w.DB.Tx(t.Context(), func(tx *store.Tx) error {
		for i, after := range []string{
			`{"allowed":"open-twin","approver":"nora","saleID":"01Y"}`,
			`[{"name":"allowed","kind":"word","after":"limit"},{"name":"approver","kind":"person","after":"liam"}]`,
		} {
			if err := tx.Create(&audit.Record{
				Seq: last + 1 + int64(i), At: store.Moment(w.Now()), Act: audit.SaleApproved,
				Subject: audit.Of(audit.Sale, sale.ID), After: after, Hash: after,
			}).Error; err != nil {
				return err
			}
		}
		return nil
	}))
	moments, err := w.Sales.Timeline(t.Context(), sale)
	require.NoError(t, err)
	stops := map[string]string{}
	for _, m := range moments {
		if m.Step == sales.StepAllowed {
			stops[m.By] = m.Stop
		}
	}
	require.Equal(t, map[string]string{"nora": sales.StopOpenTwin, "liam": sales.StopLimit}, stops)
}
