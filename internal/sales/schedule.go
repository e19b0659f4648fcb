package sales

import (
	"hash/fnv"
	"time"
)

// Look-up times after the permit, for a transfer whose outcome is unknown.
var unknownSchedule = []time.Duration{
	100 * time.Second, 3 * time.Minute, 5 * time.Minute, 8 * time.Minute, 15 * time.Minute,
	30 * time.Minute, 55 * time.Minute, 2 * time.Hour, 6 * time.Hour, 24 * time.Hour,
}

const (
	firstLook     = 2 * time.Second   // after the send has ended
	sendOverAfter = 115 * time.Second // a permit this old has lost its send
	deferredAfter = 60 * time.Second
	ghostFor      = 60 * 24 * time.Hour // given-up transfers are looked for this long
	recordedCheck = 5 * time.Second     // a recorded sale not sent by then is the sweep's
)

// nextCheck says when to look at a sale next; nil means never. The row is the
// truth: a job only sweeps what is due. Times vary by a tenth from sale to
// sale, so that a burst does not come back as a burst.
func nextCheck(s *Sale, now time.Time) *time.Time {
	var at time.Time
	switch s.Fulfilment {
	case Recorded:
		at = now.Add(recordedCheck)
	case Sending:
		at = s.PermitAt.Add(sendOverAfter)
	case Unknown:
		at = unknownCheck(s, now)
	case Submitted, Processing, Cancelling:
		at = acceptedCheck(s, now)
	case Failed, Voided, Cancelled:
		return ghostCheck(s, now)
	case Complete:
		if s.ReversalSeenAt != nil {
			at = s.ReversalSeenAt.Add(reversalSettles)
			break
		}
		return nil
	case None:
		return nil
	}
	at = at.UTC().Truncate(time.Microsecond)
	return &at
}

// unknownCheck: two seconds after the send ended, then the schedule. The looks
// that the absence rule needs are never put off by the scatter.
func unknownCheck(s *Sale, now time.Time) time.Time {
	if s.Looks == 0 {
		return now.Add(firstLook)
	}
	if s.ClaimAt != nil {
		return later(s.ClaimAt.Add(claimSettles), now.Add(claimSettles/2))
	}
	return after(s, now, unknownSchedule, 24*time.Hour)
}

var batchSchedule = []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute}

const (
	batchEvery  = 10 * time.Minute
	batchHourly = 24 * time.Hour // from then on once an hour
)

func acceptedCheck(s *Sale, now time.Time) time.Time {
	if s.PermitAt == nil {
		return now.Add(firstLook)
	}
	if !s.Batch() {
		return later(after(s, now, unknownSchedule, 24*time.Hour), s.PermitAt.Add(deferredAfter))
	}
	if now.Sub(*s.PermitAt) > batchHourly {
		return now.Add(scatter(s, time.Hour))
	}
	return after(s, now, batchSchedule, batchEvery)
}

// ghostCheck keeps looking for a transfer that was given up without the
// upstream's word for it, so that a late success is found.
func ghostCheck(s *Sale, now time.Time) *time.Time {
	doubtful := s.ByAbsence || s.ClaimAt != nil
	if !doubtful || s.PermitAt == nil || now.Sub(*s.PermitAt) > ghostFor {
		return nil
	}
	at := after(s, now, unknownSchedule, 24*time.Hour)
	return &at
}

// after returns the first time of a schedule, counted from the permit, that is
// still to come, and then every so often.
func after(s *Sale, now time.Time, schedule []time.Duration, every time.Duration) time.Time {
	for _, step := range schedule {
		if at := s.PermitAt.Add(scatter(s, step)); at.After(now) {
			return at.UTC().Truncate(time.Microsecond)
		}
	}
	return now.Add(scatter(s, every)).UTC().Truncate(time.Microsecond)
}

// scatter stretches a duration by 0 to 10 %, always the same for one sale: it
// never comes early, so the absence rule's times hold.
func scatter(s *Sale, d time.Duration) time.Duration {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s.Ref)) // a hash never fails
	return d + d/1000*time.Duration(h.Sum32()%100)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
