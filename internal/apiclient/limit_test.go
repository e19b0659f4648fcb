package apiclient_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// answerLimits are the megabytes of an answer, by endpoint. None has more than it needs:
// whoever answers instead of the service must not fill the till's memory.
var answerLimits = map[string]int{
	"GetAccountLookup": 1, "GetBalance": 1, "GetCurrencies": 1, "SendTransfer": 1,
	"GetCountries": 8, "GetErrorCodeDescriptions": 8, "GetProviders": 8, "GetProviderStatus": 8, "GetRegions": 8,
	"CancelTransfers": 8, "EstimatePrices": 8, "ListTransferRecords": 8, "LookupBills": 8,
	"GetProductDescriptions": 64, "GetProducts": 64, "GetPromotionDescriptions": 64, "GetPromotions": 64,
}

func TestEveryEndpointBoundsItsAnswer(t *testing.T) {
	t.Parallel()
	calls := everyCall()
	require.Len(t, calls, len(answerLimits))
	for name, limit := range answerLimits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ask := func(size int) error {
				answer := calls[name].answer
				s := newService(t, func(w http.ResponseWriter, _ *http.Request) {
					_, _ = io.CopyN(w, blanks{}, int64(size-len(answer)))
					_, _ = io.WriteString(w, answer)
				})
				_, err := calls[name].call(t.Context(), newClient(t, s.URL+"/"))
				return err
			}
			require.NoError(t, ask(limit<<20))
			require.ErrorIs(t, ask(limit<<20+1), apiclient.ErrTooLarge)
		})
	}
}

// everyCall is a call of each endpoint, by its name.
func everyCall() map[string]endpointCall {
	send := endpointCall{line: "POST /api/V1/SendTransfer", answer: completeAnswer, call: func(ctx context.Context, c *apiclient.Client) (any, error) {
		return c.SendTransfer(ctx, realSend(), permitted(newClock()))
	}}
	calls := map[string]endpointCall{}
	for _, call := range append(slices.Concat(readingCalls(), filteringCalls(), askingCalls()), send) {
		line, _, _ := strings.Cut(call.line, "?")
		calls[path.Base(line)] = call
	}
	return calls
}

// TestBombsOfTheServiceDoNotBurst: what is small on the wire and large in memory, deep
// or long in its headers ends as an error, at every endpoint.
func TestBombsOfTheServiceDoNotBurst(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	zipper := gzip.NewWriter(&zipped)
	_, err := io.Copy(zipper, io.LimitReader(blanks{}, 9<<20))
	require.NoError(t, err)
	require.NoError(t, zipper.Close())
	require.Less(t, zipped.Len(), 1<<18)
	bombs := map[string]http.HandlerFunc{
		"gzip": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(zipped.Bytes())
		},
		"objects": says(200, strings.Repeat(`{"Items":`, 50_000)),
		"lists":   says(200, `{"ResultCode":1,"ErrorCodes":[],"Items":`+strings.Repeat("[", 500_000)),
		"headers": func(w http.ResponseWriter, _ *http.Request) {
			for i := range 300 {
				w.Header().Set("X-Long-"+strconv.Itoa(i), strings.Repeat("x", 1<<10))
			}
			_, _ = io.WriteString(w, completeAnswer)
		},
	}
	for kind, bomb := range bombs {
		s := newService(t, bomb)
		for name, call := range everyCall() {
			if kind == "gzip" && answerLimits[name] > 8 {
				continue // as many bytes are counted, whatever they were on the wire
			}
			_, err := call.call(t.Context(), newClient(t, s.URL+"/"))
			require.Error(t, err, "%s of %s", kind, name)
			require.Equal(t, kind == "gzip", errors.Is(err, apiclient.ErrTooLarge), "%s of %s: %v", kind, name, err)
		}
	}
}

// TestAnswerIsReadWhole: pieces, however small, are put together, and what went wrong on
// the way is told as it was.
func TestAnswerIsReadWhole(t *testing.T) {
	t.Parallel()
	into := make([]byte, 8)
	pieces := apiclient.Whole(io.MultiReader(
		iotest.OneByteReader(strings.NewReader("twelve bytes")), iotest.ErrReader(io.ErrUnexpectedEOF)))
	n, err := pieces.Read(into)
	require.NoError(t, err)
	require.Equal(t, "twelve b", string(into[:n]))
	n, err = pieces.Read(into)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, "ytes", string(into[:n]))
}

// blanks never end.
type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
