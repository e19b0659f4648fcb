package invariant

import (
	"context"
	"fmt"
	"time"

	"airtill/internal/jobs"
	"airtill/internal/store"
)

const (
	// nightly is when the shops sleep, by the clock of the first.
	nightly = 3*time.Hour + 30*time.Minute
	// lookEvery is how often a due run is looked for.
	lookEvery = 10 * time.Minute
	// verifyWithin bounds a run, which must end before the day begins.
	verifyWithin = 3 * time.Hour
)

// Nightly asks for the nightly run.
const Nightly = "nightly"

// Jobs verify when that is due. It takes long: every posting and event is read.
func (s *Service) Jobs() []jobs.Job {
	return []jobs.Job{jobs.Periodic{Kind: "verify.nightly", Every: lookEvery, Timeout: verifyWithin, Do: s.VerifyIfDue}}
}

// VerifyIfDue verifies and seals if no nightly run has begun since last night. One that somebody asked for seals
// nothing, so it does not count. A night that was cut before its seal, or could not write it, is sealed by the next
// look. Before there is a shop, nothing is due.
func (s *Service) VerifyIfDue(ctx context.Context) error {
	shops, err := s.d.Staff.Shops(ctx)
	if err != nil {
		return fmt.Errorf("is a verification due: %w", err)
	}
	last, err := store.First[Run](s.d.DB.Read(ctx).Where("asked_by = ?", Nightly).Order("id DESC"))
	if err != nil || len(shops) == 0 {
		return err
	}
	night := lastNight(s.d.Now(), shops[0].Location())
	if last == nil || last.StartedAt.Before(night) {
		if _, err = s.Verify(ctx, Nightly); err != nil {
			return err
		}
	}
	return s.sealIfDue(ctx, night)
}

// lastNight is the latest time of the nightly run in a zone.
func lastNight(now time.Time, zone *time.Location) time.Time {
	local := now.In(zone)
	at := func(day int) time.Time {
		return time.Date(local.Year(), local.Month(), day, 0, 0, 0, 0, zone).Add(nightly)
	}
	if tonight := at(local.Day()); !tonight.After(now) {
		return tonight
	}
	return at(local.Day() - 1)
}
