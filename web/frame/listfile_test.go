package frame

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"

	"airtill/internal/sheet"
)

// TestAListReadsAsMuchAsItsAnswerNeeds, and for a file that will be refused no more than its page does.
func TestAListReadsAsMuchAsItsAnswerNeeds(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]int{
		"": 51, "?file=csv": -1, "?file=xlsx": -1, "?file=pdf": sheet.MostPrinted + 1, "?file=exe": 51,
	} {
		c, _ := gin.CreateTestContext(httptest.NewRecorder())
		c.Request = httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/statements"+query, http.NoBody)
		require.Equal(t, want, RowsOf(c, 50), query)
	}
}
