package apiclient

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"time"

	"airtill/internal/harness/failpoint"
)

// MaxWebhookBody is the longest body a webhook may have, in bytes.
const MaxWebhookBody = 256 << 10

// webhookTolerance is how much a webhook's clock may differ from ours (INTERFACE.md, Limits).
const webhookTolerance = 5 * time.Minute

// SignedOrder is the order in which the service joins what it signs. Its document names both; auto accepts
// either, as a body begins with "{" and a timestamp with a digit, so no text is valid in both.
type SignedOrder string

// The signed orders.
const (
	OrderAuto          SignedOrder = "auto"
	OrderTimestampBody SignedOrder = "timestamp-body"
	OrderBodyTimestamp SignedOrder = "body-timestamp"
)

// DefaultWebhookHeaderPrefix begins the names of the signature headers.
const DefaultWebhookHeaderPrefix = "X-Service-Webhook-"

// WebhookDeps is what a Webhook needs.
type WebhookDeps struct {
	Keys         *WebhookKeys
	HeaderPrefix string            // "": DefaultWebhookHeaderPrefix
	SignedOrder  SignedOrder       // "": OrderAuto
	PrivateKeys  []*rsa.PrivateKey // the current key and its predecessor; none: encrypted webhooks are refused
}

// Webhook opens the notifications of deferred transfers (INTERFACE.md, Events;
// SALE.md, Webhook 1 to 5). It is safe for concurrent use.
type Webhook struct {
	keys    *WebhookKeys
	prefix  string
	order   SignedOrder
	private []*rsa.PrivateKey
	opening chan struct{} // bounds how many bodies are decrypted at once
}

// NewWebhook returns an opener. It fails without Keys or with an unknown order.
func NewWebhook(d WebhookDeps) (*Webhook, error) {
	if d.Keys == nil {
		return nil, errors.New("webhook: no keys")
	}
	if d.HeaderPrefix == "" {
		d.HeaderPrefix = DefaultWebhookHeaderPrefix
	}
	switch d.SignedOrder {
	case "":
		d.SignedOrder = OrderAuto
	case OrderAuto, OrderTimestampBody, OrderBodyTimestamp:
	default:
		return nil, fmt.Errorf("webhook: unknown signed order %q", d.SignedOrder)
	}
	return &Webhook{
		keys: d.Keys, prefix: d.HeaderPrefix, order: d.SignedOrder, private: d.PrivateKeys,
		opening: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
	}, nil
}

// CheckKeys fetches the keys that sign webhooks. It fails if none is usable.
func (w *Webhook) CheckKeys(ctx context.Context) error {
	usable, err := w.keys.Refresh(ctx)
	if err == nil && usable == 0 {
		err = errNoKeys
	}
	return err
}

// Notification is an opened webhook with a valid signature.
type Notification struct {
	Response      SendTransferResponse
	SignedAt      time.Time // UTC
	CorrelationID string    // as given to SendTransfer; not signed, so it decides nothing
	Encrypted     bool
	Body          []byte // as signed, decrypted; may hold a PIN
	Digest        string // hex SHA-256 of Body, the same for repeated deliveries
}

// DistributorRef returns the transfer's name from the signed body, "" if it has none.
func (n *Notification) DistributorRef() string {
	if n.Response.TransferRecord == nil || n.Response.TransferRecord.TransferId == nil {
		return ""
	}
	return n.Response.TransferRecord.TransferId.DistributorRef
}

// WebhookError is a webhook that was not opened, and the status to answer.
type WebhookError struct {
	Status   int           // 400, 401, 408 or 503
	Reason   WebhookReason // for counting
	Err      error
	Verified bool // with 408: the signature is valid all the same
	// DistributorRef is what a verified late webhook was about: worth a
	// look-up, never an outcome.
	DistributorRef string
}

// Error describes the refusal without quoting the request.
func (e *WebhookError) Error() string {
	return fmt.Sprintf("webhook refused with %d: %s", e.Status, e.Err)
}

// Unwrap returns the reason.
func (e *WebhookError) Unwrap() error { return e.Err }

// WebhookReason says in a word why a webhook was refused. It is a metric's label, so there are few.
type WebhookReason string

// The reasons, of Open and of the receiver.
const (
	WebhookMalformed   WebhookReason = "malformed"
	WebhookSealed      WebhookReason = "undecryptable"
	WebhookUnknownKey  WebhookReason = "unknown_key"
	WebhookForged      WebhookReason = "bad_signature"
	WebhookLate        WebhookReason = "late"
	WebhookNoKeys      WebhookReason = "no_keys"
	WebhookBusy        WebhookReason = "busy"
	WebhookOversize    WebhookReason = "oversize"
	WebhookSlow        WebhookReason = "unread"
	WebhookUnavailable WebhookReason = "unavailable" // genuine, but could not be stored
)

// Ours says that the webhook may have been genuine and this side could not take it.
func (r WebhookReason) Ours() bool {
	return r == WebhookNoKeys || r == WebhookBusy || r == WebhookUnavailable
}

func malformed(reason string) error {
	return &WebhookError{Status: http.StatusBadRequest, Reason: WebhookMalformed, Err: errors.New(reason)}
}

// Precheck checks the headers alone, so that malformed requests are refused before their body is read. It
// fails as Open does.
func (w *Webhook) Precheck(header http.Header) error {
	_, err := w.signature(header)
	return err
}

// Open verifies a webhook and reads its content. body is the request's body as received. It fails with a
// *WebhookError: 400 malformed or undecryptable, 401 not signed by the service, 408 outside the five minutes,
// 503 the keys are unavailable, or too many encrypted ones came at once.
func (w *Webhook) Open(ctx context.Context, header http.Header, body []byte, now time.Time) (*Notification, error) {
	s, err := w.signature(header)
	if err != nil {
		return nil, err
	}
	n, err := w.open(ctx, s, header, body)
	if age := now.Sub(s.at); age > webhookTolerance || age < -webhookTolerance {
		late := &WebhookError{
			Status: http.StatusRequestTimeout, Reason: WebhookLate, Err: errors.New("timestamp outside the tolerance"),
			Verified: err == nil,
		}
		if err == nil {
			late.DistributorRef = n.DistributorRef()
		}
		return nil, late
	}
	return n, err
}

// open does everything but judge the time: for a late webhook it matters whether it is genuine.
func (w *Webhook) open(ctx context.Context, s signature, header http.Header, body []byte) (*Notification, error) {
	if len(body) > MaxWebhookBody {
		return nil, &WebhookError{
			Status: http.StatusBadRequest, Reason: WebhookOversize, Err: errors.New("body too long"),
		}
	}
	key, err := w.keys.key(ctx, s.keyID)
	switch {
	case errors.Is(err, errUnknownKey):
		return nil, &WebhookError{Status: http.StatusUnauthorized, Reason: WebhookUnknownKey, Err: err}
	case errors.Is(err, errNewKey):
		return nil, &WebhookError{Status: http.StatusServiceUnavailable, Reason: WebhookUnknownKey, Err: err}
	case err != nil:
		return nil, &WebhookError{Status: http.StatusServiceUnavailable, Reason: WebhookNoKeys, Err: err}
	}
	n := &Notification{SignedAt: s.at, CorrelationID: header.Get(correlationHeader)}
	if n.Body, n.Encrypted, err = w.decrypt(ctx, header, body); err != nil {
		return nil, err
	}
	if !isObject(n.Body) {
		return nil, malformed("the body is no JSON object")
	}
	if !w.verify(key, s, n.Body) {
		return nil, &WebhookError{
			Status: http.StatusUnauthorized, Reason: WebhookForged, Err: errors.New("the signature does not hold"),
		}
	}
	if tolerate(json.Unmarshal(n.Body, &n.Response)) != nil || !n.Response.Envelope.whole() {
		return nil, malformed("the body is no envelope")
	}
	sum := sha256.Sum256(n.Body)
	n.Digest = hex.EncodeToString(sum[:])
	return n, nil
}

// isObject is the rule that keeps the two signed orders apart: a body begins with "{" or white space and ends
// with "}" or white space.
func isObject(body []byte) bool {
	const space = " \t\r\n"
	return len(body) > 0 && strings.IndexByte("{"+space, body[0]) >= 0 &&
		strings.IndexByte("}"+space, body[len(body)-1]) >= 0
}

func (w *Webhook) verify(key *rsa.PublicKey, s signature, body []byte) bool {
	holds := func(parts ...[]byte) bool {
		hash := sha256.New()
		for _, part := range parts {
			hash.Write(part)
		}
		return rsa.VerifyPKCS1v15(key, crypto.SHA256, hash.Sum(nil), s.value) == nil
	}
	at, dot := []byte(s.timestamp), []byte(".")
	return failpoint.Broken("signature") ||
		(w.order != OrderBodyTimestamp && holds(at, dot, body)) ||
		(w.order != OrderTimestampBody && holds(body, dot, at))
}
