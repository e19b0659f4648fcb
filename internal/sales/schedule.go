package sales

import (
	"hash/fnv"
	"time"
)

// Look-up times of a replaced attempt: few, since it was given up for good reason, and the last one before the
// list forgets it.
var oldSchedule = []time.Duration{
	time.Hour, 6 * time.Hour, 24 * time.Hour, 3 * 24 * time.Hour, 7 * 24 * time.Hour, 14 * 24 * time.Hour, 30 * 24 *
		time.Hour, 59 * 24 * time.Hour,
}

// oldAttemptCheck says when to look for a replaced attempt next; nil: never.
func oldAttemptCheck(permit, now time.Time) *time.Time {
	for _, step := range oldSchedule {
		if at := permit.Add(step).UTC().Truncate(time.Microsecond); at.After(now) {
			return &at
		}
	}
	return nil
}

// Look-up times after the permit, for an unknown outcome.
var unknownSchedule = []time.Duration{
	100 * time.Second, 3 * time.Minute, 5 * time.Minute, 8 * time.Minute, 15 * time.Minute,
	30 * time.Minute, 55 * time.Minute, 2 * time.Hour, 6 * time.Hour, 24 * time.Hour,
}

const (
	firstLook     = 2 * time.Second   // after the send has ended
	sendOverAfter = 115 * time.Second // a permit this old has lost its send
	deferredAfter = 60 * time.Second
	ghostFor      = 60 * 24 * time.Hour // given-up transfers are looked for this long
	recordedCheck = 5 * time.Second     // then the sweep takes care of a recorded sale
)

// nextCheck says when to look at a sale next; nil: never. The row is the truth: a job only sweeps what is due.
// Times vary by a tenth from sale to sale, so that a burst does not return as a burst.
func nextCheck(s *Sale, now time.Time) *time.Time {
	var at time.Time
	switch s.Fulfilment {
	case Recorded:
		at = now.Add(recordedCheck)
	case Sending:
		at = s.PermitAt.Add(sendOverAfter)
	case Unknown:
		at = unknownCheck(s, now)
	case Submitted, Processing:
		at = acceptedCheck(s, now)
	case Cancelling:
		at = now.Add(scatter(s, min(cancelFirst<<min(s.Looks, 10), batchEvery)))
	case Failed, Voided, Cancelled:
		return ghostCheck(s, now)
	case Complete:
		if s.ReversalSeenAt != nil {
			at = later(s.ReversalSeenAt.Add(reversalSettles), now.Add(reversalSettles/6))
			break
		}
		return nil
	case None:
		return nil
	}
	at = at.UTC().Truncate(time.Microsecond)
	return &at
}

// unknownCheck: two seconds after the send ended, then the schedule. Scatter never delays the looks that the
// absence rule needs.
func unknownCheck(s *Sale, now time.Time) time.Time {
	if s.Looks == 0 {
		return now.Add(firstLook)
	}
	if s.ClaimAt != nil && now.Before(s.ClaimAt.Add(claimSettles)) {
		return s.ClaimAt.Add(claimSettles)
	}
	at := after(s, now, unknownSchedule, 24*time.Hour)
	if s.LastEmptyAt != nil && !now.Before(s.PermitAt.Add(absenceLast)) {
		// Looks were missed, and only their number is lacking.
		if again := s.LastEmptyAt.Add(scatter(s, absenceAgain)); again.After(now) && again.Before(at) {
			return again
		}
	}
	return at
}

// LookSaves says whether an empty look at this time spares a sale of unknown outcome a later one: the next one
// due, or one the absence rule asks for.
func (s *Sale) LookSaves(now time.Time) bool {
	if s.Fulfilment != Unknown || s.Looks == 0 || s.PermitAt == nil || s.NextCheckAt == nil {
		return false
	}
	looked := *s
	if s.AbsenceCounts(now) {
		if s.LastEmptyAt == nil || now.Sub(*s.LastEmptyAt) >= absenceApart {
			return true
		}
		looked.LastEmptyAt = &now
	}
	return unknownCheck(&looked, now).After(*s.NextCheckAt)
}

// absenceAgain is the distance that the absence rule asks for, with room for scatter.
const absenceAgain = absenceApart + absenceApart/8

var batchSchedule = []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute}

const (
	cancelFirst = 10 * time.Second // after the request, then twice as long each time
	batchEvery  = 10 * time.Minute
	batchHourly = 24 * time.Hour // then once an hour
)

func acceptedCheck(s *Sale, now time.Time) time.Time {
	if s.PermitAt == nil && s.Looks == 0 {
		return now.Add(firstLook)
	}
	if !s.Batch() {
		at := after(s, now, unknownSchedule, 24*time.Hour)
		if s.SendMode == Deferred {
			at = later(at, s.sentAt().Add(deferredAfter))
		}
		return at
	}
	if now.Sub(s.sentAt()) >= batchHourly {
		return now.Add(scatter(s, time.Hour))
	}
	return after(s, now, batchSchedule, batchEvery)
}

// sentAt is when the attempt was permitted, or made if the upstream has it though it was never sent from here.
func (s *Sale) sentAt() time.Time {
	if s.PermitAt == nil {
		return s.AttemptAt
	}
	return *s.PermitAt
}

// ghostCheck keeps looking for a transfer given up without the upstream's word, so that a late success is
// found.
func ghostCheck(s *Sale, now time.Time) *time.Time {
	doubtful := s.ByAbsence || s.ClaimAt != nil || s.ReasonCode == ReasonDecided
	if !doubtful || s.PermitAt == nil || now.Sub(*s.PermitAt) > ghostFor {
		return nil
	}
	at := after(s, now, unknownSchedule, 24*time.Hour)
	return &at
}

// after returns the next time of a schedule counted from the permit, and then one every so often. A look up to
// a tenth early counts for its step: one page settles many sales, due at different times.
func after(s *Sale, now time.Time, schedule []time.Duration, every time.Duration) time.Time {
	for _, step := range schedule {
		earliest := step - step/10
		if step == absenceFirst || step == absenceLast {
			earliest = step
		}
		at := s.sentAt().Add(scatter(s, step)).UTC().Truncate(time.Microsecond)
		if at.After(now) && now.Before(s.sentAt().Add(earliest)) {
			return at
		}
	}
	return now.Add(scatter(s, every)).UTC().Truncate(time.Microsecond)
}

// scatter moves a duration by up to 10 % either way, by the same share for all of an attempt's looks, so that
// they keep their distance. The two that the absence rule counts from the permit are never early and at most 2
// % late: a verdict is due within sixteen minutes, and the look takes its time too.
func scatter(s *Sale, d time.Duration) time.Duration {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s.Ref)) // a hash never fails
	share := time.Duration(h.Sum32() % 201)
	if d == absenceFirst || d == absenceLast {
		return d + d/10000*share
	}
	return d + d/1000*(share-100)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
