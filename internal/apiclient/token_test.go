package apiclient_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// identity is an identity provider that hands out tokens T1, T2, …
type identity struct {
	*httptest.Server
	fetches atomic.Int32
	life    string
	refuse  atomic.Bool
	hold    chan struct{} // when set, an answer waits for one word
	form    atomic.Value
}

func newIdentity(t *testing.T, life string) *identity {
	t.Helper()
	i := &identity{life: life}
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := i.fetches.Add(1)
		if err := r.ParseForm(); err == nil {
			i.form.Store(r.Method + " " + r.URL.Path + " " + r.PostForm.Encode())
		}
		if i.hold != nil {
			<-i.hold
		}
		if i.refuse.Load() {
			says(400, `{"error":"invalid_client","error_description":"secret-canary"}`)(w, r)
			return
		}
		says(200, fmt.Sprintf(`{"access_token":"T%d","token_type":"Bearer","scope":"topupapi"%s}`, n, i.life))(w, r)
	}))
	t.Cleanup(i.Close)
	return i
}

func (i *identity) deps(c *clock) func(*apiclient.Deps) {
	return func(d *apiclient.Deps) {
		d.APIKey, d.AuthURL, d.ClientID, d.ClientSecret, d.Now = "", i.URL+"/", "id", "secret-canary", c.now
	}
}

const halfAnHour = `,"expires_in":1800`

func TestTokenIsFetchedOnceAndUsed(t *testing.T) {
	t.Parallel()
	i, c := newIdentity(t, halfAnHour), newClock()
	i.hold = make(chan struct{})
	s := newService(t, says(200, `{"ResultCode":1,"Balance":1}`))
	client := newClient(t, s.URL, i.deps(c))

	impatient, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() { _, _ = client.GetBalance(impatient) })
	require.Eventually(t, func() bool { return i.fetches.Load() == 1 }, time.Minute, time.Millisecond)
	cancel() // the first to ask gives up, the others still get the token
	group.Wait()
	failed := make(chan error, 20)
	for range 20 {
		group.Go(func() {
			_, err := client.GetBalance(t.Context())
			failed <- err
		})
	}
	close(i.hold)
	group.Wait()
	close(failed)
	for err := range failed {
		require.NoError(t, err)
	}
	require.Equal(t, int32(1), i.fetches.Load())
	require.Equal(t, "POST /connect/token client_id=id&client_secret=secret-canary&grant_type=client_credentials", i.form.Load())
	require.Equal(t, "Bearer T1", s.last(t).Header.Get("Authorization"))
	require.Empty(t, s.last(t).Header.Values("api_key"))
}

func TestReadyMeansAHundredSeconds(t *testing.T) {
	t.Parallel()
	i, c := newIdentity(t, halfAnHour), newClock()
	client := newClient(t, "http://127.0.0.1:1", i.deps(c))
	require.NoError(t, client.Ready(t.Context()))
	c.advance(1800*time.Second - 101*time.Second)
	require.NoError(t, client.Ready(t.Context())) // still good, its successor is fetched behind
	require.Eventually(t, func() bool { return i.fetches.Load() == 2 }, time.Minute, time.Millisecond)

	i.refuse.Store(true)
	require.Eventually(t, func() bool { return client.TokenAge() == 0 }, time.Minute, time.Millisecond)
	c.advance(1800*time.Second - 100*time.Second)
	err := client.Ready(t.Context())
	require.ErrorIs(t, err, apiclient.ErrToken)
	require.NotContains(t, err.Error(), "canary")
	require.Contains(t, err.Error(), "HTTP 400 invalid_client")

	i.refuse.Store(false)
	require.NoError(t, client.Ready(t.Context()))
}

func TestShortTokensAreGoodForHalfTheirLife(t *testing.T) {
	t.Parallel()
	i, c := newIdentity(t, `,"expires_in":"60"`), newClock()
	client := newClient(t, "http://127.0.0.1:1", i.deps(c))
	for _, step := range []struct {
		wait    time.Duration
		fetches int32
	}{{0, 1}, {29 * time.Second, 1}, {time.Second, 2}, {time.Hour, 3}} {
		c.advance(step.wait)
		require.NoError(t, client.Ready(t.Context()))
		require.Equal(t, step.fetches, i.fetches.Load())
	}
}

// What is no word of an error is not repeated: it may be the secret.
func TestARefusalOfATokenIsQuotedInWordsAlone(t *testing.T) {
	t.Parallel()
	refuses := httptest.NewServer(says(400, `{"error":"canary-7"}`))
	t.Cleanup(refuses.Close)
	client := newClient(t, "http://127.0.0.1:1", func(d *apiclient.Deps) {
		d.APIKey, d.AuthURL, d.ClientID, d.ClientSecret = "", refuses.URL+"/", "id", "canary-7"
	})
	err := client.Ready(t.Context())
	require.ErrorIs(t, err, apiclient.ErrToken)
	require.NotContains(t, err.Error(), "canary")
}

func TestTokenWithoutALifeLivesFiveMinutes(t *testing.T) {
	t.Parallel()
	i, c := newIdentity(t, ""), newClock()
	client := newClient(t, "http://127.0.0.1:1", i.deps(c))
	require.NoError(t, client.Ready(t.Context()))
	c.advance(149 * time.Second)
	require.NoError(t, client.Ready(t.Context()))
	require.Equal(t, int32(1), i.fetches.Load())
}

func TestRefusedTokenIsDroppedAndNothingSentAgain(t *testing.T) {
	t.Parallel()
	i, c := newIdentity(t, halfAnHour), newClock()
	s := newService(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer T1" {
			says(401, `{"ResultCode":4,"ErrorCodes":[{"Code":"AuthenticationFailed","Context":"TokenExpired"}]}`)(w, r)
			return
		}
		says(200, completeAnswer)(w, r)
	})
	client := newClient(t, s.URL, i.deps(c))
	require.NoError(t, client.Ready(t.Context()))
	_, err := client.SendTransfer(t.Context(), realSend(), permitted(c))
	var failure *apiclient.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, 401, failure.Status)
	require.Len(t, s.got(), 1)

	require.NoError(t, client.Ready(t.Context()))
	_, err = client.SendTransfer(t.Context(), realSend(), permitted(c))
	require.NoError(t, err)
	require.Equal(t, int32(2), i.fetches.Load())
}

// What was refused stands in the answer, whatever its HTTP status.
func TestARefusedTokenIsDroppedByWhatTheAnswerSays(t *testing.T) {
	t.Parallel()
	i, c := newIdentity(t, halfAnHour), newClock()
	s := newService(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer T1" {
			says(400, `{"ResultCode":4,"ErrorCodes":[{"Code":"AuthenticationFailed","Context":"TokenExpired"}]}`)(w, r)
			return
		}
		says(200, `{"ResultCode":1,"Balance":1}`)(w, r)
	})
	client := newClient(t, s.URL, i.deps(c))
	_, err := client.GetBalance(t.Context())
	require.Error(t, err)
	_, err = client.GetBalance(t.Context())
	require.NoError(t, err)
	require.Equal(t, int32(2), i.fetches.Load())
}

func TestWithoutATokenNothingIsSent(t *testing.T) {
	t.Parallel()
	i, c := newIdentity(t, halfAnHour), newClock()
	s := newService(t, says(200, completeAnswer))
	client := newClient(t, s.URL, i.deps(c))
	i.refuse.Store(true)
	_, err := client.SendTransfer(t.Context(), realSend(), permitted(c))
	require.ErrorIs(t, err, apiclient.ErrToken)
	require.ErrorIs(t, err, apiclient.ErrNotSent)
	i.Close()
	_, err = client.SendTransfer(t.Context(), realSend(), permitted(c))
	require.ErrorIs(t, err, apiclient.ErrNotSent)
	require.Empty(t, s.got())
}

func TestUnreadableTokenAnswers(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"", "<html>", "{}", `{"access_token":""}`, `{"access_token":7}`, "[]"} {
		s := newService(t, says(200, answer))
		client := newClient(t, s.URL, func(d *apiclient.Deps) {
			d.APIKey, d.AuthURL, d.ClientID, d.ClientSecret = "", s.URL, "id", "secret"
		})
		require.ErrorIs(t, client.Ready(t.Context()), apiclient.ErrToken, answer)
	}
}

func TestNewRefusesHalfACredential(t *testing.T) {
	t.Parallel()
	good := apiclient.Deps{BaseURL: "https://api.example", AuthURL: "https://id.example", APIKey: "k", Now: time.Now}
	_, err := apiclient.New(good)
	require.NoError(t, err)
	for name, change := range map[string]func(*apiclient.Deps){
		"no clock":          func(d *apiclient.Deps) { d.Now = nil },
		"no credentials":    func(d *apiclient.Deps) { d.APIKey = "" },
		"both":              func(d *apiclient.Deps) { d.ClientID, d.ClientSecret = "i", "s" },
		"a key and an id":   func(d *apiclient.Deps) { d.ClientID = "i" },
		"no secret":         func(d *apiclient.Deps) { d.APIKey, d.ClientID = "", "i" },
		"no identity":       func(d *apiclient.Deps) { d.APIKey, d.ClientID, d.ClientSecret, d.AuthURL = "", "i", "s", "" },
		"no base":           func(d *apiclient.Deps) { d.BaseURL = "" },
		"a relative base":   func(d *apiclient.Deps) { d.BaseURL = "/api" },
		"a foreign scheme":  func(d *apiclient.Deps) { d.BaseURL = "ftp://api.example" },
		"a base with query": func(d *apiclient.Deps) { d.BaseURL = "https://api.example?x=1" },
	} {
		d := good
		change(&d)
		_, err := apiclient.New(d)
		require.Error(t, err, name)
	}
}
