package web

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

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/harness/failpoint"
	"airtill/internal/sales"
)

const hookPath = "/webhooks/transfers"

const hookWithin = 5 * time.Second // for the body to arrive

// hook is POST /webhooks/transfers: the outcome of a deferred transfer. Only
// its signature says who sent it. It is answered 200 once it is committed.
func (s *Server) hook(c *gin.Context) error {
	ctx, now := c.Request.Context(), s.d.Now()
	if err := http.NewResponseController(c.Writer).SetReadDeadline(time.Now().Add(hookWithin)); err != nil { //nolint:forbidigo // the deadline of a socket is real time
		return err
	}
	if err := s.d.Webhook.Precheck(c.Request.Header); err != nil {
		return s.refuseHook(c, err)
	}
	body, err := io.ReadAll(c.Request.Body)
	if err != nil {
		return s.refuseHook(c, &apiclient.WebhookError{Status: http.StatusBadRequest, Reason: unreadReason(err), Err: errors.New("the body did not arrive")})
	}
	notification, err := s.d.Webhook.Open(ctx, c.Request.Header, body, now)
	if err != nil {
		return s.refuseHook(c, err)
	}
	verdict, err := s.d.Sales.Notify(ctx, notification)
	if err != nil {
		return s.refuseHook(c, &apiclient.WebhookError{Status: http.StatusServiceUnavailable, Reason: apiclient.WebhookUnavailable, Err: err})
	}
	failpoint.Hit("K10")
	s.metrics.webhooks.WithLabelValues("200").Inc()
	s.d.Log.InfoContext(ctx, "webhook.taken", "verdict", verdict, "encrypted", notification.Encrypted)
	c.String(http.StatusOK, string(verdict))
	return nil
}

// refuseHook answers a webhook that was not taken. A late one that is genuine
// is a hint to look, never an outcome.
func (s *Server) refuseHook(c *gin.Context, err error) error {
	ctx := c.Request.Context()
	var refused *apiclient.WebhookError
	if !errors.As(err, &refused) {
		return fault.Wrap(err, fault.Unavailable, "")
	}
	s.metrics.webhooks.WithLabelValues(strconv.Itoa(refused.Status)).Inc()
	s.metrics.refused.WithLabelValues(string(refused.Reason)).Inc()
	s.refusals.count(refused.Reason, s.d.Now(), func() { s.noteRefusals(context.WithoutCancel(ctx)) })
	if unsaid, due := s.refusals.say(refused.Reason, s.d.Now()); due {
		s.d.Log.WarnContext(ctx, "webhook.refused", "status", refused.Status, "reason", refused.Reason, "unsaid", unsaid, "error", err)
	}
	if refused.Verified && refused.DistributorRef != "" {
		if err := s.d.Sales.LookSoon(ctx, refused.DistributorRef); err != nil {
			return err
		}
	}
	c.String(refused.Status, http.StatusText(refused.Status))
	return nil
}

// unreadReason tells a body that is too long from one that comes too slowly.
func unreadReason(err error) apiclient.WebhookReason {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return apiclient.WebhookOversize
	}
	return apiclient.WebhookSlow
}

// sayEvery is how often a refusal of one kind is worth a line in the log: anyone
// can post there, as often as they like. All of them are counted.
const sayEvery = time.Second

// gatherFor is how long refusals are gathered before they are written down, so that
// who forges many causes few writes.
const gatherFor = time.Minute

// refusals remembers what of the refused webhooks has been logged, and what has not
// been written down.
type refusals struct {
	mu       sync.Mutex
	kind     map[apiclient.WebhookReason]*said
	every    time.Duration // between writes
	gathered map[apiclient.WebhookReason]sales.Refused
	due      bool // a write is
}

// count counts a refusal; the first one since the last write has the next one done.
func (r *refusals) count(reason apiclient.WebhookReason, at time.Time, write func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.due {
		r.due = true
		time.AfterFunc(r.every, write)
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

// giveBack is for what could not be written: it goes with what is refused next.
func (r *refusals) giveBack(all []sales.Refused) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, some := range all {
		r.add(some)
	}
}

// noteRefusals writes down what was gathered. A process that is killed forgets it;
// those are counts, and no outcome hangs on them.
func (s *Server) noteRefusals(ctx context.Context) {
	all := s.refusals.take()
	if len(all) == 0 {
		return
	}
	if err := s.d.Sales.NoteRefused(ctx, all); err != nil {
		s.refusals.giveBack(all)
		s.d.Log.WarnContext(ctx, "webhook.refusals_not_noted", "error", err)
	}
}

type said struct {
	at     time.Time
	unsaid int
}

// say returns whether a refusal is logged, and how many like it were not since
// the last line.
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
