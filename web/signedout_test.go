package web

import (
	"maps"
	"net/http"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
)

// TestASlowRequestDoesNotUndoASignOut: it began before, in another tab, and saves the session when it ends.
func TestASlowRequestDoesNotUndoASignOut(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var meanwhile func()
		b := stoppedBench(t, db)
		b.start(nowhere, nil, frame.Route{
			Method: "GET", Path: "/slow", Permission: frame.SignedIn, Handle: func(c *gin.Context) error {
				meanwhile()
				b.server.Sessions.Put(c.Request.Context(), frame.SessionPractice, "1")
				c.Status(http.StatusNoContent)
				return nil
			},
		})
		w := b.signIn(staff.Cashier)
		other := b.browser()
		other.cookies = maps.Clone(w.cookies)
		meanwhile = func() { require.Equal(t, http.StatusSeeOther, other.post("/logout", nil).StatusCode) }
		before := maps.Clone(w.cookies)
		require.Equal(t, http.StatusNoContent, w.get("/slow").StatusCode)
		require.Empty(t, w.who(), "the session is over")
		w.cookies = before
		require.Empty(t, w.who(), "and its cookie opens nothing")
	})
}
