// Package machine serves what comes without a person: webhooks, what a browser installs, logos.
package machine

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/sync/semaphore"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/harness/failpoint"
	"airtill/internal/sales"
	"airtill/web/frame"
)

// Screens are the answers of this room.
type Screens struct {
	*frame.Server
	// how long refused webhooks are gathered before they are written, so that forging many causes few writes
	GatherFor time.Duration
	refusals  refusals
}

// New returns them.
func New(s *frame.Server) *Screens {
	return &Screens{Server: s, GatherFor: time.Minute, refusals: refusals{writing: semaphore.NewWeighted(1)}}
}

// HookWithin is how long the body of a webhook may take to arrive.
const HookWithin = 5 * time.Second

// Hook is POST /webhooks/transfers: the outcome of a deferred transfer. Only its signature tells who sent it.
// It is answered 200 once committed.
func (s *Screens) Hook(c *gin.Context) error {
	ctx, now := c.Request.Context(), s.D.Now()
	until := time.Now().Add(HookWithin) //nolint:forbidigo // the deadline of a socket is real time
	if err := http.NewResponseController(c.Writer).SetReadDeadline(until); err != nil {
		return err
	}
	if err := s.D.Webhook.Precheck(c.Request.Header); err != nil {
		return s.refuseHook(c, err)
	}
	body, err := io.ReadAll(c.Request.Body)
	if err != nil {
		return s.refuseHook(c, &apiclient.WebhookError{
			Status: http.StatusBadRequest, Reason: unreadReason(err), Err: errors.New("the body did not arrive"),
		})
	}
	notification, err := s.D.Webhook.Open(ctx, c.Request.Header, body, now)
	if err != nil {
		return s.refuseHook(c, err)
	}
	verdict, err := s.D.Sales.Notify(ctx, notification)
	if err != nil {
		return s.refuseHook(c, &apiclient.WebhookError{
			Status: http.StatusServiceUnavailable, Reason: apiclient.WebhookUnavailable, Err: err,
		})
	}
	failpoint.Hit("K10")
	s.Metrics.Webhooks.WithLabelValues("200").Inc()
	s.D.Log.InfoContext(ctx, "webhook.taken", "verdict", verdict, "encrypted", notification.Encrypted)
	c.String(http.StatusOK, string(verdict))
	return nil
}

// refuseHook answers a refused webhook. A genuine late one is a hint to look, never an outcome.
func (s *Screens) refuseHook(c *gin.Context, err error) error {
	ctx := c.Request.Context()
	var refused *apiclient.WebhookError
	if !errors.As(err, &refused) {
		return fault.Wrap(err, fault.Unavailable, "")
	}
	s.Metrics.Webhooks.WithLabelValues(strconv.Itoa(refused.Status)).Inc()
	s.Metrics.Refused.WithLabelValues(string(refused.Reason)).Inc()
	s.refusals.count(refused.Reason, s.D.Now(), s.GatherFor, func() { s.NoteRefusals(context.WithoutCancel(ctx)) })
	if unsaid, due := s.refusals.say(refused.Reason, s.D.Now()); due {
		s.D.Log.WarnContext(
			ctx, "webhook.refused", "status", refused.Status, "reason", refused.Reason, "unsaid", unsaid, "error", err,
		)
	}
	if refused.Verified && refused.DistributorRef != "" {
		if err := s.D.Sales.LookSoon(ctx, refused.DistributorRef); err != nil {
			return err
		}
	}
	c.String(refused.Status, http.StatusText(refused.Status))
	return nil
}

// unreadReason tells a body that is too long from one that comes too slowly.
func unreadReason(err error) apiclient.WebhookReason {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return apiclient.WebhookOversize
	}
	return apiclient.WebhookSlow
}

// sayEvery is how often refusals of one kind are logged, since anyone can post there as often as they like.
// All are counted.
const sayEvery = time.Second

// refusals remembers which refused webhooks were logged, and which are not stored yet.
type refusals struct {
	mu       sync.Mutex
	kind     map[apiclient.WebhookReason]*said
	gathered map[apiclient.WebhookReason]sales.Refused
	due      bool                // a write is
	writing  *semaphore.Weighted // is held by the one write at a time
}

// count counts a refusal; the first since the last write schedules the next.
func (r *refusals) count(reason apiclient.WebhookReason, at time.Time, within time.Duration, write func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.due {
		r.due = true
		time.AfterFunc(within, write)
	}
	r.add(sales.Refused{Reason: string(reason), Count: 1, LastAt: at})
}

// add is called with the lock held.
func (r *refusals) add(some sales.Refused) {
	if r.gathered == nil {
		r.gathered = map[apiclient.WebhookReason]sales.Refused{}
	}
	known := r.gathered[apiclient.WebhookReason(some.Reason)]
	some.Count += known.Count
	if known.LastAt.After(some.LastAt) {
		some.LastAt = known.LastAt
	}
	r.gathered[apiclient.WebhookReason(some.Reason)] = some
}

func (r *refusals) take() []sales.Refused {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := slices.Collect(maps.Values(r.gathered))
	r.gathered, r.due = nil, false
	return all
}

// giveBack returns what could not be written, to go with later refusals.
func (r *refusals) giveBack(all []sales.Refused) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, some := range all {
		r.add(some)
	}
}

// NoteRefusals writes what was gathered, after waiting for a write that is under way, and no longer than ctx lasts.
// What cannot be written is gathered again. A killed process forgets it: these are counts, and no outcome depends on
// them.
func (s *Screens) NoteRefusals(ctx context.Context) {
	if err := s.refusals.writing.Acquire(ctx, 1); err != nil {
		s.D.Log.WarnContext(ctx, "webhook.refusals_not_noted", "error", err)
		return
	}
	defer s.refusals.writing.Release(1)
	all := s.refusals.take()
	if len(all) == 0 {
		return
	}
	if err := s.D.Sales.NoteRefused(ctx, all); err != nil {
		s.refusals.giveBack(all)
		s.D.Log.WarnContext(ctx, "webhook.refusals_not_noted", "error", err)
	}
}

type said struct {
	at     time.Time
	unsaid int
}

// say returns whether to log a refusal, and how many like it were not logged since the last line.
func (r *refusals) say(reason apiclient.WebhookReason, now time.Time) (unsaid int, due bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kind == nil {
		r.kind = map[apiclient.WebhookReason]*said{}
	}
	last := r.kind[reason]
	if last != nil && now.Sub(last.at) < sayEvery {
		last.unsaid++
		return 0, false
	}
	if last != nil {
		unsaid = last.unsaid
	}
	r.kind[reason] = &said{at: now}
	return unsaid, true
}
