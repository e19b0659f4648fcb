package apiclient_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

const completeAnswer = `{"TransferRecord":{"TransferId":{"TransferRef":"7","DistributorRef":"R1"},"SkuCode":"S",
	"Price":{"SendValue":10.00,"SendCurrencyIso":"EUR","CustomerFee":0.5,"ReceiveValue":9},"CommissionApplied":0.8,
	"ProcessingState":"Complete","ReceiptParams":{"pin":"1234"},"AccountNumber":"353870000000"},"ResultCode":1,"ErrorCodes":[]}`

func realSend() apiclient.SendTransferRequest {
	return apiclient.SendTransferRequest{SkuCode: "S", SendValue: "10.00", AccountNumber: "353870000000", DistributorRef: "R1"}
}

func permitted(c *clock) apiclient.SendOptions { return apiclient.SendOptions{Permit: c.now()} }

func TestSendTransferOnTheWire(t *testing.T) {
	t.Parallel()
	s, now := newService(t, says(200, completeAnswer)), newClock()
	client := newClient(t, s.URL)

	got, err := client.SendTransfer(t.Context(), realSend(), apiclient.SendOptions{Defer: true, CorrelationID: "C1", Permit: now.now()})
	require.NoError(t, err)
	require.Equal(t, apiclient.StateComplete, got.TransferRecord.ProcessingState)
	require.Equal(t, "1234", got.TransferRecord.ReceiptParams[apiclient.ParamPIN])

	r := s.last(t)
	require.Equal(t, "POST /api/V1/SendTransfer HTTP/1.1", r.Method+" "+r.RequestURI+" "+r.Proto)
	require.JSONEq(t, `{"SkuCode":"S","SendValue":10.00,"AccountNumber":"353870000000","DistributorRef":"R1","ValidateOnly":false}`, r.body)
	require.Equal(t, int64(len(r.body)), r.ContentLength)
	require.Empty(t, r.TransferEncoding)
	require.Equal(t, "DeferTransfer", r.Header.Get("X-Options"))
	require.Equal(t, "C1", r.Header.Get("X-Correlation-Id"))
	require.Equal(t, "key-canary", r.Header.Get("api_key"))
	require.NotContains(t, r.Header, "Idempotency-Key")
	require.NotContains(t, r.Header, "X-Idempotency-Key")
}

// Whatever arrives, the response is there exactly when it is a whole envelope
// of this call, and the error unless that says 1 or 2.
func TestSendTransferReadsAnswers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status     int
		answer     string
		whole      bool
		resultCode int
	}{
		"complete":                  {200, completeAnswer, true, 1},
		"warning":                   {200, strings.Replace(completeAnswer, `"ResultCode":1`, `"ResultCode":2`, 1), true, 2},
		"success with status 500":   {500, completeAnswer, true, 1},
		"failed with record":        {500, `{"TransferRecord":{"ProcessingState":"Failed"},"ResultCode":5,"ErrorCodes":[{"Code":"InsufficientBalance"}]}`, true, 5},
		"refused without record":    {400, `{"ResultCode":4,"ErrorCodes":[{"Code":"ParameterInvalid","Context":"ValidateOnly"}]}`, true, 4},
		"nulls":                     {400, `{"TransferRecord":null,"ResultCode":4,"ErrorCodes":null}`, true, 4},
		"a ResultCode unheard of":   {200, `{"TransferRecord":{"ProcessingState":"Odd"},"ResultCode":9}`, true, 9},
		"absurd amounts and types":  {200, `{"ResultCode":1,"New":{},"TransferRecord":{"ProcessingState":"Complete","Price":{"SendValue":1e999,"CustomerFee":"x","TaxName":7},"CommissionApplied":0.00000001,"ReceiptParams":[]}}`, true, 1},
		"success without a record":  {200, `{"ResultCode":1,"ErrorCodes":[],"Balance":1}`, false, 0},
		"success without a state":   {200, `{"ResultCode":1,"TransferRecord":{"SkuCode":"S"}}`, false, 0},
		"no ResultCode":             {200, `{"TransferRecord":{"ProcessingState":"Complete"}}`, false, 0},
		"ResultCode as text":        {200, `{"ResultCode":"1","TransferRecord":{"ProcessingState":"Complete"}}`, false, 0},
		"ResultCode with fraction":  {200, `{"ResultCode":1.5,"TransferRecord":{"ProcessingState":"Complete"}}`, false, 0},
		"HTML":                      {502, `<html>502</html>`, false, 0},
		"an array":                  {200, `[` + completeAnswer + `]`, false, 0},
		"cut":                       {200, completeAnswer[:len(completeAnswer)-1], false, 0},
		"two envelopes":             {200, completeAnswer + completeAnswer, false, 0},
		"rubbish behind":            {200, completeAnswer + "x", false, 0},
		"empty":                     {200, "", false, 0},
		"null":                      {200, "null", false, 0},
		"a redirect":                {307, "", false, 0},
		"a byte over the limit":     {200, completeAnswer + strings.Repeat(" ", apiclient.SendLimit-len(completeAnswer)+1), false, 0},
		"as long as the limit lets": {200, completeAnswer + strings.Repeat(" ", apiclient.SendLimit-len(completeAnswer)), true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, now := newService(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Location", "/elsewhere")
				says(test.status, test.answer)(w, r)
			}), newClock()
			got, err := newClient(t, s.URL).SendTransfer(t.Context(), realSend(), permitted(now))

			require.Equal(t, test.whole, got != nil)
			require.Len(t, s.got(), 1, "one Do is one POST")
			require.NotErrorIs(t, err, apiclient.ErrNotSent)
			if test.resultCode == 1 || test.resultCode == 2 {
				require.NoError(t, err)
				require.Equal(t, test.resultCode, got.ResultCode)
				return
			}
			var failure *apiclient.Error
			require.ErrorAs(t, err, &failure)
			require.Equal(t, []int{test.status, test.resultCode}, []int{failure.Status, failure.ResultCode})
			if !test.whole {
				require.True(t, errors.Is(err, apiclient.ErrUnreadable) || errors.Is(err, apiclient.ErrTooLarge), err)
			}
		})
	}
}

func TestSendTransferNeedsAFreshPermit(t *testing.T) {
	t.Parallel()
	s, now := newService(t, says(200, completeAnswer)), newClock()
	client := newClient(t, s.URL, func(d *apiclient.Deps) { d.Now = now.now })

	_, err := client.SendTransfer(t.Context(), realSend(), apiclient.SendOptions{})
	require.ErrorIs(t, err, apiclient.ErrNotSent)

	options := permitted(now)
	now.advance(3*time.Second + 1)
	_, err = client.SendTransfer(t.Context(), realSend(), options)
	require.ErrorIs(t, err, apiclient.ErrNotSent)
	require.ErrorIs(t, err, apiclient.ErrPermitExpired)
	require.Empty(t, s.got(), "no body may have been read whole")

	options = permitted(now)
	now.advance(3 * time.Second)
	_, err = client.SendTransfer(t.Context(), realSend(), options)
	require.NoError(t, err)
}

func TestValidateOnlyNeedsNoPermit(t *testing.T) {
	t.Parallel()
	s := newService(t, says(200, completeAnswer))
	r := realSend()
	r.ValidateOnly = true
	_, err := newClient(t, s.URL).SendTransfer(t.Context(), r, apiclient.SendOptions{})
	require.NoError(t, err)
	require.Contains(t, s.last(t).body, `"ValidateOnly":true`)
}

func TestNotSentIsProven(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	refused := free.Addr().String()
	require.NoError(t, free.Close())
	plain := newService(t, says(200, completeAnswer))

	for name, base := range map[string]string{
		"connection refused": "http://" + refused,
		"unknown host":       "http://no-such-host.invalid",
		"no TLS there":       strings.Replace(plain.URL, "http:", "https:", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newClient(t, base).SendTransfer(t.Context(), realSend(), permitted(newClock()))
			require.ErrorIs(t, err, apiclient.ErrNotSent)
			var failure *apiclient.Error
			require.ErrorAs(t, err, &failure)
			require.Zero(t, failure.Status)
		})
	}
}

func TestCancelledBeforeTheBodyIsNotSent(t *testing.T) {
	t.Parallel()
	s := newService(t, says(200, completeAnswer))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newClient(t, s.URL).SendTransfer(ctx, realSend(), permitted(newClock()))
	require.ErrorIs(t, err, apiclient.ErrNotSent)
	require.ErrorIs(t, err, context.Canceled)
}

func TestNoAnswerIsNotProof(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := newService(t, func(http.ResponseWriter, *http.Request) { <-release })
	t.Cleanup(func() { close(release) })
	client := newClient(t, s.URL)
	require.Equal(t, 100*time.Second, client.SetSendDeadline(100*time.Millisecond))

	started := time.Now()
	got, err := client.SendTransfer(t.Context(), realSend(), permitted(newClock()))
	require.Nil(t, got)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, apiclient.ErrNotSent)
	require.Less(t, time.Since(started), 20*time.Second, "the send's own deadline, not the default")
}

func TestUnauthorizedIsRecognisable(t *testing.T) {
	t.Parallel()
	s := newService(t, says(401, `{"ResultCode":4,"ErrorCodes":[{"Code":"AuthenticationFailed","Context":"TokenExpired"}]}`))
	_, err := newClient(t, s.URL).SendTransfer(t.Context(), realSend(), permitted(newClock()))
	var failure *apiclient.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, 401, failure.Status)
	require.True(t, failure.HasContext(apiclient.CodeAuthenticationFailed, apiclient.ContextTokenExpired))
}

// crookedServer speaks raw TCP. It answers the first request of a connection
// if that is a GET, and treats the next as its script says.
type crookedServer struct {
	net.Listener
	next  func(conn *net.TCPConn, in *bufio.Reader)
	mu    sync.Mutex
	posts int
	conns sync.WaitGroup
}

func newCrookedServer(t *testing.T) *crookedServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &crookedServer{Listener: l}
	t.Cleanup(func() {
		require.NoError(t, l.Close())
		s.conns.Wait()
	})
	return s
}

func (s *crookedServer) serve() {
	for {
		conn, err := s.Accept()
		if err != nil {
			return
		}
		s.conns.Go(func() { s.handle(conn.(*net.TCPConn)) })
	}
}

func (s *crookedServer) handle(conn *net.TCPConn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	r, err := http.ReadRequest(in)
	if err != nil {
		return
	}
	if r.Method == http.MethodPost {
		s.count(r)
		return // closed without an answer
	}
	const balance = `{"ResultCode":1,"Balance":1}`
	fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(balance), balance)
	s.next(conn, in)
}

func (s *crookedServer) count(r *http.Request) {
	if body, err := io.ReadAll(r.Body); err == nil && len(body) > 0 {
		s.mu.Lock()
		s.posts++
		s.mu.Unlock()
	}
}

func (s *crookedServer) counted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.posts
}

// Go's transport repeats requests on connections it finds dead. One
// SendTransfer must be at most one POST with a body, however the kept-alive
// connection dies.
func TestDeadConnectionNeverReplays(t *testing.T) {
	t.Parallel()
	readPost := func(s *crookedServer, in *bufio.Reader) {
		if r, err := http.ReadRequest(in); err == nil {
			s.count(r)
		}
	}
	for name, next := range map[string]func(*crookedServer, *net.TCPConn, *bufio.Reader){
		"closed at once": func(_ *crookedServer, conn *net.TCPConn, _ *bufio.Reader) { _ = conn.Close() },
		"closed after the headers": func(_ *crookedServer, _ *net.TCPConn, in *bufio.Reader) {
			_, _ = in.ReadString('\n')
		},
		"closed after the request": func(s *crookedServer, _ *net.TCPConn, in *bufio.Reader) { readPost(s, in) },
		"reset after the request": func(s *crookedServer, conn *net.TCPConn, in *bufio.Reader) {
			readPost(s, in)
			_ = conn.SetLinger(0)
		},
		"reset at once": func(_ *crookedServer, conn *net.TCPConn, _ *bufio.Reader) { _ = conn.SetLinger(0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 20 { // the races of a dying connection go either way
				s := newCrookedServer(t)
				s.next = func(conn *net.TCPConn, in *bufio.Reader) { next(s, conn, in) }
				go s.serve()
				client := newClient(t, "http://"+s.Addr().String())
				_, err := client.GetBalance(t.Context())
				require.NoError(t, err)

				_, err = client.SendTransfer(t.Context(), realSend(), permitted(newClock()))
				require.Error(t, err)
				require.LessOrEqual(t, s.counted(), 1)
				if errors.Is(err, apiclient.ErrNotSent) {
					require.Zero(t, s.counted())
				}
			}
		})
	}
}

// The control: a plain client with a replayable body does send twice, so the
// test above can fail.
func TestControlPlainClientReplays(t *testing.T) {
	t.Parallel()
	s := newCrookedServer(t)
	s.next = func(_ *net.TCPConn, in *bufio.Reader) {
		if r, err := http.ReadRequest(in); err == nil {
			s.count(r)
		}
	}
	go s.serve()
	url := "http://" + s.Addr().String()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	resp, err := client.Get(url)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())

	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("{}"))
	require.NoError(t, err)
	r.Header.Set("Idempotency-Key", "k")
	resp, err = client.Do(r)
	if err == nil {
		require.NoError(t, resp.Body.Close())
	}
	require.Equal(t, 2, s.counted())
}
