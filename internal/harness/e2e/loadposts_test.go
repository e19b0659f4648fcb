//go:build e2e && security

package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// post sends forged webhooks of every kind over a few connections.
func (f *floods) post(t *testing.T) {
	t.Helper()
	var kinds [][]byte
	for _, kind := range forgeries(f.plan.Kid) {
		address := "http://" + f.plan.Address + "/webhooks/transfers"
		request, err := http.NewRequest(http.MethodPost, address, bytes.NewReader(kind.body))
		require.NoError(t, err)
		request.Header = kind.header
		var text bytes.Buffer
		require.NoError(t, request.Write(&text))
		kinds = append(kinds, text.Bytes())
	}
	turns := pace(hookRate)
	for range hookSenders {
		go func() {
			for {
				if conn, err := f.dial(0); err == nil {
					f.postOver(conn, turns, kinds)
					_ = conn.Close()
				}
			}
		}()
	}
}

func (f *floods) postOver(conn net.Conn, turns <-chan struct{}, kinds [][]byte) {
	in := bufio.NewReader(conn)
	for range turns {
		if _, err := conn.Write(kinds[rand.IntN(len(kinds))]); err != nil {
			return // the connection was ended after its last answer
		}
		response, err := http.ReadResponse(in, nil)
		if err != nil {
			f.hooks.add("none")
			return
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		f.hooks.add(strconv.Itoa(response.StatusCode))
	}
}

// guessOn guesses passwords, each from an address of its own, whether or not the guesses before were answered.
func (f *floods) guessOn() {
	room := make(chan struct{}, guessesOpen)
	for range pace(guessRate) {
		room <- struct{}{}
		f.mostWaiting.Store(max(f.mostWaiting.Load(), f.waiting.Add(1)))
		go func() {
			f.guesses.add(f.guess())
			f.waiting.Add(-1)
			<-room
		}()
	}
}

// guess tries one password of somebody who exists, or of nobody.
func (f *floods) guess() (status string) {
	conn, err := f.dial(0)
	if err != nil {
		return "none"
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(guessWithin))
	name := "nobody-" + strconv.Itoa(rand.IntN(1_000_000))
	if rand.IntN(2) == 0 {
		name = f.plan.Names[rand.IntN(len(f.plan.Names))]
	}
	form := f.form.Encode() + "&username=" + name + "&password=a+guess+that+is+long+enough"
	_, err = fmt.Fprintf(conn, "POST /login HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nConnection: close\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s",
		f.plan.Address, f.cookie, len(form), form)
	if err != nil {
		return "none"
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return "none"
	}
	defer response.Body.Close()
	return strconv.Itoa(response.StatusCode)
}
