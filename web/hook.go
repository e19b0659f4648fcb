package web

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
)

const hookWithin = 5 * time.Second // for the body to arrive

// hook is POST /webhooks/transfers: the outcome of a deferred transfer. Only
// its signature says who sent it. It is answered 200 once it is committed.
func (s *Server) hook(c *gin.Context) error {
	ctx, now := c.Request.Context(), s.d.Now()
	if err := http.NewResponseController(c.Writer).SetReadDeadline(time.Now().Add(hookWithin)); err != nil { //nolint:forbidigo // the deadline of a socket is real time
		return err
	}
	body, err := io.ReadAll(c.Request.Body)
	if err != nil {
		return s.refuseHook(c, &apiclient.WebhookError{Status: http.StatusBadRequest, Err: err})
	}
	notification, err := s.d.Webhook.Open(ctx, c.Request.Header, body, now)
	if err != nil {
		return s.refuseHook(c, err)
	}
	verdict, err := s.d.Sales.Notify(ctx, notification)
	if err != nil {
		return s.refuseHook(c, &apiclient.WebhookError{Status: http.StatusServiceUnavailable, Err: err})
	}
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
	s.d.Log.WarnContext(ctx, "webhook.refused", "status", refused.Status, "error", err)
	if refused.Verified && refused.DistributorRef != "" {
		if err := s.d.Sales.LookSoon(ctx, refused.DistributorRef); err != nil {
			return err
		}
	}
	c.String(refused.Status, http.StatusText(refused.Status))
	return nil
}
