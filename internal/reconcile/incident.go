package reconcile

import (
	"context"
	"fmt"

	"airtill/internal/sales"
	"airtill/internal/store"
)

// fromIncidents makes breaks of incidents of sales: a reply, a webhook or a look-up may report something
// before any list shows it. An existing break says more.
func (s *Service) fromIncidents(ctx context.Context, drafts []Break) ([]Break, error) {
	told, err := store.All[sales.Incident](
		s.d.DB.Read(ctx).Where("closed_at IS NULL AND sale_id <> ''").Order("COALESCE(id, '')"),
	)
	if err != nil {
		return nil, fmt.Errorf("open incidents: %w", err)
	}
	open, err := store.All[Break](s.d.DB.Read(ctx).Select("kind, subject").Where(unresolvedSQL))
	if err != nil {
		return nil, fmt.Errorf("open breaks: %w", err)
	}
	known := map[string]bool{}
	for _, b := range append(open, drafts...) {
		known[string(b.Kind)+b.Subject] = true
	}
	var made []Break
	for _, incident := range told {
		kind, is := kindOf(incident.Kind)
		if !is || known[string(kind)+incident.SaleID] {
			continue
		}
		draft, err := s.fromIncident(ctx, kind, incident)
		if err != nil {
			return nil, err
		}
		if draft != nil {
			made = append(made, *draft)
		}
	}
	return made, nil
}

// toldBySale begins the digest of a break made from an incident: the first list that shows the same adds its
// evidence and changes nothing else.
const toldBySale = "incident:"

func kindOf(told sales.IncidentKind) (Kind, bool) {
	for kind, incident := range incidentOf {
		if incident == told {
			return kind, true
		}
	}
	return "", false
}

// fromIncident drafts a break, nil if there was no such sale.
func (s *Service) fromIncident(ctx context.Context, kind Kind, incident sales.Incident) (*Break, error) {
	ours, err := loadAttempts(s.d.DB.Read(ctx), []string{incident.SaleID})
	if err != nil || len(ours) == 0 {
		return nil, err
	}
	sold := ours[0].Sale
	b := &Break{
		Kind: kind, Subject: sold.ID, ShopID: sold.ShopID, SaleID: sold.ID,
		Micros: incidentMicros(kind, sold, incident), Currency: sold.Quoted.Send.Currency(),
		Digest: toldBySale + incident.ID, OursAt: &sold.PermitAt, TheirsAt: &incident.At,
	}
	return b, b.setEvidence(Evidence{Ours: sold.side(nil)})
}

// incidentMicros is what the upstream had more than our books at the incident.
func incidentMicros(kind Kind, s *Sold, incident sales.Incident) int64 {
	actual := s.Actual.Send.Micros() + s.Actual.DistributorFee.Micros()
	switch kind {
	case LateSuccess, ExecutedTwice:
		return s.Commission.Micros() - actual
	case LateReversal:
		return actual - s.Commission.Micros()
	case PriceDiffers:
		return s.Quoted.Send.Micros() + s.Quoted.DistributorFee.Micros() - actual
	default:
		return -incident.Micros
	}
}
