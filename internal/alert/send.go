package alert

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"airtill/internal/dial"
	"airtill/internal/fault"
	"airtill/internal/mail"
	"airtill/internal/store"
)

// The headers of a webhook. The signature is that of Signature.
const (
	TimestampHeader = "X-Airtill-Timestamp"
	SignatureHeader = "X-Airtill-Signature"
)

const webhookWithin = 10 * time.Second

// rolledOut is how long after a message was made all processes have the same settings.
const rolledOut = time.Hour

// waitTries is for how many tries, about six minutes, an address that is refused for now is waited for: servers put off
// whom they do not know yet. Then the others get the message without it.
const waitTries = 5

// newClient follows no redirects: the body goes where it was addressed, or nowhere.
func newClient(resolve dial.Resolve) *http.Client {
	dialer := dial.Dialer{Resolve: resolve, Named: dial.Anything}
	return &http.Client{
		Timeout: webhookWithin,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, TLSHandshakeTimeout: webhookWithin,
			MaxResponseHeaderBytes: 16 << 10, IdleConnTimeout: time.Minute,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Signature signs a body sent at a time (Unix seconds): "v1=" and the hexadecimal HMAC-SHA256 of timestamp,
// full stop and body. A receiver computes the same and refuses old timestamps.
func Signature(secret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	return "v1=" + hex.EncodeToString(mac.Sum(nil))
}

// Send sends one message, unless it was sent already, and stores the result. A mail that some addresses were refused
// of is sent: again, it would only reach the others twice. One whose way is no longer in the settings is given up, with
// the reason: to try for days would change nothing, and end in an alert about a job. Until rolledOut, another process
// may have it there.
func (s *Service) Send(ctx context.Context, id string) error {
	found, err := store.First[Message](s.d.DB.Read(ctx).Where("id = ? AND sent_at IS NULL", id))
	if err != nil {
		return fmt.Errorf("find message: %w", err)
	}
	if found == nil {
		return nil
	}
	if late, err := s.overtaken(ctx, *found); err != nil || late {
		return err
	}
	sendErr := s.by(ctx, *found)
	noteErr := s.noteResult(ctx, found.ID, sendErr)
	if errors.Is(sendErr, mail.ErrPartly) {
		s.d.Log.WarnContext(ctx, "alert.partly_sent", "message", found.ID, "error", sendErr)
		sendErr = nil
	}
	if errors.Is(sendErr, errNobody) && s.d.Now().Sub(found.MadeAt) > rolledOut {
		s.d.Log.WarnContext(ctx, "alert.not_sent", "message", found.ID, "error", sendErr)
		sendErr = nil
	}
	return errors.Join(sendErr, noteErr)
}

// overtaken says whether a later message about the same alert was sent the same way; then nobody waits for this one any
// more. Sent after it, it would say that what is over had begun anew.
func (s *Service) overtaken(ctx context.Context, m Message) (bool, error) {
	var later int64
	err := s.d.DB.Read(ctx).Model(&Message{}).Where(
		"alert_id = ? AND way = ? AND made_at > ? AND sent_at IS NOT NULL", m.AlertID, m.Way, m.MadeAt,
	).Count(&later).Error
	if err != nil {
		return false, fmt.Errorf("find later messages: %w", err)
	}
	if later == 0 {
		return false, nil
	}
	s.d.Log.WarnContext(ctx, "alert.overtaken", "message", m.ID)
	return true, s.d.DB.Exec(context.WithoutCancel(ctx), "UPDATE alert_messages SET problem = '' WHERE id = ?", m.ID)
}

func (s *Service) noteResult(ctx context.Context, id string, problem error) error {
	return s.d.DB.Tx(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		if problem == nil || errors.Is(problem, mail.ErrPartly) {
			return tx.Exec(
				"UPDATE alert_messages SET tries = tries + 1, sent_at = ?, problem = ? WHERE id = ?",
				store.Moment(s.d.Now()), fault.Note(problem), id,
			).Error
		}
		return tx.Exec(
			"UPDATE alert_messages SET tries = tries + 1, problem = ? WHERE id = ?",
			cmp.Or(fault.Note(problem), errUndelivered.Code), id, // a webhook's address may hold tokens
		).Error
	})
}

var (
	errUndelivered = fault.New(fault.Unavailable, "alert.undelivered")
	errNobody      = fault.New(fault.Unavailable, "alert.nobody")
)

func (s *Service) by(ctx context.Context, m Message) error {
	if !slices.Contains(s.ways(), m.Way) {
		return errNobody
	}
	if m.Way == ByMail {
		return s.byMail(ctx, m)
	}
	return s.byWebhook(ctx, m)
}

func (s *Service) byMail(ctx context.Context, m Message) error {
	t, err := m.read()
	if err != nil {
		return err
	}
	prefix := map[Change]string{Raised: string(t.Tier), Worse: "worse", Cleared: "over"}[t.Change]
	return s.d.Mail.Send(ctx, mail.Message{
		To: s.d.MailTo, Wait: m.Tries < waitTries,
		Subject: "airtill " + prefix + ": " + strings.TrimPrefix(t.Text, over),
		Text:    strings.Join([]string{t.Text, t.At.UTC().Format(FactTime), t.Page}, "\n\n"),
	})
}

func (s *Service) byWebhook(ctx context.Context, m Message) error {
	timestamp := strconv.FormatInt(s.d.Now().Unix(), 10)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.d.WebhookURL, strings.NewReader(m.Body))
	if err != nil {
		return errors.New("the webhook's address cannot be used") // the cause would print it
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(TimestampHeader, timestamp)
	request.Header.Set(SignatureHeader, Signature(s.d.Secret, timestamp, []byte(m.Body)))
	response, err := s.client.Do(request)
	if err != nil {
		return fault.New(fault.Unavailable, "alert.no-answer")
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10)); err != nil {
		return fault.New(fault.Unavailable, "alert.no-answer")
	}
	if response.StatusCode < http.StatusOK || response.StatusCode >= http.StatusMultipleChoices {
		return fault.New(fault.Unavailable, "alert.refused")
	}
	return nil
}
