package frame

import (
	"crypto/rand"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/redistest"
)

func TestStreamsOfACrashedProcessAreForgotten(t *testing.T) {
	t.Parallel()
	r, session := NewRedisStreams(redistest.New(t)), rand.Text()
	one := &stream{id: "A", session: session, person: rand.Text()}
	late := func(ago time.Duration) {
		for i := range MostStreams {
			member := redis.Z{Score: float64(time.Now().Add(-ago).UnixMilli()), Member: "Z" + strconv.Itoa(i)} // newer by its id
			require.NoError(t, r.client.ZAdd(t.Context(), r.key(session), member).Err())
		}
	}
	late(time.Second)
	require.False(t, r.beat(t.Context(), one), "four newer ones go on")
	late(streamForgotten + time.Second)
	require.True(t, r.beat(t.Context(), one))
	left, err := r.client.PTTL(t.Context(), r.key(session)).Result()
	require.NoError(t, err)
	require.InDelta(t, streamForgotten, left, float64(time.Second), "nothing is kept for long")
	r.leave(t.Context(), one)
	require.Zero(t, r.client.Exists(t.Context(), r.key(session), r.key(one.person)).Val())
	require.NotContains(t, r.key(session), session)
}

func TestWithoutRedisEachProcessCountsItsStreams(t *testing.T) {
	t.Parallel()
	require.True(t, NewRedisStreams(redistest.Gone(t)).beat(t.Context(), &stream{}))
	require.True(t, (*RedisStreams)(nil).beat(t.Context(), &stream{}))
}

// Browsers take a lone carriage return for the end of a line, too: what followed it in a provider's text was lost.
func TestAnEventIsWholeWhateverEndsItsLines(t *testing.T) {
	t.Parallel()
	answer := httptest.NewRecorder()
	c, _ := gin.CreateTestContext(answer)
	require.NoError(t, writeEvent(c, "one\rtwo\r\nthree\nfour"))
	require.Equal(t, "data: one\ndata: two\ndata: three\ndata: four\n\n", answer.Body.String())
}
