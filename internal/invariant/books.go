package invariant

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"airtill/internal/ledger"
	"airtill/internal/money"
)

// postingsAtOnce is how many postings a batch has. More would take longer to sort than to read.
const postingsAtOnce = 20_000

// journals is I3, checkpoints I4; the ledger knows both.
func (s *Service) journals(ctx context.Context, f *Finding, after string) (string, error) {
	id, err := strconv.ParseInt(cmp.Or(after, "0"), 10, 64)
	if err != nil {
		return "", err
	}
	seen, err := s.d.Ledger.VerifyJournals(ctx, id, int64(cmp.Or(s.d.AtOnce, postingsAtOnce)))
	if err != nil || seen.Last == id {
		return "", err
	}
	f.Checked += seen.Looked
	for _, o := range seen.Off {
		if !f.names(o.Subject) { // a journal across two batches is off in both
			f.Blame("journal.off", o.Subject, o.Off)
		}
	}
	return strconv.FormatInt(seen.Last, 10), nil
}

// names says whether something is among the named offenders.
func (f *Finding) names(subject string) bool {
	return slices.ContainsFunc(f.Offenders, func(o Offender) bool { return o.Subject == subject })
}

func (s *Service) checkpoints(ctx context.Context, f *Finding) error {
	if err := s.d.DB.Read(ctx).Raw("SELECT COUNT(*) FROM ledger_checkpoints").Scan(&f.Checked).Error; err != nil {
		return err
	}
	return s.d.Ledger.VerifyCheckpoints(ctx, func(o ledger.Offence) { f.Blame("account.stored", o.Subject, o.Off) })
}

// restAccounts hold only what is under way.
var restAccounts = []ledger.Account{
	ledger.Reserved, ledger.BatchClearing, ledger.RefundReceivable, ledger.CustomerPrepayments, ledger.RefundsDue,
}

// nothingOpen holds when no sale has money under way. It is part of the statements that need it, since a
// second statement would see another moment. Each of its four conditions has an index; combined in one they
// would read every sale.
const nothingOpen = `NOT EXISTS (SELECT 1 FROM sales WHERE final_at IS NULL AND NOT practice)
	AND NOT EXISTS (SELECT 1 FROM sales WHERE cash IN ('taken', 'refund_due') AND NOT practice)
	AND NOT EXISTS (SELECT 1 FROM sales WHERE receivable_micros > 0 AND NOT practice) AND NOT ` + reversing

// reversing holds while a reversal was seen once and must be seen again: the balance shows it before the books
// do.
const reversing = `EXISTS (SELECT 1 FROM sales WHERE next_check_at IS NOT NULL AND reversal_seen_at IS NOT NULL
	AND NOT practice)`

// rest is I6. While something is open, these accounts tell nothing.
func (s *Service) rest(ctx context.Context, f *Finding) error {
	var rows []struct {
		Account  string
		Currency money.Currency
		Micros   int64
		Rest     bool
	}
	err := s.d.DB.Read(ctx).Raw(`SELECT account, currency, SUM(micros) AS micros, `+nothingOpen+` AS rest FROM postings
		WHERE account IN ? GROUP BY account, currency`, restAccounts).Scan(&rows).Error
	for _, r := range rows {
		if !r.Rest {
			f.Notes = []Note{{Kind: SalesOpen}}
			return err
		}
		f.Checked++
		if r.Micros != 0 {
			f.Blame("account.rest", r.Account, money.Of(r.Micros, r.Currency))
		}
	}
	return err
}

func (s *Service) chain(ctx context.Context, f *Finding) error {
	if err := s.d.DB.Read(ctx).Raw("SELECT COUNT(*) FROM audit_entries").Scan(&f.Checked).Error; err != nil {
		return err
	}
	offences, err := s.d.Audit.Verify(ctx)
	for _, o := range offences {
		f.Blame(Kind("entry."+o.Problem), strconv.FormatInt(o.Seq, 10))
	}
	return err
}
