package sandbox

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"airtill/internal/sandbox/catalogue"
)

// before does what faults do before a call is carried out, and says whether
// that was the end of it.
func (s *Service) before(w http.ResponseWriter, c *call) bool {
	for _, a := range c.actions {
		if a.after() {
			continue
		}
		switch a.Kind {
		case "error":
			refused := c.refuse(*a.failure())
			if a.Code == authenticationFailed { // has no answer of the endpoint's own
				refused = refuse(*a.failure())
			}
			if a.Status != 0 {
				refused.status = a.Status
			}
			s.write(w, refused)
			return true
		case "provider_down":
			s.write(w, c.refuse(apiError{Code: transientProvider, Context: providerUnavailable}))
			return true
		case "token_revoke":
			s.write(w, refuse(apiError{Code: authenticationFailed, Context: tokenExpired}))
			return true
		}
		if s.disturb(w, c.request.Context(), a) {
			return true
		}
	}
	return false
}

// after does what faults do to the reply, and writes what is left of it.
func (s *Service) after(w http.ResponseWriter, c *call, r reply) {
	for _, a := range c.actions {
		switch a.Kind {
		case "cut":
			s.cut(w, r, a.Bytes)
			return
		case "wrong_record":
			r.body, r.parts = foreign(r.body), nil
		case "novelty":
			r = novel(r)
			w.Header().Set("Set-Cookie", "=;;malformed cookie\t;")
		case "big_body":
			s.flood(w, a.Bytes)
			return
		case "late_success":
			if a.Reply == "none" {
				panic(http.ErrAbortHandler)
			}
		}
		if a.after() && s.disturb(w, c.request.Context(), a) {
			return
		}
	}
	s.write(w, r)
}

// disturb delays or spoils a connection, and says whether nothing more can be
// written to it.
func (s *Service) disturb(w http.ResponseWriter, ctx context.Context, a Action) bool {
	switch a.Kind {
	case "delay":
		// A client that gives up does not stop what it asked for.
		if !s.pause(s.life, time.Duration(a.For)) {
			panic(http.ErrAbortHandler)
		}
	case "hang":
		select {
		case <-ctx.Done():
		case <-s.life.Done():
		}
		panic(http.ErrAbortHandler)
	case "drop":
		panic(http.ErrAbortHandler) // net/http closes the connection and says nothing
	case "reset":
		reset(w)
	case "html":
		status := a.Status
		if status == 0 {
			status = http.StatusBadGateway
		}
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		_, _ = w.Write([]byte("<html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>"))
		return true
	}
	return false
}

// reset closes the connection with RST instead of FIN.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // without it the connection ends all the same, more politely
	}
	_ = conn.Close()
	panic(http.ErrAbortHandler)
}

// cut announces the whole body and sends its beginning.
func (s *Service) cut(w http.ResponseWriter, r reply, keep int) {
	parts, err := r.encode()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	var whole []byte
	for _, part := range parts {
		whole = append(whole, part...)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(whole)))
	w.WriteHeader(r.status)
	_, _ = w.Write(whole[:min(keep, len(whole))])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// flood answers with valid JSON of so many bytes.
func (s *Service) flood(w http.ResponseWriter, size int) {
	if size <= 0 {
		size = 50 << 20
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	const head, tail = `{"ResultCode":1,"ErrorCodes":[],"Padding":"`, `"}`
	block := []byte(strings.Repeat("0", 1<<16))
	_, err := w.Write([]byte(head))
	for sent := len(head) + len(tail); sent < size && err == nil; sent += len(block) {
		_, err = w.Write(block[:min(len(block), size-sent)])
	}
	_, _ = w.Write([]byte(tail)) // the client may have had enough
}

// foreign replaces the record of a SendTransfer, or the first one of a list, by
// one the agent never asked for.
func foreign(body any) any {
	if list, ok := body.(recordsResponse); ok && len(list.Items) > 0 {
		list.Items[0], _ = foreign(list.Items[0]).(transferResponse)
		return list
	}
	response, ok := body.(transferResponse)
	if !ok || response.TransferRecord == nil {
		return body
	}
	record := *response.TransferRecord
	record.TransferID = &transferID{TransferRef: "1", DistributorRef: "SOMEBODY-ELSES-REF"}
	record.SkuCode, record.AccountNumber = "XX_XX_TopUp", "99900000000"
	response.TransferRecord = &record
	return response
}

// novel puts a new field before the others: responses may gain fields, and
// their order may change.
func novel(r reply) reply {
	parts, err := r.encode()
	if err != nil || len(parts[0]) == 0 || parts[0][0] != '{' {
		return r
	}
	first := append([]byte(`{"NewField":{"Nested":[1,null,"x"]},`), parts[0][1:]...)
	r.parts = append([][]byte{first}, parts[1:]...)
	return r
}

// requote makes fee and commission differ from what was quoted.
func (s *Service) requote(c *call, t *transfer) {
	for _, a := range c.actions {
		if a.Kind != "requote" {
			continue
		}
		t.Price.DistributorFee += a.amount()
		t.Quoted += a.amount()
		if commission, err := catalogue.ParseDecimal(a.Commission); err == nil {
			t.Commission = commission
		}
	}
}

// shorten keeps back a part of the refund of a failed batch transfer.
func shorten(t *transfer, actions []Action) {
	for _, a := range actions {
		if a.Kind == "short_refund" && t.State == failed {
			t.Refunded = max(0, t.Refunded-a.amount())
		}
	}
}

// lateOutcome makes a success known late, or never, or plans its reversal.
func (s *Service) lateOutcome(t *transfer, actions []Action) {
	if t.State != complete {
		return
	}
	for _, a := range actions {
		due := s.clock.now().Add(time.Duration(a.For))
		switch a.Kind {
		case "late_success":
			t.HiddenUntil, t.HiddenAs = due, a.Listed
		case "lost_record":
			t.Unlisted = true
		case "late_reversal":
			t.ReverseAt = due
		}
	}
}

// planReversal plans the reversal of a complete transfer, if it has one.
func (s *Service) planReversal(t *transfer) {
	if t.State != complete || t.ReverseAt.IsZero() {
		return
	}
	ref := t.Ref
	s.at(t.ReverseAt, func() { s.reverse(ref) })
}

// reverse fails a complete transfer and gives everything back.
func (s *Service) reverse(ref int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.book.byRef[ref]
	if t == nil || t.State != complete {
		return
	}
	next := *t
	next.State, next.Error = failed, apiError{Code: providerError, Context: providerRefused}
	next.Refunded, next.Commission, next.ReverseAt = next.Deducted, 0, time.Time{}
	if _, err := s.record(next); err != nil {
		s.log.Error("sandbox.journal", "error", err)
	}
}
