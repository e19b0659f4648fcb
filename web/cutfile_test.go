package web

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/sheet"
	"airtill/web/frame"
)

// A file whose rows end with an error, as of a database that goes away, is cut off: nobody may take what has arrived
// for all there is. One of which nothing has left is an error page, not a file.
func TestAFileThatFailsIsCutOff(t *testing.T) {
	t.Parallel()
	var b *bench
	send := func(format string) func(c *gin.Context) error {
		return func(c *gin.Context) error {
			rows := func(yield func([]sheet.Cell, error) bool) {
				if yield([]sheet.Cell{sheet.Text("the first sale")}, nil) {
					yield(nil, errors.New("the database is gone"))
				}
			}
			table := sheet.Table{Title: "Sales", Columns: []sheet.Column{{Name: "Sale"}}, Rows: rows}
			return b.server.SendSheet(c, table, b.server.LocaleOf(c.Request), "sales", format)
		}
	}
	var routes []frame.Route
	for _, format := range frame.ExportFormats {
		routes = append(routes, frame.Route{
			Method: "GET", Path: "/cut." + format, Permission: frame.Public, Handle: send(format),
		})
	}
	b = newBench(t, storetest.New(t), nil, routes...)
	for _, encoding := range []string{"identity", "gzip"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.http.URL+"/cut.csv", nil)
		require.NoError(t, err)
		r.Header.Set("Accept-Encoding", encoding)
		response, err := b.http.Client().Transport.RoundTrip(r)
		if err == nil {
			_, err = io.Copy(io.Discard, response.Body)
			require.NoError(t, response.Body.Close())
		}
		require.Error(t, err, encoding)
	}
	for _, format := range []string{"xlsx", "pdf"} { // whose first bytes leave late
		got := b.browser().get("/cut." + format)
		require.Equal(t, http.StatusInternalServerError, got.StatusCode)
		require.Empty(t, got.Header.Get("Content-Disposition"), format)
	}
}
